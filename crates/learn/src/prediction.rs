//! From what a network decodes to the values it predicts, graph by graph.

use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::graph::Graph;
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
    let graphs: Vec<usize> = (0..batch.n_graphs()).collect();
    predictions_of(tape, spec.outputs(), batch, &graphs, outputs)
}

/// Predicted values of some features for some graphs of a batch: `[graph][feature]`.
pub fn predictions_of<'a>(
    tape: &Tape,
    fields: impl Iterator<Item = &'a Field>,
    batch: &Batch,
    graphs: &[usize],
    decoded: &[Tensor],
) -> Vec<Vec<Values>> {
    let mut all = vec![Vec::new(); graphs.len()];
    for (field, &tensor) in fields.zip(decoded) {
        let decoded = tape.read(tensor);
        for (&graph, own) in graphs.iter().zip(&mut all) {
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

/// What scores of one graph mean, laid out as a decoder gives them: one for each entry for pointers
/// and features of edges, one for each node and class for classes, else one for each value.
/// `None` if there is another number of them.
///
/// ```
/// use salsa_learn::prediction::values_of;
/// use salsa_traces::{algorithms, graph::Graph, trajectory::Values};
/// // 0 - 1: the entries are 0-0, 0-1, 1-0 and 1-1.
/// let graph = Graph::from_edges(2, &[(0, 1)])?;
/// let pi = algorithms::find("bfs")?.spec().outputs().next().unwrap();
/// let values = values_of(pi, &graph, &[0.2, 0.1, -3.0, -5.0]);
/// assert_eq!(values, Some(Values::Pointer(vec![0, 0])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn values_of(field: &Field, graph: &Graph, scores: &[f32]) -> Option<Values> {
    if scores.len() != n_scores(field, graph) {
        return None;
    }
    Some(match field.kind {
        Kind::Scalar => Values::Scalar(scores.iter().map(|&x| f64::from(x)).collect()),
        Kind::Mask => Values::Mask(scores.iter().map(|&x| x > 0.0).collect()),
        Kind::MaskOne => Values::MaskOne(largest(scores) as u32),
        Kind::Categorical { classes } => {
            let rows = scores.chunks_exact(classes.into());
            Values::Categorical(rows.map(|row| largest(row) as u8).collect())
        }
        Kind::Pointer => {
            let entries: Vec<(u32, u32)> = graph.entries().collect();
            let mut first = 0;
            let best = entries.chunk_by(|a, b| a.0 == b.0).map(|row| {
                let best = largest(&scores[first..first + row.len()]);
                first += row.len();
                row[best].1
            });
            Values::Pointer(best.collect())
        }
    })
}

/// How many scores a feature of a graph has.
pub fn n_scores(field: &Field, graph: &Graph) -> usize {
    match (field.kind, field.location) {
        (Kind::Pointer, _) | (_, Location::Edge) => graph.n_entries(),
        (Kind::Categorical { classes }, location) => {
            usize::from(classes) * graph.n_values(location)
        }
        (_, location) => graph.n_values(location),
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
