//! Depth-first search through the whole graph, step by step.
//!
//! Roots are 0, 1, 2, ..., neighbours are taken in ascending order. Every node costs three
//! steps, so T = 3n: it becomes current (as a root, or along a tree edge), it is discovered, it
//! is finished. The stack shows as a chain of pointers in the graph itself (`s_prev`, from
//! `s_last`), which is what makes it visible to a model; here it is a vector, not the call stack.
//! O(nodes + edges). Reference: Cormen et al., chapter Depth-first search; CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::graph::Row;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("dfs", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("color", Location::Node, Kind::Categorical { classes: 3 }),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("f", Location::Node, Kind::Scalar),
    Field::hint("s_prev", Location::Node, Kind::Pointer),
    Field::hint("s", Location::Node, Kind::MaskOne),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::hint("v", Location::Node, Kind::MaskOne),
    Field::hint("s_last", Location::Node, Kind::MaskOne),
    Field::hint("time", Location::Graph, Kind::Scalar),
    Field::output("pi", Location::Node, Kind::Pointer),
];

/// White, the color of a node not met yet, is 0.
const GREY: u8 = 1;
const BLACK: u8 = 2;

/// One tick of the clock; the time is the accumulated sum, as in CLRS, not a multiple.
const TICK: f64 = 0.01;

/// Depth-first search.
#[derive(Debug)]
pub struct Dfs;

impl Algorithm for Dfs {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "depth-first search forest, roots and neighbours in index order"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let pi_h = recorder.pointer("pi_h");
        let color_h = recorder.categorical("color", 3);
        let d_h = recorder.scalar("d");
        let f_h = recorder.scalar("f");
        let s_prev_h = recorder.pointer("s_prev");
        let s_h = recorder.mask_one("s");
        let u_h = recorder.mask_one("u");
        let v_h = recorder.mask_one("v");
        let s_last_h = recorder.mask_one("s_last");
        let time_h = recorder.scalar("time");

        recorder.expect(15 * graph.n_nodes(), 3 * graph.n_nodes());

        let last_node = graph.n_nodes() as u32 - 1;
        let mut is_white = vec![true; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        // The nodes from the root to the one above u, each with the edges it has not looked at.
        let mut stack: Vec<(u32, Row<'_>)> = Vec::new();
        let mut time = 0.0;

        for s in graph.nodes() {
            if !is_white[s as usize] {
                continue;
            }
            is_white[s as usize] = false;
            recorder.record([s_h.to(s), u_h.to(s), v_h.to(s), s_last_h.to(s)]);
            recorder.set_category(color_h, s, GREY);
            let (mut u, mut edges) = (s, graph.edges_of(s));
            'discovery: loop {
                time += TICK;
                recorder.record([time_h.to(0, time), d_h.to(u, time), u_h.to(u)]);
                loop {
                    // A tree edge to the first white neighbour; those passed over stay so.
                    if let Some(edge) = edges.find(|edge| is_white[edge.target() as usize]) {
                        let v = edge.target();
                        is_white[v as usize] = false;
                        pi[v as usize] = u;
                        recorder.record([
                            pi_h.back(edge),
                            s_prev_h.back(edge),
                            color_h.to(v, GREY),
                            s_last_h.to(v),
                            v_h.to(v),
                        ]);
                        stack.push((u, edges));
                        (u, edges) = (v, graph.edges_of(v));
                        continue 'discovery;
                    }
                    time += TICK;
                    recorder.record([
                        time_h.to(0, time),
                        f_h.to(u, time),
                        color_h.to(u, BLACK),
                        // A left-over loop variable of CLRS, part of the data ever since.
                        v_h.to(last_node),
                    ]);
                    let Some((above, its_edges)) = stack.pop() else { break 'discovery };
                    recorder.note([s_prev_h.none(u), s_last_h.to(above), u_h.to(above)]);
                    (u, edges) = (above, its_edges);
                }
            }
        }
        recorder.output("pi", Values::Pointer(pi));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithms::find;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    #[test]
    fn a_path_of_a_million_nodes_does_not_overflow_the_stack() {
        let n_nodes = 1_000_000;
        let edges: Vec<(u32, u32)> = (1..n_nodes).map(|v| (v - 1, v)).collect();
        let path = Graph::from_edges(n_nodes as usize, &edges).unwrap();
        let options = Options { hints: true, convention: Default::default() };
        let dfs = find("dfs").unwrap();
        let (_, trajectory) = execute(dfs, &path, Inputs::default(), options).unwrap();
        assert_eq!(trajectory.length, 3 * n_nodes);
    }
}
