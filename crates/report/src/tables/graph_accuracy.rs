//! Graph accuracy of all algorithms, with and without hints.

use super::Kind;
use super::one_metric::{has, one_metric};
use crate::metric::GRAPH_ACCURACY;

/// Graph accuracy of all algorithms, with and without hints.
pub static KIND: Kind = Kind {
    name: "graph-accuracy",
    summary: "the share of graphs that are right in every node",
    of: |study| one_metric(&KIND, study, "Graph accuracy", GRAPH_ACCURACY),
    shows: |_, experiment, metric| metric == GRAPH_ACCURACY && has(experiment, metric),
};
