//! From what a network decodes to the values it predicts, graph by graph.

use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::Values;

use crate::batch::Batch;

/// Predicted values of all outputs for each graph of a batch: `[graph][output]`.
pub fn predictions(
    tape: &Tape,
    spec: &Spec,
    batch: &Batch,
    outputs: &[Tensor],
) -> Vec<Vec<Values>> {
    let mut all = vec![Vec::new(); batch.n_graphs()];
    for (field, &output) in spec.outputs().zip(outputs) {
        let decoded = tape.read(output);
        for (graph, own) in all.iter_mut().enumerate() {
            own.push(predicted(field, batch, graph, &decoded));
        }
    }
    all
}

fn predicted(field: &Field, batch: &Batch, graph: usize, decoded: &[f32]) -> Values {
    let graphs = batch.graphs.as_slice();
    let (offsets, neighbours) = (batch.edges.offsets.as_slice(), batch.edges.neighbours.as_slice());
    let nodes = graphs[graph] as usize..graphs[graph + 1] as usize;
    let entries = offsets[nodes.start] as usize..offsets[nodes.end] as usize;
    let own = match field.location {
        Location::Node => nodes.clone(),
        Location::Edge => entries,
        Location::Graph => graph..graph + 1,
    };
    match field.kind {
        Kind::Scalar => Values::Scalar(decoded[own].iter().map(|&x| f64::from(x)).collect()),
        // A logit above 0 is a probability above a half.
        Kind::Mask => Values::Mask(decoded[own].iter().map(|&x| x > 0.0).collect()),
        Kind::MaskOne => Values::MaskOne(largest(&decoded[own]) as u32),
        Kind::Categorical { classes } => {
            let classes = usize::from(classes);
            let rows = decoded[own.start * classes..own.end * classes].chunks_exact(classes);
            Values::Categorical(rows.map(|row| largest(row) as u8).collect())
        }
        Kind::Pointer => Values::Pointer(
            nodes
                .clone()
                .map(|node| {
                    let row = offsets[node] as usize..offsets[node + 1] as usize;
                    let best = row.start + largest(&decoded[row]);
                    neighbours[best] - nodes.start as u32
                })
                .collect(),
        ),
    }
}

/// The place of the largest value; the first of equal ones.
fn largest(values: &[f32]) -> usize {
    let mut best = 0;
    for (i, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = i;
        }
    }
    best
}
