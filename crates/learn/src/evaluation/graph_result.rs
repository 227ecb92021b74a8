//! How good an answer is on one graph: what a result is made of, small enough to be kept.
//!
//! A long evaluation keeps one line for each graph, and one that was interrupted goes on after the
//! last of them with the same end, bit by bit.

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::exact_json;

/// What is known of the answer on one graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphResult {
    /// The sample's index in its set.
    pub index: u64,
    /// Nodes of the graph.
    pub n_nodes: usize,
    /// Where the graph comes from.
    pub family: String,
    /// Steps taken.
    pub steps: u64,
    /// What the metrics say, output by output.
    pub metrics: Vec<MetricValue>,
    /// Whether it is a correct answer; `None` where only the recorded one is.
    pub valid: Option<bool>,
    /// Why it is not.
    pub violation: Option<String>,
}

/// A metric's name and what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricValue {
    /// Its name.
    pub metric: String,
    /// Its value.
    #[serde(with = "exact_json")]
    pub value: f64,
}

impl GraphResult {
    /// What is kept of an answer.
    pub fn of(answer: &Answer) -> Self {
        let metrics = answer.measured.iter().map(|measured| MetricValue {
            metric: measured.metric.name.to_owned(),
            value: measured.value,
        });
        let violation = answer.validity.as_ref().and_then(|verdict| verdict.as_ref().err());
        Self {
            index: answer.index,
            n_nodes: answer.n_nodes,
            family: answer.family.clone(),
            steps: answer.prediction.steps as u64,
            metrics: metrics.collect(),
            valid: answer.validity.as_ref().map(Result::is_ok),
            violation: violation.map(|violation| violation.reason().to_owned()),
        }
    }
}
