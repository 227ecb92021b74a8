//! The eccentricity of a source by flooding and echoing.
//!
//! The source floods hop counts through the graph; a node with no one left to tell echoes its
//! count back, and a node that has heard from everyone it told echoes the largest count it heard.
//! When the source has heard from all its neighbours, that largest count is its eccentricity.
//! Edges that carry a message down and still wait for an echo form `tree_h`. One step a round,
//! and one before: T = 2 ecc + 2.
//!
//! What a round changes must not be seen within it, so changes to the phase, the tree and the
//! echoes are kept aside and applied at its end. Only nodes with something to do are visited, and
//! each arc enters and leaves the tree once: all rounds together are O((nodes + edges) log nodes),
//! the logarithm for visiting in index order. Reference: paper, algorithm 2.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{MaskHint, Recorder, ScalarHint, Values};

static SPEC: Spec = Spec::new("eccentricity", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::hint("visited_h", Location::Node, Kind::Mask),
    Field::hint("msgphase_h", Location::Node, Kind::Mask),
    Field::hint("floodstate_h", Location::Node, Kind::Scalar),
    Field::hint("echostate_h", Location::Node, Kind::Scalar),
    Field::hint("tree_h", Location::Edge, Kind::Mask),
    Field::hint("leaf_h", Location::Node, Kind::Mask),
    Field::hint("eccentricity_h", Location::Graph, Kind::Scalar),
    Field::output("eccentricity", Location::Graph, Kind::Scalar),
];

/// The distributed eccentricity.
#[derive(Debug)]
pub struct Eccentricity;

impl Algorithm for Eccentricity {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "largest distance from a source, by flooding and echoing"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let s = problem.source;
        let mut network = Network::new(problem.graph, recorder);
        recorder.end_step();
        let mut active = vec![s];
        loop {
            let finished = network.round(s, &mut active, recorder);
            recorder.end_step();
            // A source without neighbours never hears an echo; there is nothing to wait for.
            if finished || problem.graph.degree(s) == 0 {
                break;
            }
        }
        recorder.output("eccentricity", Values::Scalar(vec![f64::from(network.echo[s as usize])]));
        Ok(())
    }
}

/// The state of all nodes and arcs.
struct Network<'g> {
    graph: &'g Graph,
    reverse: Vec<u32>,
    visited: Vec<bool>,
    /// Whether the node has turned from flooding to echoing.
    phase: Vec<bool>,
    leaf: Vec<bool>,
    flood: Vec<u32>,
    echo: Vec<u32>,
    /// By arc.
    tree: Vec<bool>,
    /// For each node u its tree arcs u -> w whose reverse is not in the tree: the echoes it
    /// waits for. A node is ready when there are none.
    waiting: Vec<u32>,
    message: Vec<u32>,
    changes: Changes,
    hints: Hints,
}

/// What a round changes at its end.
#[derive(Default)]
struct Changes {
    /// (arc, whether it is in the tree from now on)
    tree: Vec<(usize, bool)>,
    phase: Vec<u32>,
    /// Echoes as they will be, for the nodes in `echoed`.
    echo: Vec<u32>,
    echoed: Vec<u32>,
}

struct Hints {
    visited: MaskHint,
    phase: MaskHint,
    flood: ScalarHint,
    echo: ScalarHint,
    tree: MaskHint,
    leaf: MaskHint,
    eccentricity: ScalarHint,
}

impl<'g> Network<'g> {
    fn new(graph: &'g Graph, recorder: &mut Recorder<'_>) -> Self {
        let n_nodes = graph.n_nodes();
        let reverse = graph.reverse_arcs();
        Self {
            graph,
            visited: vec![false; n_nodes],
            phase: vec![false; n_nodes],
            leaf: vec![false; n_nodes],
            flood: vec![0; n_nodes],
            echo: vec![0; n_nodes],
            tree: vec![false; reverse.len()],
            reverse,
            waiting: vec![0; n_nodes],
            message: vec![0; n_nodes],
            changes: Changes { echo: vec![0; n_nodes], ..Changes::default() },
            hints: Hints {
                visited: recorder.mask("visited_h"),
                phase: recorder.mask("msgphase_h"),
                flood: recorder.scalar("floodstate_h"),
                echo: recorder.scalar("echostate_h"),
                tree: recorder.mask("tree_h"),
                leaf: recorder.mask("leaf_h"),
                eccentricity: recorder.scalar("eccentricity_h"),
            },
        }
    }

