//! A sample as it stands in any batch, but for its place there.
//!
//! Whoever puts the same samples together again and again keeps them so: what is left to do is to
//! copy, which is several times faster on large graphs than to walk along their rows.

use super::{CollateError, is_seen};
use crate::sample::Sample;
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

impl Ready {
    /// Lays a sample out. An error speaks of place 0.
    pub fn new(sample: &Sample) -> Result<Self, CollateError> {
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let mut targets = vec![0; graph.n_entries()];
        graph.write_targets(&mut targets);
        let spec = &trajectory.spec;
        let inputs = spec.inputs().filter(|field| is_seen(field));
        let inputs = inputs.map(|field| (field, input(sample, field)));
        let outputs = spec.outputs().zip(0..).map(|(field, place): (_, usize)| {
            let values = trajectory.outputs.get(place);
            (field, values.and_then(|values| feature(sample, field, values)))
        });
        let features = inputs.chain(outputs).map(|(field, feature)| {
            feature.ok_or_else(|| CollateError::Misfit { place: 0, name: field.name.to_string() })
        });
        Ok(Self {
            features: features.collect::<Result<_, _>>()?,
            spec: spec.clone(),
            length: trajectory.length,
            row_lengths: graph.entry_counts().collect(),
            targets,
        })
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

/// An input of a sample; `None` if it has none that fits.
fn input(sample: &Sample, field: &Field) -> Option<Feature> {
    match &*field.name {
        "randomness" => randomness(sample),
        "weights" => {
            let mut numbers = vec![1.0; sample.graph.n_entries()];
            sample.graph.write_weights(|weight| weight as f32, &mut numbers);
            sample.graph.is_weighted().then_some(Feature::Rows(numbers))
        }
        name => feature(sample, field, &sample.input(name)?),
    }
}

/// Random values `[nodes, steps]`, the two steps of a phase alike.
fn randomness(sample: &Sample) -> Option<Feature> {
    let (n_nodes, n_steps) = (sample.graph.n_nodes(), sample.trajectory.length as usize);
    let phases = sample.inputs.randomness.as_ref()?.phases();
    let mut numbers = vec![0.0; n_nodes * n_steps];
    for step in 0..n_steps {
        let phase = phases.get(step / 2).filter(|phase| phase.len() == n_nodes)?;
        for (node, &value) in phase.iter().enumerate() {
            numbers[node * n_steps + step] = value as f32;
        }
    }
    Some(Feature::Rows(numbers))
}

/// The values of one moment; `None` if they do not fit the graph.
fn feature(sample: &Sample, field: &Field, values: &Values) -> Option<Feature> {
    let graph = &sample.graph;
    let n_rows = match field.kind {
        Kind::Pointer => graph.n_entries(),
        _ => graph.n_values(field.location),
    };
    let number = |is_set: bool| if is_set { 1.0 } else { 0.0 };
    let numbers: Vec<f32> = match (values, field.kind) {
        (Values::Mask(values), Kind::Mask) => values.iter().map(|&value| number(value)).collect(),
        (Values::Scalar(values), Kind::Scalar) => {
            values.iter().map(|&value| value as f32).collect()
        }
        (Values::MaskOne(node), Kind::MaskOne) => {
            return ((*node as usize) < n_rows).then(|| Feature::Marks(vec![*node]));
        }
        (Values::Pointer(targets), Kind::Pointer) => {
            if targets.len() != graph.n_nodes() {
                return None;
            }
            let entry = |(node, &target)| graph.entry_to(node, target).map(|entry| entry as u32);
            return (0..).zip(targets).map(entry).collect::<Option<_>>().map(Feature::Marks);
        }
        (Values::Categorical(values), Kind::Categorical { classes }) => {
            let one_hot = |&class: &u8| (0..classes).map(move |other| number(other == class));
            values.iter().flat_map(one_hot).collect()
        }
        _ => return None,
    };
    let width = match field.kind {
        Kind::Categorical { classes } => classes.into(),
        _ => 1,
    };
    (numbers.len() == n_rows * width).then_some(Feature::Rows(numbers))
}
