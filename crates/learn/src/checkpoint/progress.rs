//! How far a run has come, apart from its tensors.
//!
//! There is no state of a random generator: the order of samples is a pure function of the run's
//! seed and the epoch, and both are in a checkpoint. The loss of the epoch so far and what the
//! schedule and early stopping remember come back bit for bit, so that a resumed run writes the
//! same log as one that ran through.

use serde::{Deserialize, Serialize};

use crate::run::Run;
use crate::training::early_stopping::EarlyStoppingState;
use crate::training::running_loss::RunningLoss;
use crate::training::schedule::PlateauState;

/// Where a run stands, between two optimiser steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The epoch that is under way, from 0.
    pub epoch: u64,
    /// Batches of that epoch that are done, of whatever size.
    pub batch: u64,
    /// Optimiser steps since the start.
    pub step: u64,
    /// The training loss of that epoch so far.
    pub epoch_loss: RunningLoss,
    /// The learning rate and what it depends on.
    pub plateau: PlateauState,
    /// The best validation loss and how long ago it was.
    pub early_stopping: EarlyStoppingState,
    /// Records in the log; later ones are cut off on resuming.
    pub log_records: u64,
}

impl Progress {
    /// Before the first step of a run.
    pub fn start(run: &Run) -> Self {
        Self {
            epoch: 0,
            batch: 0,
            step: 0,
            epoch_loss: RunningLoss::default(),
            plateau: PlateauState::start(run),
            early_stopping: EarlyStoppingState::default(),
            log_records: 0,
        }
    }

    /// Samples of that epoch that are done: where in its order it goes on. Batches would not say it,
    /// as a resumed run may have others.
    pub fn samples(&self) -> u64 {
        self.epoch_loss.graphs()
    }

    /// The lowest validation loss; `None` before the first validation.
    pub fn best_validation_loss(&self) -> Option<f64> {
        self.early_stopping.best
    }
}
