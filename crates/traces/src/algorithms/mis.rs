//! A maximal independent set by local minima of random values (Fast MIS 2).
//!
//! In each phase an alive node joins the set when its value is below those of all alive
//! neighbours (among equal values the higher index wins); it and its neighbours then die. A phase
//! is two steps, before and after, so T = 2 * phases, O(log nodes) with high probability.
//! O((nodes + edges) * phases). Reference: Wattenhofer, Mastering Distributed Algorithms, chapter
//! Maximal independent set; paper, algorithm 1.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("mis", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::input("randomness", Location::Node, Kind::Scalar),
    Field::hint("Ain_h", Location::Edge, Kind::Mask),
    Field::hint("alive_h", Location::Node, Kind::Mask),
    Field::hint("phase_h", Location::Graph, Kind::Mask),
    Field::hint("inmis_h", Location::Node, Kind::Mask),
    Field::output("inmis", Location::Node, Kind::Mask),
];

/// The distributed maximal independent set.
#[derive(Debug)]
pub struct Mis;

impl Algorithm for Mis {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "maximal independent set by random values, in phases of two steps"
    }

    fn published_name(&self) -> &str {
        "fast_mis"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let ain_h = recorder.mask("Ain_h");
        let alive_h = recorder.mask("alive_h");
        let phase_h = recorder.mask("phase_h");
        let inmis_h = recorder.mask("inmis_h");
        recorder.fill_mask(alive_h, true);
        recorder.fill_mask(ain_h, true);
        for u in graph.nodes() {
            recorder.set_mask(ain_h, graph.loop_entry(u) as u32, false);
        }
        recorder.expect(2 * graph.n_nodes() + 2 * graph.n_edges(), 0);
        // Only the hint on edges needs to know the other direction of an arc.
        let reverse = if recorder.records_hints() { graph.reverse_arcs() } else { Vec::new() };

        let mut in_mis = vec![false; graph.n_nodes()];
        let mut is_alive = vec![true; graph.n_nodes()];
        let mut alive: Vec<u32> = graph.nodes().collect();
        let mut joining = Vec::new();
        for phase in 0.. {
            recorder.set_mask(phase_h, 0, false);
            recorder.end_step();

            let value = problem.randomness.phase(phase, graph.n_nodes())?;
            let beats = |u: u32, v: u32| {
                let (of_u, of_v) = (value[u as usize], value[v as usize]);
                of_u < of_v || (of_u == of_v && u > v)
            };
            joining.clear();
            joining.extend(alive.iter().copied().filter(|&u| {
                graph.neighbours(u).iter().all(|&v| !is_alive[v as usize] || beats(u, v))
            }));
            let mut die = |u: u32, is_alive: &mut [bool]| {
                is_alive[u as usize] = false;
                recorder.set_mask(alive_h, u, false);
                if reverse.is_empty() {
                    return;
                }
                for arc in graph.arcs(u) {
                    let v = graph.target(arc);
                    if is_alive[v as usize] {
                        recorder.set_mask(ain_h, graph.entry(u, arc) as u32, false);
                        let back = graph.entry_between(v, reverse[arc] as usize, u);
                        recorder.set_mask(ain_h, back as u32, false);
                    }
                }
            };
            for &u in &joining {
                in_mis[u as usize] = true;
                die(u, &mut is_alive);
            }
            for &u in &joining {
                for &v in graph.neighbours(u) {
                    if is_alive[v as usize] {
                        die(v, &mut is_alive);
                    }
                }
            }
            joining.iter().for_each(|&u| recorder.set_mask(inmis_h, u, true));
            recorder.set_mask(phase_h, 0, true);
            recorder.end_step();
            alive.retain(|&u| is_alive[u as usize]);
            if alive.is_empty() {
                break;
            }
        }
        recorder.output("inmis", Values::Mask(in_mis));
        Ok(())
    }
}
