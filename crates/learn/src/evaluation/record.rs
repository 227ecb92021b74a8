//! The result of an evaluation, with everything that decides it.

pub use salsa_records::{Data, Group, SplitResult};
use serde::{Deserialize, Serialize};

use super::Steps;
use crate::checkpoint::Checkpoint;
use crate::compute::Computed;
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
