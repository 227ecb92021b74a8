//! How a network came to be: losses epoch by epoch, and why training ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Computed, exact_json};

/// A training that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Why it is over.
    pub ending: Ending,
    /// Epochs done.
    pub epochs: u64,
    /// Optimiser steps done.
    pub steps: u64,
    /// The epoch with the lowest validation loss, from 0: its weights are evaluated.
    pub best_epoch: Option<u64>,
    /// That loss.
    #[serde(with = "exact_json::option")]
    pub best_validation_loss: Option<f64>,
    /// How many numbers are learned.
    pub parameters: u64,
    /// What computed; several where the training moved.
    pub computed: Vec<Computed>,
    /// Every epoch, in order.
    pub curve: Vec<Epoch>,
}

/// Why a training is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// All epochs are done.
    AllEpochs,
    /// The validation loss did not fall any more.
    EarlyStopping,
}

/// An epoch of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// From 0.
    pub epoch: u64,
    /// Optimiser steps done.
    pub step: u64,
    /// The mean loss over its training batches.
    pub train: LossTerms,
    /// The loss on the validation split: outputs and hidden states.
    #[serde(with = "exact_json")]
    pub validation_loss: f64,
    /// Accuracies and the like on the validation split, by name.
    #[serde(with = "exact_json::map")]
    pub validation: BTreeMap<String, f64>,
    /// The learning rate of its steps.
    #[serde(with = "exact_json")]
    pub learning_rate: f64,
}

/// The loss of a batch, or a mean of such.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossTerms {
    /// What is minimised: the terms below with their weights.
    #[serde(with = "exact_json")]
    pub total: f64,
    /// The outputs' loss.
    #[serde(with = "exact_json")]
    pub output: f64,
    /// The hints' loss; 0 when they are not trained on.
    #[serde(with = "exact_json")]
    pub hints: f64,
    /// The norm of the hidden states.
    #[serde(with = "exact_json")]
    pub hidden: f64,
}
