//! Whether everything of a graph is right: 1 or 0.
//!
//! A number is right when it rounds to the recorded one, so this is meant for whole numbers such
//! as eccentricities; a recorded number that is not whole must be met exactly.

use super::{Metric, Scale};
use crate::compared::{Compared, Pairs};

pub(super) static METRIC: Metric = Metric {
    name: "graph_accuracy",
    summary: "whether every value of a graph is right",
    scale: Scale::Outcome,
    of,
};

fn of(compared: &Compared<'_>) -> Option<f64> {
    let is_right = match compared.pairs() {
        Pairs::Mask(predicted, expected) => predicted == expected,
        Pairs::MaskOne(predicted, expected) => predicted == expected,
        Pairs::Categorical(predicted, expected) => predicted == expected,
        Pairs::Pointer(predicted, expected) => predicted == expected,
        Pairs::Scalar(predicted, expected) => {
            predicted.iter().zip(expected).all(|(&value, &truth)| is_rounded_to(value, truth))
        }
    };
    Some(f64::from(u8::from(is_right)))
}

/// Whether `value`, rounded, is `truth`. Halves go to the even neighbour, as PyTorch rounds.
pub(crate) fn is_rounded_to(value: f64, truth: f64) -> bool {
    value.round_ties_even() == truth || value == truth
}
