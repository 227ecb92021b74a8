//! What can be told of a training, as types.
//!
//! Every record has `event`, which says what it is, and `step`, the optimiser steps done by
//! then. Seconds are the only thing in a log that differs between two equal runs.

use std::collections::BTreeMap;

pub use salsa_records::Ending;
use serde::{Deserialize, Serialize};

use crate::compute::Computed;
use crate::exact_json;
use crate::run::Run;
use crate::training::running_loss::LossTerms;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Record {
    /// The first line: everything that decides the run.
    Started {
        /// 0.
        step: u64,
        /// The run, resolved. It is for readers: a run is checked when its file is parsed.
        run: Box<Run>,
        /// What computes.
        #[serde(flatten)]
        computed: Computed,
    },
    /// A resumed training goes on where something else computes.
    Moved {
        /// Optimiser steps done.
        step: u64,
        /// What computes from here on.
        #[serde(flatten)]
        computed: Computed,
    },
    /// A resumed training goes on with batches of another size.
    Resized {
        /// Optimiser steps done.
        step: u64,
        /// Graphs in a batch from here on.
        batch: u64,
    },
    /// A batch was trained on; only some are told.
    Step(StepSummary),
    /// An epoch is over and validated.
    Epoch(EpochSummary),
    /// The epoch's weights are the best so far, and were kept.
    Best {
        /// Optimiser steps done.
        step: u64,
        /// The epoch, from 0.
        epoch: u64,
        /// Its validation loss.
        #[serde(with = "exact_json")]
        validation_loss: f64,
    },
    /// The training is over.
    Finished {
        /// Optimiser steps done.
        step: u64,
        /// Epochs done.
        epochs: u64,
        /// Why.
        ending: Ending,
        /// The best epoch, from 0.
        best_epoch: Option<u64>,
        /// The lowest validation loss.
        #[serde(with = "exact_json::option")]
        best_validation_loss: Option<f64>,
    },
    /// The training was told to stop and can be resumed.
    Interrupted {
        /// Optimiser steps done.
        step: u64,
        /// The epoch that was under way, from 0.
        epoch: u64,
    },
    /// The training cannot go on.
    Failed {
        /// Optimiser steps done.
        step: u64,
        /// Why.
        message: String,
    },
}

/// A batch that was trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepSummary {
    /// Optimiser steps done, this one included.
    pub step: u64,
    /// The epoch, from 0.
    pub epoch: u64,
    /// The loss of this batch.
    pub loss: LossTerms,
    /// The norm of the gradient before clipping.
    #[serde(with = "exact_json")]
    pub gradient_norm: f64,
    /// The learning rate of this step.
    #[serde(with = "exact_json")]
    pub learning_rate: f64,
}

/// An epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochSummary {
    /// Optimiser steps done.
    pub step: u64,
    /// The epoch, from 0.
    pub epoch: u64,
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
    /// How long it took; since resuming, if it was resumed.
    pub seconds: f64,
}

impl Record {
    /// Optimiser steps done when it was told.
    pub fn step(&self) -> u64 {
        match self {
            Self::Step(summary) => summary.step,
            Self::Epoch(summary) => summary.step,
            Self::Started { step, .. }
            | Self::Moved { step, .. }
            | Self::Resized { step, .. }
            | Self::Best { step, .. }
            | Self::Finished { step, .. }
            | Self::Interrupted { step, .. }
            | Self::Failed { step, .. } => *step,
        }
    }

    /// The points that it adds to curves; none for most records.
    pub fn scalars(&self) -> Vec<(String, f64)> {
        match self {
            Self::Step(summary) => {
                let mut points = terms("step", &summary.loss);
                points.push(("step/gradient_norm".to_owned(), summary.gradient_norm));
                points.push(("step/learning_rate".to_owned(), summary.learning_rate));
                points
            }
            Self::Epoch(summary) => {
                let mut points = terms("train", &summary.train);
                points.push(("train/learning_rate".to_owned(), summary.learning_rate));
                points.push(("train/seconds".to_owned(), summary.seconds));
                points.push(("validation/loss".to_owned(), summary.validation_loss));
                let metrics = summary.validation.iter();
                points.extend(metrics.map(|(name, value)| (format!("validation/{name}"), *value)));
                points
            }
            _ => Vec::new(),
        }
    }
}

fn terms(group: &str, loss: &LossTerms) -> Vec<(String, f64)> {
    let LossTerms { total, output, hints, hidden } = *loss;
    [("total", total), ("output", output), ("hints", hints), ("hidden", hidden)]
        .map(|(name, value)| (format!("{group}/{name}"), value))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(record: &Record) -> Record {
        serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap()
    }

    fn epoch() -> EpochSummary {
        EpochSummary {
            step: 1250,
            epoch: 0,
            train: LossTerms { total: 0.75, output: 0.5, hints: 0.0, hidden: 25.0 },
            validation_loss: 0.625,
            validation: BTreeMap::from([("pi/node_accuracy".to_owned(), 0.9)]),
            learning_rate: 0.0004239,
            seconds: 1.5,
        }
    }

    #[test]
    fn an_epoch_is_one_flat_line() {
        let text = serde_json::to_string(&Record::Epoch(epoch())).unwrap();
        assert_eq!(
            text,
            "{\"event\":\"epoch\",\"step\":1250,\"epoch\":0,\
             \"train\":{\"total\":0.75,\"output\":0.5,\"hints\":0.0,\"hidden\":25.0},\
             \"validation_loss\":0.625,\"validation\":{\"pi/node_accuracy\":0.9},\
             \"learning_rate\":0.0004239,\"seconds\":1.5}"
        );
    }

    #[test]
    fn every_record_comes_back_and_knows_its_step() {
        let mut diverged = epoch();
        diverged.validation_loss = f64::INFINITY;
        diverged.train.total = 0.1 + 0.2;
        let loss = diverged.train;
        let records = [
            Record::Started {
                step: 7,
                run: Box::new(Run::default().resolved()),
                computed: Computed { device: "H200".into(), precision: Some("tf32".into()) },
            },
            Record::Moved { step: 7, computed: Computed { device: "cpu".into(), precision: None } },
            Record::Resized { step: 7, batch: 4 },
            Record::Step(StepSummary {
                step: 7,
                epoch: 1,
                loss,
                gradient_norm: f64::NEG_INFINITY,
                learning_rate: 1e-9,
            }),
            Record::Epoch(EpochSummary { step: 7, ..diverged }),
            Record::Best { step: 7, epoch: 1, validation_loss: 1e-300 },
            Record::Finished {
                step: 7,
                epochs: 2,
                ending: Ending::EarlyStopping,
                best_epoch: None,
                best_validation_loss: Some(f64::INFINITY),
            },
            Record::Interrupted { step: 7, epoch: 1 },
            Record::Failed { step: 7, message: "the loss is no number\n".to_owned() },
        ];
        for record in records {
            assert_eq!(round_trip(&record), record);
            assert_eq!(record.step(), 7);
            assert!(!serde_json::to_string(&record).unwrap().contains('\n'));
        }
    }

    #[test]
    fn an_epoch_adds_a_point_to_each_of_its_curves() {
        let names: Vec<String> =
            Record::Epoch(epoch()).scalars().into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "train/total",
                "train/output",
                "train/hints",
                "train/hidden",
                "train/learning_rate",
                "train/seconds",
                "validation/loss",
                "validation/pi/node_accuracy",
            ]
        );
        assert_eq!(Record::Interrupted { step: 1, epoch: 0 }.scalars(), []);
    }
}
