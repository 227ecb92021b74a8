//! Executions for the tests of this folder: a graph of two triangles and a made-up algorithm with
//! a feature of every location and kind.

use super::Options;
use crate::algorithms::{self, Algorithm};
use crate::convention::Convention;
use crate::execution::{self, ExecuteError, Inputs, Problem, execute};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Trajectory, Values};

static SPEC: Spec = Spec::new("every <kind> & \"more\"", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("color", Location::Node, Kind::Categorical { classes: 3 }),
    Field::hint("mark", Location::Node, Kind::Mask),
    Field::hint("in_queue", Location::Node, Kind::Mask),
    Field::hint("leaf_h", Location::Node, Kind::Mask),
    Field::hint("alive_h", Location::Node, Kind::Mask),
    Field::hint("chosen_h", Location::Node, Kind::Mask),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("f", Location::Node, Kind::Scalar),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::hint("tree_h", Location::Edge, Kind::Mask),
    Field::hint("flow_h", Location::Edge, Kind::Scalar),
    Field::hint("time", Location::Graph, Kind::Scalar),
    Field::hint("phase_h", Location::Graph, Kind::Mask),
    Field::output("pi", Location::Node, Kind::Pointer),
    Field::output("chosen", Location::Node, Kind::Mask),
    Field::output("class", Location::Node, Kind::Categorical { classes: 5 }),
    Field::output("rank", Location::Node, Kind::Scalar),
    Field::output("centre", Location::Node, Kind::MaskOne),
    Field::output("bridge", Location::Edge, Kind::Mask),
    Field::output("flow", Location::Edge, Kind::Scalar),
    Field::output("total", Location::Graph, Kind::Scalar),
];

/// 0 - 1 - 2 - 3 - 4 - 5 with 0 - 2 and 3 - 5: two triangles and a bridge.
pub(super) fn triangles() -> Graph {
    let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)];
    Graph::from_edges(6, &edges).unwrap()
}

/// 0 - 1 - 2 - ...
pub(super) fn path(n_nodes: u32) -> Graph {
    let edges: Vec<(u32, u32)> = (1..n_nodes).map(|v| (v - 1, v)).collect();
    Graph::from_edges(n_nodes as usize, &edges).unwrap()
}

/// Walks through the nodes, one a step, and sets something of every kind at each.
struct EveryKind;

impl Algorithm for EveryKind {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "sets something of every kind"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let pi_h = recorder.pointer("pi_h");
        let color = recorder.categorical("color", 3);
        let [mark, in_queue, leaf_h, alive_h, chosen_h, tree_h, phase_h] =
            ["mark", "in_queue", "leaf_h", "alive_h", "chosen_h", "tree_h", "phase_h"]
                .map(|name| recorder.mask(name));
        let [d, f, flow_h, time] = ["d", "f", "flow_h", "time"].map(|name| recorder.scalar(name));
        let current = recorder.mask_one("u");
        recorder.fill_mask(alive_h, true);
        let mut pi: Vec<u32> = graph.nodes().collect();
        for u in graph.nodes() {
            if let Some(&parent) = graph.neighbours(u).first().filter(|&&parent| parent < u) {
                pi[u as usize] = parent;
                recorder.set_pointer(pi_h, u, parent);
            }
            let masks = [mark, in_queue, leaf_h, chosen_h];
            recorder.set_mask(masks[u as usize % 4], u, true);
            recorder.set_mask(alive_h, u, u % 2 == 0);
            recorder.set_mask(tree_h, u, true);
            recorder.set_mask(phase_h, 0, u % 2 == 1);
            recorder.set_category(color, u, (u % 3) as u8);
            recorder.set_scalar(d, u, f64::from(u) * 0.25);
            recorder.set_scalar(f, u, 1.0 / f64::from(u + 1));
            recorder.set_scalar(flow_h, u, 1.0);
            recorder.set_scalar(time, 0, f64::from(u));
            recorder.set_one(current, u);
            recorder.end_step();
        }
        let n_nodes = graph.n_nodes();
        recorder.output("pi", Values::Pointer(pi));
        recorder.output("chosen", Values::Mask((0..n_nodes).map(|u| u % 4 == 3).collect()));
        recorder.output("class", Values::Categorical((0..n_nodes).map(|u| u as u8 % 5).collect()));
        recorder.output("rank", Values::Scalar((0..n_nodes).map(|u| u as f64 / 3.0).collect()));
        recorder.output("centre", Values::MaskOne(2));
        let is_bridge = |(u, v): (u32, u32)| u + v == 5 && u.abs_diff(v) == 1;
        recorder.output("bridge", Values::Mask(graph.entries().map(is_bridge).collect()));
        recorder.output("flow", Values::Scalar(vec![0.5; graph.n_entries()]));
        recorder.output("total", Values::Scalar(vec![f64::INFINITY]));
        Ok(())
    }
}

/// The made-up algorithm on the two triangles.
pub(super) fn every_kind() -> (Graph, Inputs, Trajectory) {
    run(&EveryKind, triangles(), true)
}

/// Breadth-first search from node 0.
pub(super) fn bfs(graph: Graph, hints: bool) -> (Graph, Inputs, Trajectory) {
    run(algorithms::find("bfs").unwrap(), graph, hints)
}

/// Small and light, with labels.
pub(super) fn options() -> Options {
    Options { size: 480.0, ..Options::default() }
}

fn run(algorithm: &dyn Algorithm, graph: Graph, hints: bool) -> (Graph, Inputs, Trajectory) {
    let inputs = Inputs { source: Some(0), randomness: None };
    let options = execution::Options { hints, convention: Convention::default() };
    let (inputs, trajectory) = execute(algorithm, &graph, inputs, options).unwrap();
    (graph, inputs, trajectory)
}
