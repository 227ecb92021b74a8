//! A tree of shortest paths: along the pointers, every node is as close to the source as it can
//! be. Which of several shortest paths is free; zero weights may not close a cycle.
//!
//! Weights are those the algorithm reads, in 64 bits. Summing up to n of them in another order
//! rounds differently, so lengths count as equal within 2 n units of rounding, a relative 7e-15
//! for 16 nodes. Paths that only 32 bits cannot tell apart differ: the longer one is a detour.

use super::{Instance, Judge, Rule, Violation};
use crate::validity::distances::lengths;
use crate::validity::forest::Forest;

pub(super) static RULE: Rule = Rule {
    algorithm: "dijkstra",
    summary: "a tree in which every path to the source is a shortest one",
    judge: Judge::Pointers(judge),
};

pub(super) fn judge(instance: &Instance<'_>, pi: &[u32]) -> Result<(), Violation> {
    let graph = instance.graph;
    let (tree, _) = Forest::from_source(instance, pi)?;
    let shortest = lengths(graph, instance.source()?);
    let tolerance = 2.0 * graph.n_nodes() as f64 * f64::EPSILON;
    let mut along_pointers = vec![0.0; graph.n_nodes()];
    // From the source down, so the first detour found starts at the node that is reported.
    for (node, parent) in tree.tree_edges() {
        let length = along_pointers[parent as usize] + instance.weight(node, parent);
        let shortest = shortest[node as usize];
        if length > shortest * (1.0 + tolerance) {
            return Err(Violation::Detour { node, parent, length, shortest });
        }
        along_pointers[node as usize] = length;
    }
    Ok(())
}
