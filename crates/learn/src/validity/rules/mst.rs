//! A spanning tree of the best weight, maximum or minimum by the convention.
//!
//! No sum is compared: a spanning tree is a best one if and only if no edge beats an edge of the
//! tree path between its ends. Taking the edges best first, the ends of each must be joined by
//! tree edges that are as good. Weights are compared and never added, so there is no rounding.
//! Ties may fall either way. Reference: Tarjan, Data Structures and Network Algorithms, chapter
//! Minimum spanning trees.

use salsa_traces::convention::Convention;
use salsa_traces::graph::Components;

use super::{Instance, Judge, Rule, Violation};
use crate::validity::forest::Forest;

pub(super) static RULE: Rule = Rule {
    algorithm: "mst",
    summary: "a spanning tree of the largest (paper) or smallest (release) total weight",
    judge: Judge::Pointers(judge),
};

fn judge(instance: &Instance<'_>, pi: &[u32]) -> Result<(), Violation> {
    let graph = instance.graph;
    let (tree, hops) = Forest::from_source(instance, pi)?;
    // Smaller is better from here on.
    let sign = if instance.convention == Convention::Paper { -1.0 } else { 1.0 };
    let mut edges: Vec<(f64, u32, u32)> = Vec::with_capacity(graph.n_edges());
    for u in graph.nodes().filter(|&u| hops[u as usize].is_some()) {
        let higher = graph.weighted_neighbours(u).filter(|&(v, _)| v > u);
        edges.extend(higher.map(|(v, weight)| (sign * weight + 0.0, u, v)));
    }
    // Stable: equal edges stay in index order, and the first violation is always the same.
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_tree_edge = |u: u32, v: u32| pi[u as usize] == v || pi[v as usize] == u;
    let mut joined = Components::new(graph.n_nodes());
    for equal in edges.chunk_by(|a, b| a.0 == b.0) {
        for &(_, u, v) in equal.iter().filter(|&&(_, u, v)| is_tree_edge(u, v)) {
            joined.join(u, v);
        }
        for &(_, u, v) in equal {
            if joined.find(u) != joined.find(v) {
                return Err(better_edge(instance, &tree, sign, [u, v]));
            }
        }
    }
    Ok(())
}

/// Says that `edge` is better than the worst edge of the tree path between its ends.
fn better_edge(instance: &Instance<'_>, tree: &Forest<'_>, sign: f64, edge: [u32; 2]) -> Violation {
    let weight = instance.weight(edge[0], edge[1]);
    let path = tree.path(edge[0], edge[1]).into_iter();
    let weighted = path.map(|(node, parent)| (instance.weight(node, parent), [node, parent]));
    let worst = weighted.max_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
    let (tree_weight, mut tree_edge) = worst.unwrap_or((weight, edge));
    tree_edge.sort_unstable();
    Violation::BetterEdge { edge, weight, tree_edge, tree_weight }
}