    /// One round over the nodes with something to do, which become those of the next round;
    /// whether the source has heard everything.
    fn round(&mut self, s: u32, active: &mut Vec<u32>, recorder: &mut Recorder<'_>) -> bool {
        active.sort_unstable();
        active.dedup();
        let mut finished = false;
        let mut newly_visited = Vec::new();
        let mut receivers = Vec::new();
        for u in active.drain(..) {
            if !self.visited[u as usize] {
                newly_visited.push(u);
                self.flood_from(u, &mut receivers, recorder);
            } else if self.phase[u as usize] && !self.leaf[u as usize] && self.is_ready(u) {
                if u == s {
                    finished = true;
                    break;
                }
                self.become_leaf(u, recorder);
                self.send_echo(u, self.echo[u as usize]);
            }
        }
        active.clear();

        for u in newly_visited {
            self.visited[u as usize] = true;
            recorder.set_mask(self.hints.visited, u, true);
        }
        self.apply_changes(active, recorder);
        receivers.sort_unstable();
        for u in receivers {
            let message = std::mem::take(&mut self.message[u as usize]);
            if !self.visited[u as usize] {
                self.flood[u as usize] = message;
                recorder.set_scalar(self.hints.flood, u, f64::from(message));
                active.push(u);
            } else if self.is_ready(u) {
                self.turn(u, recorder);
            }
        }
        self.apply_changes(active, recorder);
        for u in std::mem::take(&mut self.changes.echoed) {
            let echo = self.changes.echo[u as usize];
            if self.echo[u as usize] != echo {
                self.echo[u as usize] = echo;
                recorder.set_scalar(self.hints.echo, u, f64::from(echo));
                if u == s {
                    recorder.set_scalar(self.hints.eccentricity, 0, f64::from(echo));
                }
            }
        }
        finished
    }

    /// Tells all unvisited neighbours the next hop count; with no one to tell, turns to echoing.
    fn flood_from(&mut self, u: u32, receivers: &mut Vec<u32>, recorder: &mut Recorder<'_>) {
        let count = self.flood[u as usize] + 1;
        let mut told_someone = false;
        for arc in self.graph.arcs(u) {
            let w = self.graph.target(arc);
            if self.visited[w as usize] {
                continue;
            }
            told_someone = true;
            if self.message[w as usize] == 0 {
                receivers.push(w);
            }
            self.message[w as usize] = self.message[w as usize].max(count);
            self.changes.tree.push((arc, true));
        }
        if !told_someone {
            self.turn(u, recorder);
        }
    }

    /// The flood ends at `u`: it echoes its own count.
    fn turn(&mut self, u: u32, recorder: &mut Recorder<'_>) {
        self.become_leaf(u, recorder);
        self.changes.echo[u as usize] = self.flood[u as usize];
        self.changes.echoed.push(u);
        self.changes.phase.push(u);
        self.send_echo(u, self.flood[u as usize]);
    }

    fn become_leaf(&mut self, u: u32, recorder: &mut Recorder<'_>) {
        if !self.leaf[u as usize] {
            self.leaf[u as usize] = true;
            recorder.set_mask(self.hints.leaf, u, true);
        }
    }

    /// Sends `count` to everyone who told `u` something and was visited.
    fn send_echo(&mut self, u: u32, count: u32) {
        for arc in self.graph.arcs(u) {
            let (p, back) = (self.graph.target(arc), self.reverse[arc] as usize);
            if self.tree[back] && self.visited[p as usize] {
                let echo = &mut self.changes.echo[p as usize];
                *echo = count.max(*echo);
                self.changes.echoed.push(p);
                self.changes.phase.push(p);
                self.changes.tree.push((back, false));
            }
        }
    }

    fn is_ready(&self, u: u32) -> bool {
        self.waiting[u as usize] == 0
    }

    /// Applies what was kept aside; nodes that may have become ready are active next.
    fn apply_changes(&mut self, active: &mut Vec<u32>, recorder: &mut Recorder<'_>) {
        for u in self.changes.phase.drain(..) {
            if !self.phase[u as usize] {
                self.phase[u as usize] = true;
                recorder.set_mask(self.hints.phase, u, true);
                active.push(u);
            }
        }
        for (arc, joins) in self.changes.tree.drain(..) {
            let back = self.reverse[arc] as usize;
            let (u, w) = (self.graph.target(back), self.graph.target(arc));
            self.tree[arc] = joins;
            recorder.set_mask(self.hints.tree, self.graph.entry(u, arc) as u32, joins);
            // With its reverse in the tree, it is the arc w -> u that starts or ends to wait.
            let (waits, waiter) = if self.tree[back] { (!joins, w) } else { (joins, u) };
            let waiting = &mut self.waiting[waiter as usize];
            if waits {
                *waiting += 1;
            } else {
                *waiting -= 1;
                if *waiting == 0 {
                    active.push(waiter);
                }
            }
        }
    }
}
