//! Node accuracy of all algorithms that have it, with and without hints.

use super::Kind;
use super::one_metric::{has, one_metric};
use crate::metric::NODE_ACCURACY;

/// Node accuracy of all algorithms that have it, with and without hints.
pub static KIND: Kind = Kind {
    name: "node-accuracy",
    summary: "the share of nodes that are right, with and without hints",
    of: |study| one_metric(&KIND, study, "Node accuracy", NODE_ACCURACY),
    shows: |_, experiment, metric| metric == NODE_ACCURACY && has(experiment, metric),
};
