//! True distances from a source, which tree answers are measured against.
//!
//! Written for this purpose and not taken from the recorded algorithms, so that a mistake there
//! does not hide itself here.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use salsa_traces::graph::Graph;

/// Edges on a shortest path to each node, `None` where there is none. O(nodes + edges).
pub(super) fn hops(graph: &Graph, source: u32) -> Vec<Option<u32>> {
    let mut hops = vec![None; graph.n_nodes()];
    hops[source as usize] = Some(0);
    let mut frontier = vec![source];
    let mut next = Vec::new();
    for level in 1.. {
        for &u in &frontier {
            for &v in graph.neighbours(u) {
                if hops[v as usize].is_none() {
                    hops[v as usize] = Some(level);
                    next.push(v);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        std::mem::swap(&mut frontier, &mut next);
        next.clear();
    }
    hops
}

/// Length of a shortest path to each node, infinite where there is none; weights are at least 0.
/// O((nodes + edges) log nodes).
pub(super) fn lengths(graph: &Graph, source: u32) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; graph.n_nodes()];
    let mut is_done = vec![false; graph.n_nodes()];
    lengths[source as usize] = 0.0;
    // Numbers of at least 0 are ordered as their bits are.
    let mut queue = BinaryHeap::from([Reverse((0f64.to_bits(), source))]);
    while let Some(Reverse((_, u))) = queue.pop() {
        if std::mem::replace(&mut is_done[u as usize], true) {
            continue;
        }
        for (v, weight) in graph.weighted_neighbours(u) {
            let through_u = lengths[u as usize] + weight;
            if through_u < lengths[v as usize] {
                lengths[v as usize] = through_u;
                queue.push(Reverse((through_u.to_bits(), v)));
            }
        }
    }
    lengths
}
