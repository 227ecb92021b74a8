//! Writing: straight from the recorded changes, one step in memory at a time.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::algorithms;
use crate::graph::Graph;
use crate::sample::Sample;
use crate::spec::{Field, Location};
use crate::trajectory::{Hint, Values};

/// The line of a sample, without its line break.
pub fn line(sample: &Sample, note: Option<&str>) -> Vec<u8> {
    serde_json::to_vec(&Record { sample, note }).expect("a sample is plain data")
}

/// Writes the line of a sample, with its line break.
pub fn write_line(to: &mut impl Write, sample: &Sample, note: Option<&str>) -> io::Result<()> {
    serde_json::to_writer(&mut *to, &Record { sample, note })?;
    to.write_all(b"\n")
}

struct Record<'a> {
    sample: &'a Sample,
    note: Option<&'a str>,
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sample { generator, graph, inputs, trajectory } = self.sample;
        let spec = &trajectory.spec;
        let name = algorithms::find(&spec.algorithm)
            .map_or(&*spec.algorithm, |algorithm| algorithm.published_name());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("algorithm", name)?;
        map.serialize_entry("n", &graph.n_nodes())?;
        map.serialize_entry("generator", generator)?;
        if let Some(note) = self.note {
            map.serialize_entry("note", note)?;
        }
        map.serialize_entry("edges", &Sequence(|| graph.edges().map(|(u, v)| [u, v])))?;
        if let Some(weights) = graph.edge_weights() {
            map.serialize_entry("weights", &weights.collect::<Vec<f64>>())?;
        }
        if let Some(positions) = graph.positions() {
            map.serialize_entry("positions", positions)?;
        }
        if let Some(source) = inputs.source {
            map.serialize_entry("source", &source)?;
        }
        map.serialize_entry("length", &trajectory.length)?;
        map.serialize_entry("edge_index", &EdgeIndex(graph))?;
        map.serialize_entry("inputs", &Inputs(self.sample))?;
        if let Some(randomness) = &inputs.randomness {
            let phases = randomness.phases();
            let row = |node: usize| -> Vec<f64> {
                phases.iter().flat_map(|phase| [phase[node]; 2]).collect()
            };
            map.serialize_entry("randomness", &Sequence(|| (0..graph.n_nodes()).map(row)))?;
        }
        let outputs = spec.outputs().zip(&trajectory.outputs);
        map.serialize_entry("outputs", &Outputs(outputs.collect(), graph))?;
        let hints = trajectory.recorded_hints();
        map.serialize_entry("hints", &Hints(hints.collect(), graph))?;
        map.serialize_entry("has_hints", &trajectory.hints.is_some())?;
        map.end()
    }
}

/// A list made of an iterator.
struct Sequence<F>(F);

impl<F, I> Serialize for Sequence<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

struct EdgeIndex<'a>(&'a Graph);

impl Serialize for EdgeIndex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_seq(Some(2))?;
        pair.serialize_element(&Sequence(|| self.0.entries().map(|(source, _)| source)))?;
        pair.serialize_element(&Sequence(|| self.0.entries().map(|(_, target)| target)))?;
        pair.end()
    }
}

struct Inputs<'a>(&'a Sample);

impl Serialize for Inputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in self.0.trajectory.spec.inputs() {
            // Random values have an entry of their own, beside the inputs.
            if let Some(values) = self.0.input(&field.name) {
                map.serialize_entry(
                    &field.name,
                    &Feature(field, Dense(&values, field, &self.0.graph)),
                )?;
            }
        }
        map.end()
    }
}

struct Outputs<'a>(Vec<(&'a Field, &'a Values)>, &'a Graph);

impl Serialize for Outputs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0.iter().map(|&(field, values)| {
                (&field.name, Feature(field, Dense(values, field, self.1)))
            }),
        )
    }
}

struct Hints<'a>(Vec<(&'a Field, Hint<'a>)>, &'a Graph);

impl Serialize for Hints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|&(field, hint)| (&field.name, Feature(field, Steps(hint, field, self.1)))),
        )
    }
}

/// `{location, type, data}`.
struct Feature<'a, D>(&'a Field, D);

impl<D: Serialize> Serialize for Feature<'_, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("location", &self.0.location.to_string())?;
        map.serialize_entry("type", &self.0.kind.to_string())?;
        map.serialize_entry("data", &self.1)?;
        map.end()
    }
}

struct Steps<'a>(Hint<'a>, &'a Field, &'a Graph);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(hint, field, graph) = *self;
        let mut steps = hint.range(0..hint.n_steps());
        let mut list = serializer.serialize_seq(Some(hint.n_steps()))?;
        while let Some(values) = steps.advance() {
            list.serialize_element(&Dense(values, field, graph))?;
        }
        list.end()
    }
}

/// The values of one moment: a list, or one number for the graph.
struct Dense<'a>(&'a Values, &'a Field, &'a Graph);

impl Serialize for Dense<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(values, field, graph) = self;
        let is_one = field.location == Location::Graph;
        match values {
            Values::Scalar(values) if is_one => values[0].serialize(serializer),
            Values::Mask(values) if is_one => u8::from(values[0]).serialize(serializer),
            Values::Mask(values) => serializer.collect_seq(values.iter().map(|&v| u8::from(v))),
            Values::MaskOne(node) => {
                serializer.collect_seq(graph.nodes().map(|u| u8::from(u == *node)))
            }
            Values::Categorical(values) => values.serialize(serializer),
            Values::Scalar(values) => values.serialize(serializer),
            Values::Pointer(values) => values.serialize(serializer),
        }
    }
}
