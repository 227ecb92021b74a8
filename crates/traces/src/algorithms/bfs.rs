//! Breadth-first search from a source, all nodes of a level at once.
//!
//! Step t shows the nodes within distance t of the source (`reach_h`); each points to its
//! lowest-index neighbour one level closer (`pi_h`). T = eccentricity of the source + 1.
//! O(nodes log nodes + edges). Reference: Cormen et al., chapter Breadth-first search; CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("bfs", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("reach_h", Location::Node, Kind::Mask),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::output("pi", Location::Node, Kind::Pointer),
];

/// Breadth-first search.
#[derive(Debug)]
pub struct Bfs;

impl Algorithm for Bfs {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "breadth-first search tree from a source"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let (graph, s) = (problem.graph, problem.source);
        let reach_h = recorder.mask("reach_h");
        let pi_h = recorder.pointer("pi_h");

        recorder.expect(2 * graph.n_nodes(), 0);

        let mut is_reached = vec![false; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        let mut frontier = vec![s];
        let mut next = Vec::new();
        is_reached[s as usize] = true;
        recorder.set_mask(reach_h, s, true);
        while !frontier.is_empty() {
            recorder.end_step();
            for batch in frontier.chunks(32) {
                graph.fetch_rows(batch);
                for &u in batch {
                    for edge in graph.edges_of(u) {
                        let v = edge.target();
                        if !is_reached[v as usize] {
                            is_reached[v as usize] = true;
                            pi[v as usize] = u;
                            next.push(v);
                            recorder.note([reach_h.to(v, true), pi_h.back(edge)]);
                        }
                    }
                }
            }
            std::mem::swap(&mut frontier, &mut next);
            next.clear();
            // In index order, the first to reach a node is its lowest neighbour; and on large
            // graphs the rows are then read from memory in order.
            frontier.sort_unstable();
        }
        recorder.output("pi", Values::Pointer(pi));
        Ok(())
    }
}
