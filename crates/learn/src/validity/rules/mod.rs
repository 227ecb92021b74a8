//! What makes an answer correct, one algorithm a file.
//!
//! Adding a rule is a file and a line in [`ALL`]. Algorithms with one correct answer have none:
//! articulation points, bridges and core numbers follow from the graph, so for them a correct
//! answer is the recorded one and graph accuracy counts it.

mod bellman_ford;
mod bfs;
mod components;
mod dfs;
mod dijkstra;
mod eccentricity;
mod mis;
mod mst;

use salsa_traces::spec::{Field, Kind};

use super::{Instance, Violation};

/// What makes an answer of one algorithm correct.
#[derive(Debug)]
pub struct Rule {
    /// The algorithm.
    pub algorithm: &'static str,
    /// One line that says which answers are correct.
    pub summary: &'static str,
    pub(super) judge: Judge,
}

/// How an answer is judged, by the kind of its values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Judge {
    /// Where each node points; every pointer is an edge or a self-loop.
    Pointers(fn(&Instance<'_>, &[u32]) -> Result<(), Violation>),
    /// Which nodes are marked.
    Mask(fn(&Instance<'_>, &[bool]) -> Result<(), Violation>),
    /// A number for each node, or one for the graph.
    Scalars(fn(&Instance<'_>, &[f64]) -> Result<(), Violation>),
}

/// Every rule.
pub static ALL: &[&Rule] = &[
    &bfs::RULE,
    &dfs::RULE,
    &dijkstra::RULE,
    &mst::RULE,
    &mis::RULE,
    &eccentricity::RULE,
    &bellman_ford::RULE,
    &components::RULE,
];

impl Rule {
    /// Whether the rule is about outputs like this one.
    pub(super) fn reads(&self, field: &Field) -> bool {
        matches!(
            (self.judge, field.kind),
            (Judge::Pointers(_), Kind::Pointer)
                | (Judge::Mask(_), Kind::Mask)
                | (Judge::Scalars(_), Kind::Scalar)
        )
    }
}
