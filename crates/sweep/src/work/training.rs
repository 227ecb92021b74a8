//! The training of a cell.

use std::path::Path;

use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::model::processors;
use salsa_learn::training::log::{EpochSummary, Record, RunLog, json_lines};
use salsa_learn::training::{Folder, Observer, Outcome, StepView, Trainer};
use salsa_records::{Ending, Epoch, Training};
use salsa_traces::files::write_whole;
use serde::{Deserialize, Serialize};

use super::{Event, Work, WorkError};

/// What is kept of a training that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Trained {
    pub training: Training,
    pub epoch_seconds: Vec<f64>,
}

const TRAINED: &str = "trained.json";

impl Work<'_> {
    /// The training of the cell, brought to its end; `None` if it was stopped.
    pub(super) fn trained(&self, place: &Path) -> Result<Option<Trained>, WorkError> {
        let kept = place.join(TRAINED);
        if let Some(trained) = std::fs::read(&kept).ok().and_then(|text| parse(&text)) {
            return Ok(Some(trained));
        }
        let folder = Folder::new(place);
        let suite = self.folder.plan().suite(self.cell);
        let begun = match folder.last().exists() {
            true => Some(Checkpoint::read(&folder.last(), &processors::names())?),
            false => None,
        };
        let mut trainer = match begun {
            Some(checkpoint) => Trainer::resume(&checkpoint, suite, self.compute)?,
            None => Trainer::new(self.cell.run(), suite, self.compute)?,
        };
        self.watcher.event(Event::Training {
            step: trainer.progress().step,
            epochs: trainer.run().training.epochs,
            n_batches: trainer.n_batches(),
        });
        let Outcome::Finished(ending) = trainer.train(&folder, &mut Told(self))? else {
            return Ok(None);
        };
        let parameters = trainer.network().n_parameters() as u64;
        let trained = told(place, ending, parameters, &trainer)?;
        let text =
            serde_json::to_vec(&trained).map_err(|error| WorkError::System(error.to_string()))?;
        write_whole(&kept, &text).map_err(|error| WorkError::file(&kept, &error))?;
        Ok(Some(trained))
    }
}

fn parse(text: &[u8]) -> Option<Trained> {
    serde_json::from_slice(text).ok()
}

/// What the log tells of a training that is over.
fn told(
    place: &Path,
    ending: Ending,
    parameters: u64,
    trainer: &Trainer<'_>,
) -> Result<Trained, WorkError> {
    let (mut computed, mut curve, mut epoch_seconds) = (Vec::new(), Vec::new(), Vec::new());
    for record in json_lines::read(&place.join(RunLog::FILE))? {
        match record {
            Record::Started { computed: by, .. } | Record::Moved { computed: by, .. } => {
                computed.push(by);
            }
            Record::Epoch(summary) => {
                epoch_seconds.push(summary.seconds);
                curve.push(point(summary));
            }
            _ => {}
        }
    }
    let progress = trainer.progress();
    if curve.len() as u64 != progress.epoch {
        let told = format!("{} of {} epochs are in the log", curve.len(), progress.epoch);
        return Err(WorkError::Damaged(told));
    }
    Ok(Trained {
        training: Training {
            ending,
            epochs: progress.epoch,
            steps: progress.step,
            best_epoch: progress.early_stopping.best_epoch,
            best_validation_loss: progress.best_validation_loss(),
            parameters,
            computed,
            curve,
        },
        epoch_seconds,
    })
}

fn point(summary: EpochSummary) -> Epoch {
    Epoch {
        epoch: summary.epoch,
        step: summary.step,
        train: summary.train,
        validation_loss: summary.validation_loss,
        validation: summary.validation,
        learning_rate: summary.learning_rate,
    }
}

/// Passes on what a training tells.
struct Told<'a>(&'a Work<'a>);

impl Observer for Told<'_> {
    fn step(&mut self, view: &StepView<'_>) {
        self.0.watcher.event(Event::Step(view));
    }

    fn epoch(&mut self, summary: &EpochSummary, _improved: bool) {
        self.0.watcher.event(Event::Epoch(summary));
    }

    fn stops(&self) -> bool {
        self.0.stops()
    }
}
