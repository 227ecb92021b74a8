//! Prim's spanning tree, grown from a source by the best edge that leaves it.
//!
//! The paper's text asks for the maximum spanning tree, its published code computes the minimum
//! one; the convention decides. O((nodes + edges) log nodes), T = 1 + nodes reachable from the
//! source; the steps are those of [`PriorityFirst`]. Reference: Cormen et al., chapter Minimum
//! spanning trees; CLRS-30.

use super::Algorithm;
use crate::convention::Convention;
use crate::execution::{ExecuteError, Problem};
use crate::priority_first::PriorityFirst;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::Recorder;

static SPEC: Spec = Spec::new("mst", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::input("weights", Location::Edge, Kind::Scalar),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("key", Location::Node, Kind::Scalar),
    Field::hint("mark", Location::Node, Kind::Mask),
    Field::hint("in_queue", Location::Node, Kind::Mask),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::output("pi", Location::Node, Kind::Pointer),
];

/// Prim's algorithm.
#[derive(Debug)]
pub struct Mst;

impl Algorithm for Mst {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "Prim's spanning tree from a source: maximum (paper) or minimum (release)"
    }

    fn published_name(&self) -> &str {
        "mst_prim"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        PriorityFirst {
            value_hint: "key",
            offer: |_, weight| weight,
            largest_first: problem.convention == Convention::Paper,
        }
        .search(problem, recorder);
        Ok(())
    }
}
