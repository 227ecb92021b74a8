//! The eccentricity of a source by flooding and echoing.
//!
//! The source floods hop counts through the graph; a node with no one further out to tell echoes
//! its count back, and a node that has heard from everyone further out echoes the largest count
//! it heard. When the source has heard from all its neighbours, that largest count is its
//! eccentricity. Edges that carried a message and still wait for an echo form `tree_h`: a node
//! tells everyone who is not closer to the source than itself, so nodes at the same distance tell
//! each other, but wait only for those further out. One step a round, and one before, so
//! T = 2 ecc + 2. O(nodes log nodes + edges), the logarithm for visiting nodes in index order, which is
//! quicker on large graphs. Reference: paper, algorithm 2.

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
        let (graph, s) = (problem.graph, problem.source);
        let mut network = Network::new(graph, s, recorder);
        recorder.end_step();

        let (mut reached, mut ready) = (vec![s], Vec::new());
        // A source without neighbours hears no echo; then there is just nothing more to do.
        while !reached.is_empty() || !ready.is_empty() {
            reached.sort_unstable();
            ready.sort_unstable();
            let is_finished = ready.contains(&s);
            ready.retain(|&u| u != s);
            // What is echoed is what was heard in earlier rounds.
            let counts: Vec<u32> = ready.iter().map(|&u| network.echo[u as usize]).collect();
            network.echo_all(&std::mem::take(&mut ready), &counts, &mut ready, recorder);

            let mut outermost = Vec::new();
            let told = std::mem::take(&mut reached);
            for batch in told.chunks(BATCH) {
                graph.fetch_rows(batch);
                for &u in batch {
                    if !network.flood(u, &mut reached, recorder) {
                        outermost.push(u);
                    }
                }
            }
            // They turn the flood back once all have been told.
            let counts: Vec<u32> = outermost.iter().map(|&u| network.flood[u as usize]).collect();
            for (&u, &count) in outermost.iter().zip(&counts) {
                network.hear(u, count, recorder);
            }
            network.echo_all(&outermost, &counts, &mut ready, recorder);
            recorder.end_step();
            if is_finished {
                break;
            }
        }
        recorder.output("eccentricity", Values::Scalar(vec![f64::from(network.echo[s as usize])]));
        Ok(())
    }
}

/// The state of all nodes.
struct Network<'g> {
    graph: &'g Graph,
    /// Only the hint on edges needs to know the other direction of an arc.
    reverse: Vec<u32>,
    source: u32,
    /// The hop count that reached a node: its distance from the source.
    flood: Vec<u32>,
    /// The largest count it heard.
    echo: Vec<u32>,
    /// How many nodes further out it has yet to hear from.
    waiting: Vec<u32>,
    /// Whether it has heard an echo, or turned the flood back itself.
    phase: Vec<bool>,
    hints: Hints,
}

const UNREACHED: u32 = u32::MAX;

/// Rows to read from memory side by side.
const BATCH: usize = 32;

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
    fn new(graph: &'g Graph, source: u32, recorder: &mut Recorder<'_>) -> Self {
        let n_nodes = graph.n_nodes();
        let mut flood = vec![UNREACHED; n_nodes];
        flood[source as usize] = 0;
        recorder.expect(4 * n_nodes + 3 * graph.n_edges(), 0);
        Self {
            graph,
            reverse: if recorder.records_hints() { graph.reverse_arcs() } else { Vec::new() },
            source,
            flood,
            echo: vec![0; n_nodes],
            waiting: vec![0; n_nodes],
            phase: vec![false; n_nodes],
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

    /// `u` tells its count to all neighbours that are not closer to the source. Those it reaches
    /// first go to `reached`; whether anyone is further out than `u`.
    fn flood(&mut self, u: u32, reached: &mut Vec<u32>, recorder: &mut Recorder<'_>) -> bool {
        recorder.set_mask(self.hints.visited, u, true);
        let count = self.flood[u as usize];
        let mut waiting = 0;
        for arc in self.graph.arcs(u) {
            let w = self.graph.target(arc);
            let of_w = self.flood[w as usize];
            if of_w == UNREACHED {
                self.flood[w as usize] = count + 1;
                recorder.set_scalar(self.hints.flood, w, f64::from(count + 1));
                reached.push(w);
            }
            if of_w >= count {
                recorder.set_mask(self.hints.tree, self.graph.entry(u, arc) as u32, true);
            }
            waiting += u32::from(of_w > count);
        }
        self.waiting[u as usize] = waiting;
        waiting > 0
    }

    /// Each of `senders` sends its count.
    fn echo_all(
        &mut self,
        senders: &[u32],
        counts: &[u32],
        ready: &mut Vec<u32>,
        recorder: &mut Recorder<'_>,
    ) {
        for (batch, counts) in senders.chunks(BATCH).zip(counts.chunks(BATCH)) {
            self.graph.fetch_rows(batch);
            for (&u, &count) in batch.iter().zip(counts) {
                self.send_echo(u, count, ready, recorder);
            }
        }
    }

    /// `u` sends `count` to all who told it something: its neighbours that are not further out.
    /// Those that have then heard from everyone go to `ready`.
    fn send_echo(&mut self, u: u32, count: u32, ready: &mut Vec<u32>, recorder: &mut Recorder<'_>) {
        recorder.set_mask(self.hints.leaf, u, true);
        let of_u = self.flood[u as usize];
        for arc in self.graph.arcs(u) {
            let p = self.graph.target(arc);
            let of_p = self.flood[p as usize];
            if of_p > of_u {
                continue;
            }
            if let Some(&back) = self.reverse.get(arc) {
                let entry = self.graph.entry_between(p, back as usize, u);
                recorder.set_mask(self.hints.tree, entry as u32, false);
            }
            self.hear(p, count, recorder);
            if of_p < of_u {
                self.waiting[p as usize] -= 1;
                if self.waiting[p as usize] == 0 {
                    ready.push(p);
                }
            }
        }
    }

    fn hear(&mut self, u: u32, count: u32, recorder: &mut Recorder<'_>) {
        if !self.phase[u as usize] {
            self.phase[u as usize] = true;
            recorder.set_mask(self.hints.phase, u, true);
        }
        if self.echo[u as usize] < count {
            self.echo[u as usize] = count;
            recorder.set_scalar(self.hints.echo, u, f64::from(count));
            if u == self.source {
                recorder.set_scalar(self.hints.eccentricity, 0, f64::from(count));
            }
        }
    }
}
