//! The result of an evaluation, with everything that decides it.

use std::collections::BTreeMap;

use salsa_traces::convention::Convention;
use serde::{Deserialize, Serialize};

use super::Steps;
use crate::checkpoint::Checkpoint;
use crate::compute::Computed;
use crate::confidence::Summary;
use crate::exact_json;
use crate::run::Run;

/// How good a network is on some sets of graphs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The version of this program.
    pub code_version: String,
    /// The training, resolved.
    pub run: Run,
    /// How far it had come.
    pub trained: Trained,
    /// Where the graphs come from.
    pub data: Data,
    /// When the network stops.
    pub steps: Steps,
    /// What computed.
    #[serde(flatten)]
    pub computed: Computed,
    /// The result on each set, in the order asked for.
    pub splits: Vec<SplitResult>,
}

/// How long the evaluated weights were trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Epochs done.
    pub epochs: u64,
    /// Optimiser steps done.
    pub steps: u64,
    /// The lowest validation loss until then.
    #[serde(with = "exact_json::option")]
    pub best_validation_loss: Option<f64>,
}

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

/// The result on one set of graphs: of all, and by size and family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitResult {
    /// The set's name.
    pub split: String,
    /// All its graphs.
    #[serde(flatten)]
    pub all: Group,
    /// The same by number of nodes.
    pub by_size: BTreeMap<usize, Group>,
    /// The same by where graphs come from.
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
    pub valid: Option<Summary>,
    /// How many answers are wrong for which reason.
    pub violations: BTreeMap<String, u64>,
    /// Steps taken, mean over graphs.
    pub mean_steps: f64,
}

impl Evaluation {
    /// The results of a checkpoint.
    pub fn new(
        checkpoint: &Checkpoint,
        data: Data,
        steps: Steps,
        computed: Computed,
        splits: Vec<SplitResult>,
    ) -> Self {
        let progress = &checkpoint.progress;
        Self {
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            run: checkpoint.run.resolved(),
            trained: Trained {
                epochs: progress.epoch,
                steps: progress.step,
                best_validation_loss: progress.best_validation_loss(),
            },
            data,
            steps,
            computed,
            splits,
        }
    }
}
