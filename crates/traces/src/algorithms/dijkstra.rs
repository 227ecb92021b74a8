//! Dijkstra's shortest paths from a source, over weights of at least 0.
//!
//! Each step takes the queued node that is closest to the source and offers its neighbours the
//! way through it. O((nodes + edges) log nodes), T = 1 + nodes reachable from the source; the
//! steps are those of [`PriorityFirst`]. Reference: Cormen et al., chapter Single-source shortest
//! paths; CLRS-30.

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::priority_first::PriorityFirst;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::Recorder;

static SPEC: Spec = Spec::new("dijkstra", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("s", Location::Node, Kind::MaskOne),
    Field::input("A", Location::Edge, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::input("weights", Location::Edge, Kind::Scalar),
    Field::hint("pi_h", Location::Node, Kind::Pointer),
    Field::hint("d", Location::Node, Kind::Scalar),
    Field::hint("mark", Location::Node, Kind::Mask),
    Field::hint("in_queue", Location::Node, Kind::Mask),
    Field::hint("u", Location::Node, Kind::MaskOne),
    Field::output("pi", Location::Node, Kind::Pointer),
];

/// Dijkstra's algorithm.
#[derive(Debug)]
pub struct Dijkstra;

impl Algorithm for Dijkstra {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "shortest-path tree from a source over edge weights"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        problem.require_nonnegative_weights("dijkstra")?;
        PriorityFirst {
            value_hint: "d",
            offer: |distance, weight| distance + weight,
            largest_first: false,
        }
        .search(problem, recorder);
        Ok(())
    }
}
