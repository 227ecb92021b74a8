//! One trained network and how good it is.
//!
//! What decides the figures and the figures themselves are equal in two records of the same cell,
//! bit by bit, however often the work was interrupted. What may differ (durations, the machine)
//! stands apart under `circumstances`, so that two records can be compared without it.
//!
//! Fields that only a training of this program has are optional, so that results from elsewhere
//! can be told in the same words.

use std::collections::BTreeMap;

use salsa_traces::convention::Convention;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Data, SetResult, Training};

/// The version of the schema that is written; whoever changes the meaning of a field raises it.
pub const SCHEMA: u32 = 1;

/// One line of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The name of the sweep; empty where there was none.
    #[serde(default)]
    pub sweep: String,
    /// The cell's name, which no other cell of the sweep has.
    #[serde(default)]
    pub cell: String,
    /// The BLAKE3 hash of everything that was asked for, to tell a cell from one of the same
    /// name with other settings.
    #[serde(default)]
    pub fingerprint: String,
    /// The algorithm, by its own name.
    pub algorithm: String,
    /// The model: the processor's name, or that of a model from elsewhere.
    pub model: String,
    /// Whether the states between input and output were learned.
    #[serde(default)]
    pub hints: bool,
    /// How model and data are read where the paper and its code disagree.
    #[serde(default)]
    pub convention: Convention,
    /// The seed of first weights and of shuffling.
    pub seed: u64,
    /// The version of the program.
    #[serde(default)]
    pub code_version: String,
    /// Every setting of the training, as in a run file.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub run: Map<String, Value>,
    /// How the training went.
    #[serde(default)]
    pub training: Option<Training>,
    /// The weights that were evaluated.
    #[serde(default)]
    pub checkpoint: Option<CheckpointFile>,
    /// Where the graphs come from.
    #[serde(default)]
    pub data: Option<Data>,
    /// When the network stopped on a graph: `recorded`, `auto` or a number.
    #[serde(default = "recorded")]
    pub steps: String,
    /// The result on each set of graphs, in the order asked for.
    pub evaluation: Vec<SetResult>,
    /// What may differ between two records of the same work.
    #[serde(default)]
    pub circumstances: Circumstances,
}

/// A checkpoint and what its bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointFile {
    /// Its path from the sweep's folder.
    pub path: String,
    /// The BLAKE3 hash of the file, hexadecimal.
    pub blake3: String,
    /// Its length.
    pub bytes: u64,
}

/// What may differ between two records of the same work.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    /// How long each epoch took, in order; of one that was interrupted, the part after it.
    pub epoch_seconds: Vec<f64>,
    /// How long each set took to evaluate, by name, interruptions left out.
    pub evaluation_seconds: BTreeMap<String, f64>,
    /// The machine that finished it.
    pub host: String,
    /// Threads of the CPU it was given there.
    pub threads: u64,
    /// How often the work was taken up: 1 without an interruption.
    pub attempts: u64,
    /// When it was finished, in seconds since 1970.
    pub finished: f64,
}

impl Record {
    /// The record without what may differ between two of the same work.
    pub fn without_circumstances(&self) -> Self {
        Self { circumstances: Circumstances::default(), ..self.clone() }
    }

    /// The result on a set.
    pub fn set(&self, name: &str) -> Option<&SetResult> {
        self.evaluation.iter().find(|set| set.result.split == name)
    }

    /// The mean of a metric on a set; `valid` is the share of correct answers.
    pub fn mean(&self, set: &str, metric: &str) -> Option<f64> {
        self.set(set)?.result.all.summary(metric).map(|summary| summary.mean)
    }
}

fn recorded() -> String {
    "recorded".to_owned()
}
