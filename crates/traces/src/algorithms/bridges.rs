//! Bridges: the edges whose removal tears a component apart.
//!
//! A depth-first search from roots 0, 1, 2, ...; one step a discovery and one a finish, of node
//! `u`. Shown are the tree (`pi_h`), discovery numbers (`d`, 0 before) and low-links (`low`). The
//! edge to a finishing child that reaches nothing above itself is a bridge (`bridge_h`, both
//! directions, 0 on self-loops), at that step. T = 2n. O(nodes + edges); each bridge found costs
//! a binary search of two rows. Reference: Tarjan, A note on finding the bridges of a graph
//! (1974); CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::graph::{LowLink, low_link};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("bridges", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("low", Location::Node, Kind::Scalar),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::hint("bridge_h", Location::Edge, Kind::Mask),
    Field::output("bridge", Location::Edge, Kind::Mask),
];

/// Bridges.
#[derive(Debug)]
pub struct Bridges;

impl Algorithm for Bridges {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "edges whose removal disconnects their component"
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
        let u = recorder.mask_one("u");
        let bridge_h = recorder.mask("bridge_h");

        let mut bridge = vec![false; graph.n_entries()];
        low_link(graph, |event| match event {
            LowLink::Discover { node, parent, number } => {
                recorder.set_pointer(pi_h, node, parent);
                recorder.set_scalar(d, node, number.into());
                recorder.set_scalar(low_h, node, number.into());
                recorder.set_one(u, node);
                recorder.end_step();
            }
            LowLink::Lower { node, low } => recorder.set_scalar(low_h, node, low.into()),
            LowLink::Finish { node, parent, low, parent_number } => {
                if low > parent_number {
                    for (from, to) in [(parent, node), (node, parent)] {
                        if let Some(arc) = graph.arc(from, to) {
                            let entry = graph.entry(from, arc);
                            bridge[entry] = true;
                            recorder.set_mask(bridge_h, entry as u32, true);
                        }
                    }
                }
                recorder.set_one(u, node);
                recorder.end_step();
            }
        });
        recorder.output("bridge", Values::Mask(bridge));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    #[test]
    fn both_directions_of_a_bridge_show_when_its_lower_end_finishes() {
        // 0 - 1
        //  \ /
        //   2 - 3
        let graph = Graph::from_edges(4, &[(0, 1), (0, 2), (1, 2), (2, 3)]).unwrap();
        let options = Options { hints: true, convention: Default::default() };
        let (_, trajectory) = execute(&Bridges, &graph, Inputs::default(), options).unwrap();
        let entry = |u, v| graph.entries().position(|pair| pair == (u, v)).unwrap() as u32;
        let shown = trajectory.hint("bridge_h").unwrap();
        assert_eq!(shown.changes_at(4), [(entry(2, 3), 1.0), (entry(3, 2), 1.0)]);
        assert_eq!(shown.n_changes(), 2);
    }
}
