//! How good a network is on sets of graphs.

use std::collections::BTreeMap;

use salsa_traces::convention::Convention;
use serde::{Deserialize, Serialize};

use crate::Computed;
use crate::confidence::Summary;

/// Where graphs come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Data {
    /// Splits of a suite.
    Suite {
        /// Its name.
        name: String,
        /// Its version.
        version: u32,
        /// How algorithms are read.
        convention: Convention,
        /// The seed of the samples.
        seed: u64,
    },
    /// Files of graphs.
    Files {
        /// How algorithms are read.
        convention: Convention,
        /// The seed of weights and random values that were not given.
        seed: u64,
    },
}

/// The result on one set of graphs, and what computed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetResult {
    /// The figures.
    #[serde(flatten)]
    pub result: SplitResult,
    /// What computed the answers.
    #[serde(flatten)]
    pub computed: Computed,
}

/// The result on one set of graphs: of all, and by size and family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitResult {
    /// The set's name.
    pub split: String,
    /// All its graphs.
    #[serde(flatten)]
    pub all: Group,
    /// The same by number of nodes; may be left out where there is one size only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_size: BTreeMap<usize, Group>,
    /// The same by where graphs come from; may be left out where there is one family only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_family: BTreeMap<String, Group>,
}

/// The result on some graphs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// How many.
    pub graphs: u64,
    /// What each metric says, mean over graphs.
    pub metrics: BTreeMap<String, Summary>,
    /// The share of correct answers; `None` where only the recorded answer is correct.
    #[serde(default)]
    pub valid: Option<Summary>,
    /// How many answers are wrong for which reason.
    #[serde(default)]
    pub violations: BTreeMap<String, u64>,
    /// Steps taken, mean over graphs; 0 in records from elsewhere that do not say.
    #[serde(default)]
    pub mean_steps: f64,
}

impl Group {
    /// What a metric says; `valid` is the share of correct answers.
    pub fn summary(&self, metric: &str) -> Option<&Summary> {
        match metric {
            "valid" => self.valid.as_ref(),
            metric => self.metrics.get(metric),
        }
    }
}
