//! Answers that are correct even where they are not the recorded one, for algorithms with a rule.

use super::Kind;
use super::one_metric::{has, one_metric};
use crate::metric::VALID;

/// Answers that are correct even where they are not the recorded one, for algorithms with a rule.
pub static KIND: Kind = Kind {
    name: "valid",
    summary: "the share of answers that are correct, recorded or not",
    of: |study| one_metric(&KIND, study, "Valid answers", VALID),
    shows: |_, experiment, metric| metric == VALID && has(experiment, metric),
};
