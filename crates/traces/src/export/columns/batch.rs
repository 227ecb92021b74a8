//! Samples as the columns of a record batch.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::column::Pending;
use super::layout::{Column, Role};
use crate::graph::Graph;
use crate::sample::Sample;
use crate::trajectory::Values;

/// The columns of the samples that wait to be written.
#[derive(Debug)]
pub(in crate::export) struct Batch {
    pending: Vec<Pending>,
    pub(in crate::export) samples: u64,
}

impl Batch {
    pub(super) fn new(columns: &[Column]) -> Self {
        Self { pending: columns.iter().map(|column| column.shape.pending()).collect(), samples: 0 }
    }

    /// Bytes that the columns take in a file.
    pub(in crate::export) fn bytes(&self) -> usize {
        self.pending.iter().map(Pending::bytes).sum()
    }

    /// Adds a sample that fits the columns.
    pub(super) fn push(&mut self, columns: &[Column], sample: &Sample) -> Result<(), String> {
        for (column, pending) in columns.iter().zip(&mut self.pending) {
            put(sample, column.role, pending);
            if !pending.end_sample() {
                return Err(format!("{} has more values than a column can hold", column.name));
            }
        }
        self.samples += 1;
        Ok(())
    }

    pub(in crate::export) fn into_records(
        self,
        schema: SchemaRef,
    ) -> Result<RecordBatch, ArrowError> {
        let arrays: Result<Vec<ArrayRef>, ArrowError> =
            self.pending.into_iter().map(Pending::into_array).collect();
        RecordBatch::try_new(schema, arrays?)
    }
}

/// Puts what a sample has for `role` into its column.
fn put(sample: &Sample, role: Role, to: &mut Pending) {
    let graph = &sample.graph;
    let values = match to {
        Pending::One(values) | Pending::List { values, .. } => values,
        Pending::Changes { steps, indices, values, .. } => {
            let Role::Hint(place) = role else { return };
            let hint = sample.trajectory.hints.as_ref().and_then(|hints| hints.get(place));
            let Some(hint) = hint else { return };
            hint.for_each_change(|step, index, value| {
                steps.push(step as u64);
                if let Some(indices) = indices {
                    indices.push(index.into());
                }
                values.push(value);
            });
            return;
        }
    };
    let mut put = |value: u64| values.push(value);
    match role {
        Role::Length => put(sample.trajectory.length.into()),
        Role::RowLengths => graph.nodes().for_each(|u| put(above(graph, u).len() as u64)),
        Role::Neighbours => {
            graph.nodes().for_each(|u| above(graph, u).iter().for_each(|&v| put(v.into())));
        }
        Role::Weights => graph.edge_weights().into_iter().flatten().for_each(|w| put(w.to_bits())),
        Role::Positions => {
            graph.positions().into_iter().flatten().flatten().for_each(|x| put(x.to_bits()));
        }
        Role::Source => put(sample.inputs.source.unwrap_or(0).into()),
        Role::Randomness => {
            let phases = sample.inputs.randomness.iter().flat_map(|random| random.phases());
            phases.flatten().for_each(|value| put(value.to_bits()));
        }
        Role::Output(place) => match &sample.trajectory.outputs[place] {
            Values::Mask(values) => values.iter().for_each(|&value| put(value.into())),
            Values::MaskOne(node) => put((*node).into()),
            Values::Categorical(values) => values.iter().for_each(|&class| put(class.into())),
            Values::Scalar(values) => values.iter().for_each(|value| put(value.to_bits())),
            Values::Pointer(values) => values.iter().for_each(|&target| put(target.into())),
        },
        Role::Hint(_) => {}
    }
}

/// The neighbours of `u` above it.
fn above(graph: &Graph, u: u32) -> &[u32] {
    let row = graph.neighbours(u);
    &row[row.partition_point(|&v| v < u)..]
}
