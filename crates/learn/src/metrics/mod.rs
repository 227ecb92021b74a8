//! How well a prediction fits what was recorded, one metric a file.
//!
//! A metric looks at one output of one graph and gives one number, or none where it means nothing
//! for that kind of values. Numbers of graphs are averaged afterwards, each graph counting once
//! whatever its size ([`crate::scores`]). Adding a metric is a file and a line in [`ALL`].

mod graph_accuracy;
mod node_accuracy;
mod node_f1;
mod squared_error;

pub use crate::compared::{Compared, Mismatch};
pub(crate) use graph_accuracy::is_rounded_to;

use serde::Serialize;

/// A way to compare a prediction with the recorded output.
#[derive(Debug)]
pub struct Metric {
    /// The name in files and tables.
    pub name: &'static str,
    /// One line for `salsa list`.
    pub summary: &'static str,
    /// Which values it takes, and which of them are good.
    pub scale: Scale,
    /// The value for one graph; `None` where the metric means nothing for this kind of values.
    pub of: fn(&Compared<'_>) -> Option<f64>,
}

/// The values a metric takes for one graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// 0 or 1, where 1 is best: its mean is the share of graphs that are right.
    Outcome,
    /// From 0 to 1, where 1 is best.
    Share,
    /// From 0 up, where 0 is best.
    Error,
}

/// What a metric gives for one graph.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// The metric.
    pub metric: &'static Metric,
    /// Its value.
    pub value: f64,
}

/// Every metric.
pub static ALL: &[&Metric] =
    &[&node_accuracy::METRIC, &graph_accuracy::METRIC, &node_f1::METRIC, &squared_error::METRIC];

/// Every metric that means something for these values, in the order of [`ALL`].
///
/// ```
/// use salsa_learn::metrics::{Compared, measure};
/// use salsa_traces::trajectory::Values;
/// let predicted = Values::Pointer(vec![0, 0, 2, 2]);
/// let expected = Values::Pointer(vec![0, 0, 1, 2]);
/// let measured: Vec<(&str, f64)> = measure(&Compared::new(&predicted, &expected)?)
///     .map(|measured| (measured.metric.name, measured.value))
///     .collect();
/// assert_eq!(measured, [("node_accuracy", 0.75), ("graph_accuracy", 0.0)]);
/// # Ok::<(), salsa_learn::metrics::Mismatch>(())
/// ```
pub fn measure(compared: &Compared<'_>) -> impl Iterator<Item = Measured> {
    let of = |metric: &'static Metric| Some(Measured { metric, value: (metric.of)(compared)? });
    ALL.iter().copied().filter_map(of)
}
