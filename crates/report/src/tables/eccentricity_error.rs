//! How far predicted eccentricities are from the true ones.

use super::Kind;
use super::one_metric::{has, one_metric};
use crate::metric::SQUARED_ERROR;

/// How far predicted eccentricities are from the true ones.
pub static KIND: Kind = Kind {
    name: "eccentricity-error",
    summary: "the squared error of eccentricities",
    of: |study| one_metric(&KIND, study, "Squared error of eccentricities", SQUARED_ERROR),
    shows: |_, experiment, metric| {
        metric == SQUARED_ERROR && has(experiment, metric) && experiment.algorithm == "eccentricity"
    },
};
