//! F1 of the nodes of maximal independent sets, as there are more outside than inside.

use super::Kind;
use super::one_metric::{has, one_metric};
use crate::metric::NODE_F1;

/// F1 of the nodes of maximal independent sets, as there are more outside than inside.
pub static KIND: Kind = Kind {
    name: "mis-f1",
    summary: "F1 of maximal independent sets",
    of: |study| one_metric(&KIND, study, "Node F1 of maximal independent sets", NODE_F1),
    shows: |_, experiment, metric| {
        metric == NODE_F1 && has(experiment, metric) && experiment.algorithm == "mis"
    },
};
