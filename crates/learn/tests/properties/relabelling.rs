//! Other numbers for the nodes, the same predictions: a network sees a graph, not its numbering.
//!
//! The input `pos`, which tells nodes apart, moves with its node. Were it not for that, relabelling
//! would be another problem with another answer.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_engine::graph::Edges;
use salsa_learn::batch::Batch;
use salsa_traces::random;
use salsa_traces::spec::{Kind, Location};

use crate::cases::{self, Case, close, decoded};

/// A batch of one graph with other numbers, and where its nodes and entries came from.
struct Relabelled {
    batch: Batch,
    nodes: Vec<usize>,
    entries: Vec<usize>,
}

/// Node `nodes[u]` of `batch`, which is one graph, becomes node u.
fn relabelled(batch: &Batch, nodes: Vec<usize>) -> Relabelled {
    let mut new_number = vec![0; nodes.len()];
    for (new, &old) in nodes.iter().enumerate() {
        new_number[old] = new as u32;
    }
    let (rows, neighbours) = (batch.edges.rows.as_slice(), batch.edges.neighbours.as_slice());
    let mut moved: Vec<(u32, u32, usize)> = (0..rows.len())
        .map(|k| (new_number[rows[k] as usize], new_number[neighbours[k] as usize], k))
        .collect();
    moved.sort();
    let entries: Vec<usize> = moved.iter().map(|&(_, _, old)| old).collect();
    let edges = Edges::new(
        nodes.len(),
        moved.iter().map(|entry| entry.0).collect(),
        moved.iter().map(|entry| entry.1).collect(),
    );
    let randomness = batch.randomness.as_ref().map(|values| {
        values.chunks_exact(nodes.len()).flat_map(|row| taken(row, &nodes)).collect()
    });
    let batch = Batch {
        edges: Arc::new(edges.unwrap()),
        graphs: Arc::clone(&batch.graphs),
        lengths: batch.lengths.clone(),
        inputs: batch
            .inputs
            .iter()
            .map(|(name, values)| (name.clone(), taken(values, &nodes)))
            .collect(),
        weights: batch.weights.as_ref().map(|weights| taken(weights, &entries)),
        randomness,
        outputs: Vec::new(),
        hints: Vec::new(),
        moments: None,
    };
    Relabelled { batch, nodes, entries }
}

fn taken(values: &[f32], places: &[usize]) -> Vec<f32> {
    places.iter().map(|&place| values[place]).collect()
}

fn permutation(n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, random::below(rng, i as u32 + 1) as usize);
    }
    order
}

fn moves_with_the_numbers(case: Case, rng: &mut ChaCha8Rng) {
    let mut network = case.stepped_network();
    for sample in case.samples(&[4, 9]) {
        let batch = Batch::new(&[sample], false).unwrap();
        let found = relabelled(&batch, permutation(batch.n_nodes(), rng));
        let before = decoded(&mut network, &batch);
        let after = decoded(&mut network, &found.batch);
        for ((field, before), after) in case.algorithm.spec().outputs().zip(before).zip(after) {
            let expected = match (field.location, field.kind) {
                (Location::Node, Kind::Pointer) | (Location::Edge, _) => {
                    taken(&before, &found.entries)
                }
                (Location::Node, _) => taken(&before, &found.nodes),
                (Location::Graph, _) => before,
            };
            let (case, name) = (case.name(), &field.name);
            assert!(close(&after, &expected, 1e-4), "{case}: {name} {after:?} not {expected:?}");
        }
    }
}

#[test]
fn relabelling_the_nodes_moves_the_predictions() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for case in cases::all().into_iter().chain(cases::variants()) {
        moves_with_the_numbers(case, &mut rng);
    }
}
