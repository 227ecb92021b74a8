//! The squared difference of real numbers, mean over the values of a graph.
//!
//! Of scalars only: one number for each node, or one for the graph. A prediction that is not a
//! number makes it not a number, and the mean over graphs with it: a model that diverged must
//! not look good by being left out.

use super::{Metric, Scale};
use crate::compared::{Compared, Pairs};

pub(super) static METRIC: Metric = Metric {
    name: "squared_error",
    summary: "squared error, mean over the values of a graph",
    scale: Scale::Error,
    of,
};

fn of(compared: &Compared<'_>) -> Option<f64> {
    let Pairs::Scalar(predicted, expected) = compared.pairs() else { return None };
    let squares = predicted.iter().zip(expected).map(|(value, truth)| (value - truth).powi(2));
    Some(squares.sum::<f64>() / expected.len() as f64)
}
