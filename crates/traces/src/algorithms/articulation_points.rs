//! Articulation points: the nodes whose removal tears a component apart.
//!
//! A depth-first search from roots 0, 1, 2, ...; one step a discovery and one a finish, of node
//! `u`. Shown are the tree (`pi_h`), discovery numbers (`d`, 0 before) and low-links (`low`). A
//! finishing child that reaches no node above its parent makes the parent a cut (`is_cut_h`), at
//! that step; a root is one once its second child finishes. T = 2n. O(nodes + edges).
//! Reference: Hopcroft and Tarjan, Algorithm 447 (1973); CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::graph::{LowLink, low_link};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("articulation_points", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("low", Location::Node, Kind::Scalar),
    Field::hint("is_cut_h", Location::Node, Kind::Mask),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::output("is_cut", Location::Node, Kind::Mask),
];

/// Articulation points.
#[derive(Debug)]
pub struct ArticulationPoints;

impl Algorithm for ArticulationPoints {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "nodes whose removal disconnects their component"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let pi_h = recorder.pointer("pi_h");
        let d = recorder.scalar("d");
        let low_h = recorder.scalar("low");
        let is_cut_h = recorder.mask("is_cut_h");
        let u = recorder.mask_one("u");

        let mut is_cut = vec![false; graph.n_nodes()];
        let mut root = 0;
        let mut children_of_root = 0;
        low_link(graph, |event| match event {
            LowLink::Discover { node, parent, number } => {
                if node == parent {
                    root = node;
                    children_of_root = 0;
                }
                recorder.set_pointer(pi_h, node, parent);
                recorder.set_scalar(d, node, number.into());
                recorder.set_scalar(low_h, node, number.into());
                recorder.set_one(u, node);
                recorder.end_step();
            }
            LowLink::Lower { node, low } => recorder.set_scalar(low_h, node, low.into()),
            LowLink::Finish { node, parent, low, parent_number } => {
                let parent_cuts_off_node = if node == root {
                    false
                } else if parent == root {
                    children_of_root += 1;
                    children_of_root > 1
                } else {
                    low >= parent_number
                };
                if parent_cuts_off_node && !is_cut[parent as usize] {
                    is_cut[parent as usize] = true;
                    recorder.set_mask(is_cut_h, parent, true);
                }
                recorder.set_one(u, node);
                recorder.end_step();
            }
        });
        recorder.output("is_cut", Values::Mask(is_cut));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    #[test]
    fn a_parent_becomes_a_cut_when_the_child_it_cuts_off_finishes() {
        // 0 - 1
        //  \ /
        //   2 - 3
        let graph = Graph::from_edges(4, &[(0, 1), (0, 2), (1, 2), (2, 3)]).unwrap();
        let options = Options { hints: true, convention: Default::default() };
        let (_, trajectory) =
            execute(&ArticulationPoints, &graph, Inputs::default(), options).unwrap();
        let all = |name: &str| trajectory.hint(name).unwrap().all();
        assert_eq!(all("u"), [0, 1, 2, 3, 3, 2, 1, 0].map(Values::MaskOne));
        // The edge from 2 back to 0 shows at the next step, the discovery of 3.
        let low = [
            [1.0, 0.0, 0.0, 0.0],
            [1.0, 2.0, 0.0, 0.0],
            [1.0, 2.0, 3.0, 0.0],
            [1.0, 2.0, 1.0, 4.0],
            [1.0, 2.0, 1.0, 4.0],
            [1.0, 1.0, 1.0, 4.0],
            [1.0, 1.0, 1.0, 4.0],
            [1.0, 1.0, 1.0, 4.0],
        ];
        assert_eq!(all("low"), low.map(|low| Values::Scalar(low.to_vec())));
        assert_eq!(trajectory.hint("is_cut_h").unwrap().changes_at(4), [(2, 1.0)]);
        assert_eq!(trajectory.hint("is_cut_h").unwrap().n_changes(), 1);
    }

    #[test]
    fn a_root_with_two_children_is_a_cut() {
        // 1 - 0 - 2
        let graph = Graph::from_edges(3, &[(0, 1), (0, 2)]).unwrap();
        let options = Options { hints: false, convention: Default::default() };
        let (_, trajectory) =
            execute(&ArticulationPoints, &graph, Inputs::default(), options).unwrap();
        assert_eq!(trajectory.output("is_cut"), Some(&Values::Mask(vec![true, false, false])));
    }
}
