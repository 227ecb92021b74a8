//! A sample as the player reads it.

use salsa_report::page::{Drawing, Episode, Place, Quantity, Rounded, Track};
use salsa_traces::convention::Convention;
use salsa_traces::draw::layout;
use salsa_traces::graph::Graph;
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Kind, Location};
use salsa_traces::trajectory::Values;

/// The recorded execution of a sample, with nobody's answers yet.
pub fn episode(name: &str, graph: &Graph, sample: &Sample, convention: Convention) -> Episode {
    let (spec, trajectory) = (&sample.trajectory.spec, &sample.trajectory);
    let hints = trajectory.recorded_hints();
    let hints = hints.map(|(field, hint)| track(field, &hint.all()));
    let outputs = spec.outputs().zip(&trajectory.outputs);
    let outputs = outputs.map(|(field, values)| track(field, std::slice::from_ref(values)));
    let has_entries = spec.fields.iter().any(|field| {
        field.location == Location::Edge && !matches!(&*field.name, "A" | "adj" | "weights")
    });
    Episode {
        algorithm: spec.algorithm.to_string(),
        name: match convention {
            Convention::Paper => name.to_owned(),
            Convention::Release => format!("{name}, release"),
        },
        convention: convention.to_string(),
        drawing: drawing(graph, spec.needs_weights(), has_entries),
        steps: trajectory.length as usize,
        source: sample.inputs.source,
        inputs: random_values(sample).into_iter().collect(),
        hints: hints.collect(),
        outputs: outputs.collect(),
        answers: Vec::new(),
    }
}

/// A feature over some moments.
pub fn track(field: &Field, moments: &[Values]) -> Track {
    let place = match field.location {
        Location::Node => Place::Node,
        Location::Edge => Place::Edge,
        Location::Graph => Place::Graph,
    };
    let quantity = match field.kind {
        Kind::Scalar => Quantity::Scalar,
        Kind::Mask => Quantity::Mask,
        Kind::MaskOne => Quantity::MaskOne,
        Kind::Categorical { .. } => Quantity::Categorical,
        Kind::Pointer => Quantity::Pointer,
    };
    Track::new(&field.name, place, quantity, moments.iter().map(numbers).collect())
}

fn drawing(graph: &Graph, has_weights: bool, has_entries: bool) -> Drawing {
    let points = layout(graph).into_iter().map(|[x, y]| [Rounded(x), Rounded(y)]);
    let weights = graph.edge_weights().filter(|_| has_weights);
    Drawing {
        points: points.collect(),
        edges: graph.edges().collect(),
        weights: weights.map(|weights| weights.map(Rounded).collect()),
        entries: graph.entries().filter(|_| has_entries).collect(),
    }
}

/// Random values, fresh for every two steps.
fn random_values(sample: &Sample) -> Option<Track> {
    let phases = sample.inputs.randomness.as_ref()?.phases();
    let steps = 0..sample.trajectory.length as usize;
    let moments: Vec<_> = steps.filter_map(|step| phases.get(step / 2).cloned()).collect();
    Some(Track::new("randomness", Place::Node, Quantity::Scalar, moments))
}

fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::Mask(values) => values.iter().map(|&value| f64::from(u8::from(value))).collect(),
        Values::MaskOne(node) => vec![f64::from(*node)],
        Values::Categorical(values) => values.iter().map(|&value| f64::from(value)).collect(),
        Values::Scalar(values) => values.clone(),
        Values::Pointer(values) => values.iter().map(|&value| f64::from(value)).collect(),
    }
}
