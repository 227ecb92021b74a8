//! A depth-first forest of some search: any roots, any order of neighbours.
//!
//! A spanning forest comes from a depth-first search if and only if every edge of the graph joins
//! a node with one above it: an edge between two branches or two trees would have been followed.
//! The recorded forest is the one with roots and neighbours in index order. That order is a
//! convention of the recording and not part of what a depth-first forest is, so a forest with
//! another root is correct too. Reference: Cormen et al., chapter Depth-first search.

use super::{Instance, Judge, Rule, Violation};
use crate::validity::forest::Forest;

pub(super) static RULE: Rule = Rule {
    algorithm: "dfs",
    summary: "a spanning forest, any roots, in which every edge joins a node with one above it",
    judge: Judge::Pointers(judge),
};

fn judge(instance: &Instance<'_>, pi: &[u32]) -> Result<(), Violation> {
    let ancestry = Forest::new(pi)?.ancestry();
    for (u, v) in instance.graph.edges() {
        let (root_u, root_v) = (ancestry.root(u), ancestry.root(v));
        if root_u != root_v {
            return Err(Violation::TwoTrees { u, v, root_u, root_v });
        }
        if !ancestry.is_above(u, v) && !ancestry.is_above(v, u) {
            return Err(Violation::CrossEdge { u, v });
        }
    }
    Ok(())
}
