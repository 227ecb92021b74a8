//! A sample as it stands in any batch, but for its place there.
//!
//! Whoever puts the same samples together again and again keeps them so: what is left to do is to
//! copy, which is several times faster on large graphs than to walk along their rows.

use super::{CollateError, is_seen};
use crate::execution::{Inputs, Randomness};
use crate::graph::Entries;
use crate::sample::{Sample, positions};
use crate::spec::{Field, Kind, Spec};
use crate::trajectory::Values;

/// A sample without its hints, ready to be [joined](super::join) with others.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    pub(super) spec: Spec,
    pub(super) length: u32,
    /// How many entries each node is the source of.
    pub(super) row_lengths: Vec<u32>,
    /// The target of each entry.
    pub(super) targets: Vec<u32>,
    /// The inputs that models see, then the outputs.
    pub(super) features: Vec<Feature>,
}

/// The values of a feature.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Feature {
    /// All of them, row by row.
    Rows(Vec<f32>),
    /// The rows that have a one; the others have zeros.
    Marks(Vec<u32>),
}

/// What a sample is made ready from.
pub(crate) struct Raw<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) length: u32,
    pub(crate) entries: Entries,
    /// One an entry, if the graph is weighted.
    pub(crate) weights: Option<Vec<f32>>,
    pub(crate) inputs: &'a Inputs,
    pub(crate) outputs: &'a [Values],
}

impl Ready {
    /// Lays a sample out. An error speaks of place 0.
    pub fn new(sample: &Sample) -> Result<Self, CollateError> {
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let weights = graph.is_weighted().then(|| {
            let mut weights = vec![1.0; graph.n_entries()];
            graph.write_weights(|weight| weight as f32, &mut weights);
            weights
        });
        let raw = Raw {
            spec: &trajectory.spec,
            length: trajectory.length,
            entries: Entries::of(graph),
            weights,
            inputs: &sample.inputs,
            outputs: &trajectory.outputs,
        };
        raw.laid_out().map_err(|name| CollateError::Misfit { place: 0, name })
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        let numbers = self.features.iter().map(|feature| match feature {
            Feature::Rows(numbers) => numbers.len(),
            Feature::Marks(rows) => rows.len(),
        });
        size_of::<Self>()
            + 4 * (self.row_lengths.len() + self.targets.len() + numbers.sum::<usize>())
    }
}

impl Raw<'_> {
    /// The sample, or the name of a feature that has no values or others than the spec says.
    pub(crate) fn laid_out(mut self) -> Result<Ready, String> {
        let spec = self.spec;
        let mut features = Vec::new();
        for field in spec.inputs().filter(|field| is_seen(field)) {
            features.push((field, self.input(field)));
        }
        for (place, field) in spec.outputs().enumerate() {
            let values = self.outputs.get(place);
            features.push((field, values.and_then(|values| self.feature(field, values))));
        }
        let features = features.into_iter();
        let features = features.map(|(field, feature)| feature.ok_or(field.name.to_string()));
        Ok(Ready {
            features: features.collect::<Result<_, _>>()?,
            spec: spec.clone(),
            length: self.length,
            row_lengths: self.entries.row_lengths().collect(),
            targets: self.entries.into_targets(),
        })
    }

    /// An input; `None` if there is none that fits.
    fn input(&mut self, field: &Field) -> Option<Feature> {
        match &*field.name {
            "randomness" => self.randomness(),
            "weights" => self.weights.take().map(Feature::Rows),
            "pos" => {
                let places = positions(self.entries.n_nodes()).map(|place| place as f32);
                Some(Feature::Rows(places.collect()))
            }
            "s" => self.feature(field, &Values::MaskOne(self.inputs.source?)),
            _ => None,
        }
    }

    /// Random values `[nodes, steps]`, the two steps of a phase alike.
    fn randomness(&self) -> Option<Feature> {
        let (n_nodes, n_steps) = (self.entries.n_nodes(), self.length as usize);
        let phases = self.inputs.randomness.as_ref().map(Randomness::phases)?;
        let mut numbers = vec![0.0; n_nodes * n_steps];
        for step in 0..n_steps {
            let phase = phases.get(step / 2).filter(|phase| phase.len() == n_nodes)?;
            for (node, &value) in phase.iter().enumerate() {
                numbers[node * n_steps + step] = value as f32;
            }
        }
        Some(Feature::Rows(numbers))
    }

    /// The values of one moment; `None` if they do not fit.
    fn feature(&self, field: &Field, values: &Values) -> Option<Feature> {
        let entries = &self.entries;
        if !values.fits(field.kind) {
            return None;
        }
        let number = |is_set: bool| if is_set { 1.0 } else { 0.0 };
        let numbers: Vec<f32> = match (values, field.kind) {
            (Values::Mask(values), _) => values.iter().map(|&value| number(value)).collect(),
            (Values::Scalar(values), _) => values.iter().map(|&value| value as f32).collect(),
            (Values::MaskOne(node), _) => {
                let is_node = (*node as usize) < entries.n_nodes();
                return is_node.then(|| Feature::Marks(vec![*node]));
            }
            (Values::Pointer(targets), _) => {
                if targets.len() != entries.n_nodes() {
                    return None;
                }
                let entry = |(node, &target)| entries.entry_to(node, target);
                let marks = (0..).zip(targets).map(|node| entry(node).map(|entry| entry as u32));
                return marks.collect::<Option<_>>().map(Feature::Marks);
            }
            (Values::Categorical(values), Kind::Categorical { classes }) => {
                let one_hot = |&class: &u8| (0..classes).map(move |other| number(other == class));
                values.iter().flat_map(one_hot).collect()
            }
            (Values::Categorical(_), _) => return None,
        };
        let width = match field.kind {
            Kind::Categorical { classes } => classes.into(),
            _ => 1,
        };
        (numbers.len() == entries.n_values(field.location) * width)
            .then_some(Feature::Rows(numbers))
    }
}
