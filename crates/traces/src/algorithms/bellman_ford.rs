//! Shortest paths from a source by Bellman-Ford, all edges of a round at once.
//!
//! Step 0 shows the source alone. At each next step the nodes that changed at the step before
//! offer their distances to their neighbours; a node takes the smallest offer that is below its
//! distance so far (`d`, `reach_h`) and points to the node it came from (`pi_h`; ties: lowest
//! index). T = 1 + the rounds that changed something. O(edges) a round, only edges out of changed
//! nodes. An undirected edge below 0 is a negative cycle, so such weights are refused.
//! Reference: Cormen et al., chapter Single-source shortest paths; CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("bellman_ford", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::input("weights", Location::Edge, Kind::Scalar),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("reach_h", Location::Node, Kind::Mask),
    Field::output("pi", Location::Node, Kind::Pointer),
];

/// Shortest paths in rounds.
#[derive(Debug)]
pub struct BellmanFord;

impl Algorithm for BellmanFord {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "shortest paths from a source, relaxing all edges of a round at once"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        problem.require_nonnegative_weights(&SPEC.algorithm)?;
        let (graph, s) = (problem.graph, problem.source);
        let pi_h = recorder.pointer("pi_h");
        let d_h = recorder.scalar("d");
        let reach_h = recorder.mask("reach_h");

        const NO_OFFER: (f64, u32) = (f64::INFINITY, u32::MAX);
        let mut d = vec![f64::INFINITY; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        // The best offer to each node in this round: a distance and who offers it.
        let mut offers = vec![NO_OFFER; graph.n_nodes()];
        d[s as usize] = 0.0;
        recorder.set_mask(reach_h, s, true);
        let mut changed = vec![s];
        let mut next = Vec::new();
        while !changed.is_empty() {
            recorder.end_step();

            for &u in &changed {
                for (v, w) in graph.weighted_neighbours(u) {
                    let offer = (d[u as usize] + w, u);
                    let best = &mut offers[v as usize];
                    if offer.0 < d[v as usize] && offer < *best {
                        if *best == NO_OFFER {
                            next.push(v);
                        }
                        *best = offer;
                    }
                }
            }
            for &v in &next {
                let (distance, u) = std::mem::replace(&mut offers[v as usize], NO_OFFER);
                d[v as usize] = distance;
                pi[v as usize] = u;
                recorder.set_mask(reach_h, v, true);
                recorder.set_scalar(d_h, v, distance);
                recorder.set_pointer(pi_h, v, u);
            }
            std::mem::swap(&mut changed, &mut next);
            next.clear();
        }
        recorder.output("pi", Values::Pointer(pi));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    fn run_from_0(graph: &Graph) -> Result<crate::trajectory::Trajectory, ExecuteError> {
        let inputs = Inputs { source: Some(0), randomness: None };
        let options = Options { hints: true, convention: Default::default() };
        execute(&BellmanFord, graph, inputs, options).map(|(_, trajectory)| trajectory)
    }

    #[test]
    fn a_cheaper_detour_replaces_the_direct_edge_a_round_later() {
        // 0 --5-- 2    3
        //  \     /
        //   1   1
        //    \ /
        //     1
        let edges = [(0, 1), (0, 2), (1, 2)];
        let graph = Graph::from_weighted_edges(4, &edges, &[1.0, 5.0, 1.0]).unwrap();
        let trajectory = run_from_0(&graph).unwrap();
        let all = |name: &str| trajectory.hint(name).unwrap().all();
        let distances = [[0.0; 4], [0.0, 1.0, 5.0, 0.0], [0.0, 1.0, 2.0, 0.0]];
        assert_eq!(all("d"), distances.map(|d| Values::Scalar(d.to_vec())));
        let pointers = [[0, 1, 2, 3], [0, 0, 0, 3], [0, 0, 1, 3]];
        assert_eq!(all("pi_h"), pointers.map(|pi| Values::Pointer(pi.to_vec())));
        let reached = [[true, false, false, false], [true, true, true, false]];
        assert_eq!(all("reach_h")[..2], reached.map(|reach| Values::Mask(reach.to_vec())));
    }

    #[test]
    fn of_equal_offers_the_lowest_index_wins() {
        //   2
        //  / \
        // 0   3    all weights 1
        //  \ /
        //   1
        let edges = [(0, 2), (0, 1), (2, 3), (1, 3)];
        let graph = Graph::from_weighted_edges(4, &edges, &[1.0; 4]).unwrap();
        let trajectory = run_from_0(&graph).unwrap();
        assert_eq!(trajectory.output("pi"), Some(&Values::Pointer(vec![0, 0, 0, 1])));
    }

    #[test]
    fn negative_weights_are_refused() {
        let graph = Graph::from_weighted_edges(2, &[(0, 1)], &[-1.0]).unwrap();
        let error = run_from_0(&graph).unwrap_err().to_string();
        assert_eq!(error, "bellman_ford needs weights of at least 0, edge (0, 1) has -1");
    }
}
