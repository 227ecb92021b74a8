//! The metrics that records speak of, and what there is to know of each to show it.

use crate::Scale;

/// A metric by its name in records, and how it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Its name in records.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The same where there is little room.
    pub short: &'static str,
    /// How it is shown; errors are numbers, and small ones are good.
    pub scale: Scale,
}

/// The share of nodes that are right.
pub const NODE_ACCURACY: Metric = percent("node_accuracy", "node accuracy", "node acc.");
/// The share of graphs that are right in every node.
pub const GRAPH_ACCURACY: Metric = percent("graph_accuracy", "graph accuracy", "graph acc.");
/// The harmonic mean of precision and recall.
pub const NODE_F1: Metric = percent("node_f1", "node F1", "node F1");
/// How far numbers are from the true ones.
pub const SQUARED_ERROR: Metric = Metric {
    name: "squared_error",
    title: "squared error",
    short: "sq. error",
    scale: Scale::Number,
};
/// The share of correct answers, recorded or not.
pub const VALID: Metric = percent("valid", "valid answers", "valid");

/// Every metric, in the order in which they are shown.
pub const ALL: [Metric; 5] = [NODE_ACCURACY, GRAPH_ACCURACY, NODE_F1, SQUARED_ERROR, VALID];

const fn percent(name: &'static str, title: &'static str, short: &'static str) -> Metric {
    Metric { name, title, short, scale: Scale::Percent }
}

impl Metric {
    /// The metric of a name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|metric| metric.name == name)
    }

    /// Whether one value is better than another; what is no number is never better.
    pub fn is_better(self, value: f64, than: f64) -> bool {
        match self.scale {
            Scale::Percent => value > than,
            Scale::Number => value < than,
        }
    }

    /// Whether it can take a value at all.
    pub fn takes(self, value: f64) -> bool {
        match self.scale {
            Scale::Percent => (0.0..=1.0).contains(&value),
            Scale::Number => value >= 0.0,
        }
    }
}
