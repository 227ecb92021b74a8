//! Depth-first search through the whole graph, step by step.
//!
//! Roots are 0, 1, 2, ..., neighbours are taken in ascending order. Every node costs three
//! steps, so T = 3n: it becomes current (as a root, or along a tree edge), it is discovered, it
//! is finished. The stack is a chain of pointers in the graph itself (`s_prev`, from `s_last`),
//! which is what makes it visible to a model, and which needs no call stack here either.
//! O(nodes + edges). Reference: Cormen et al., chapter Depth-first search; CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{MaskOneHint, Recorder, Values};

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

const WHITE: u8 = 0;
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
        let mut u_h = Marker::new(recorder.mask_one("u"));
        let mut v_h = Marker::new(recorder.mask_one("v"));
        let mut s_last_h = Marker::new(recorder.mask_one("s_last"));
        let time_h = recorder.scalar("time");

        // Every node is marked, pointed and coloured about five times in each of its three steps.
        recorder.expect(16 * graph.n_nodes(), 3 * graph.n_nodes());

        let last_node = graph.n_nodes() as u32 - 1;
        let mut color = vec![WHITE; graph.n_nodes()];
        let mut is_discovered = vec![false; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        let mut s_prev = pi.clone();
        let mut next_arc: Vec<u32> = graph.nodes().map(|u| graph.arcs(u).start as u32).collect();
        let mut time = 0.0;

        for s in graph.nodes() {
            if color[s as usize] != WHITE {
                continue;
            }
            let (mut u, mut s_last) = (s, s);
            recorder.set_one(s_h, s);
            u_h.mark(recorder, u);
            v_h.mark(recorder, u);
            s_last_h.mark(recorder, s_last);
            recorder.end_step();
            loop {
                if !is_discovered[u as usize] {
                    is_discovered[u as usize] = true;
                    time += TICK;
                    recorder.set_scalar(time_h, 0, time);
                    recorder.set_scalar(d_h, u, time);
                    if color[u as usize] == WHITE {
                        color[u as usize] = GREY;
                        recorder.set_category(color_h, u, GREY);
                    }
                    u_h.mark(recorder, u);
                    v_h.mark(recorder, u);
                    recorder.end_step();
                }
                if let Some(v) = next_white(graph, u, &color, &mut next_arc) {
                    pi[v as usize] = u;
                    color[v as usize] = GREY;
                    s_prev[v as usize] = s_last;
                    recorder.set_pointer(pi_h, v, u);
                    recorder.set_category(color_h, v, GREY);
                    recorder.set_pointer(s_prev_h, v, s_last);
                    s_last = v;
                    s_last_h.mark(recorder, s_last);
                    u_h.mark(recorder, u);
                    v_h.mark(recorder, v);
                    recorder.end_step();
                    u = v;
                } else {
                    color[u as usize] = BLACK;
                    recorder.set_category(color_h, u, BLACK);
                    time += TICK;
                    recorder.set_scalar(time_h, 0, time);
                    recorder.set_scalar(f_h, u, time);
                    u_h.mark(recorder, u);
                    // A left-over loop variable of CLRS, part of the data ever since.
                    v_h.mark(recorder, last_node);
                    recorder.end_step();
                    if s_prev[u as usize] == u {
                        break;
                    }
                    let below = s_prev[s_last as usize];
                    s_prev[s_last as usize] = s_last;
                    recorder.set_pointer(s_prev_h, s_last, s_last);
                    s_last = below;
                    s_last_h.mark(recorder, s_last);
                    u = s_last;
                }
            }
        }
        recorder.output("pi", Values::Pointer(pi));
        Ok(())
    }
}

/// The lowest white neighbour of `u`. Neighbours passed over never turn white again, so each
/// search goes on where the last one ended.
fn next_white(graph: &Graph, u: u32, color: &[u8], next_arc: &mut [u32]) -> Option<u32> {
    let next = &mut next_arc[u as usize];
    let rest = graph.neighbours(u).len() - (graph.arcs(u).end - *next as usize);
    let mut rest = graph.neighbours(u)[rest..].iter();
    let found = rest.find(|&&v| color[v as usize] == WHITE).copied();
    *next = (graph.arcs(u).end - rest.len()) as u32;
    found
}

/// A marked node that is recorded only when it moves.
struct Marker {
    hint: MaskOneHint,
    node: Option<u32>,
}

impl Marker {
    fn new(hint: MaskOneHint) -> Self {
        Self { hint, node: None }
    }

    fn mark(&mut self, recorder: &mut Recorder<'_>, node: u32) {
        if self.node != Some(node) {
            self.node = Some(node);
            recorder.set_one(self.hint, node);
        }
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
