//! The share of values of a graph that are right.
//!
//! Of nodes for pointers (the best outgoing edge is the true one), masks and classes on nodes; of
//! directed edges, self-loops included, for masks on edges. The one marked node of a graph is
//! right or wrong as a whole. Real numbers are never quite right, so they have none.

use super::{Metric, Scale};
use crate::compared::{Compared, Pairs};

pub(super) static METRIC: Metric = Metric {
    name: "node_accuracy",
    summary: "share of the nodes of a graph that are right",
    scale: Scale::Share,
    of,
};

fn of(compared: &Compared<'_>) -> Option<f64> {
    match compared.pairs() {
        Pairs::Mask(predicted, expected) => Some(share_equal(predicted, expected)),
        Pairs::MaskOne(predicted, expected) => Some(f64::from(u8::from(predicted == expected))),
        Pairs::Categorical(predicted, expected) => Some(share_equal(predicted, expected)),
        Pairs::Pointer(predicted, expected) => Some(share_equal(predicted, expected)),
        Pairs::Scalar(..) => None,
    }
}

fn share_equal<T: PartialEq>(predicted: &[T], expected: &[T]) -> f64 {
    let right =
        predicted.iter().zip(expected).filter(|(predicted, expected)| predicted == expected);
    right.count() as f64 / expected.len() as f64
}
