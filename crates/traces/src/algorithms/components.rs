//! Connected components by spreading the smallest label, all nodes of a round at once.
//!
//! Step 0 shows every node with its own index as label. At each next step a node takes the
//! smallest label among its own and its neighbours' of the step before (`label_h`), so in the end
//! a component carries the index of its lowest node. T = 1 + the rounds that changed something.
//! Only neighbours of changed nodes are visited: O(nodes + edges out of changed nodes).
//! Reference: Kang, Tsourakakis and Faloutsos, PEGASUS (2009), HCC.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("components", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("label_h", Location::Node, Kind::Scalar),
    Field::output("label", Location::Node, Kind::Scalar),
];

/// Connected components.
#[derive(Debug)]
pub struct Components;

impl Algorithm for Components {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "connected components by spreading the smallest label"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let label_h = recorder.scalar("label_h");

        let mut label: Vec<u32> = graph.nodes().collect();
        // The labels of the step after this one.
        let mut lowest = label.clone();
        let mut changed: Vec<u32> = graph.nodes().collect();
        let mut next = Vec::new();
        while !changed.is_empty() {
            for &u in &changed {
                recorder.set_scalar(label_h, u, label[u as usize].into());
            }
            recorder.end_step();

            for &u in &changed {
                for &v in graph.neighbours(u) {
                    if label[u as usize] < lowest[v as usize] {
                        if lowest[v as usize] == label[v as usize] {
                            next.push(v);
                        }
                        lowest[v as usize] = label[u as usize];
                    }
                }
            }
            for &v in &next {
                label[v as usize] = lowest[v as usize];
            }
            std::mem::swap(&mut changed, &mut next);
            next.clear();
        }
        recorder.output("label", Values::Scalar(label.into_iter().map(f64::from).collect()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    #[test]
    fn the_smallest_label_spreads_one_edge_a_step() {
        // 2 - 0 - 3 - 1    4
        let graph = Graph::from_edges(5, &[(0, 2), (0, 3), (1, 3)]).unwrap();
        let options = Options { hints: true, convention: Default::default() };
        let (_, trajectory) = execute(&Components, &graph, Inputs::default(), options).unwrap();
        let labels =
            [[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 0.0, 4.0]];
        let shown = trajectory.hint("label_h").unwrap().all();
        assert_eq!(shown, labels.map(|label| Values::Scalar(label.to_vec())));
    }
}
