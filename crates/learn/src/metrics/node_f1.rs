//! The F1 score of the marked nodes of a graph: the harmonic mean of precision and recall.
//!
//! F1 = 2 TP / (2 TP + FP + FN), and 0 without a true positive, so a graph in which nothing is
//! marked has 0 whatever is predicted. Of masks only; for masks on edges it counts edges.

use super::{Metric, Scale};
use crate::compared::{Compared, Pairs};

pub(super) static METRIC: Metric = Metric {
    name: "node_f1",
    summary: "F1 score of the marked nodes of a graph",
    scale: Scale::Share,
    of,
};

fn of(compared: &Compared<'_>) -> Option<f64> {
    let Pairs::Mask(predicted, expected) = compared.pairs() else { return None };
    let pairs = || predicted.iter().zip(expected);
    let true_positives = pairs().filter(|&(&predicted, &expected)| predicted && expected).count();
    let wrong = pairs().filter(|(predicted, expected)| predicted != expected).count();
    if true_positives == 0 {
        return Some(0.0);
    }
    let twice = 2.0 * true_positives as f64;
    Some(twice / (twice + wrong as f64))
}
