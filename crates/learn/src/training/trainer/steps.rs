//! The steps of one epoch, on batches that are made ahead, with checkpoints in between.

use std::sync::mpsc::Receiver;
use std::time::Instant;

use super::super::ahead::made_ahead;
use super::super::folder::Folder;
use super::super::log::{Record, RunLog, StepSummary};
use super::super::observer::{Observer, StepView};
use super::super::order::shuffled;
use super::super::outcome::TrainError;
use super::super::step::{NotFinite, Pending, StepError, begin};
use super::{Trainer, batch, now};
use crate::batch::Batch;

/// A step's record goes to the log this often.
const STEPS_A_RECORD: u64 = 100;

/// Within an epoch, a checkpoint at least this often.
const SECONDS_A_CHECKPOINT: u64 = 60;

/// A step that was handed to the device.
struct Begun {
    pending: Pending,
    n_graphs: u64,
}

impl Trainer<'_> {
    /// The rest of an epoch; false if the observer stopped it.
    pub(super) fn epoch(
        &mut self,
        folder: &Folder,
        log: &mut RunLog,
        observer: &mut dyn Observer,
    ) -> Result<bool, TrainError> {
        let order = shuffled(self.run.seed, self.progress.epoch, self.n_train);
        let done = order.len().min(self.progress.samples() as usize);
        let left = order[done..].chunks(self.run.training.batch as usize);
        let (train, hints) = (self.train, self.run.hints);
        let made = |indices: &[u32]| batch(&train, indices.iter().map(|&i| u64::from(i)), hints);
        made_ahead(left, made, |batches| self.steps(batches, folder, log, observer))
    }

    /// Steps on batches that are made ahead; false if the observer stopped it.
    fn steps(
        &mut self,
        batches: Receiver<Result<Batch, TrainError>>,
        folder: &Folder,
        log: &mut RunLog,
        observer: &mut dyn Observer,
    ) -> Result<bool, TrainError> {
        let mut saved = Instant::now();
        // The step that a GPU may still be at while the next is handed to it.
        let mut waiting = None;
        for batch in batches {
            let stops = observer.stops();
            if !stops {
                let begun = self.begin(&batch?, waiting.is_some());
                let before = if self.ahead { waiting.replace(begun) } else { Some(begun) };
                self.finish_step(before, log, observer)?;
            }
            let save = saved.elapsed().as_secs() >= SECONDS_A_CHECKPOINT;
            if stops || save {
                self.finish_step(waiting.take(), log, observer)?;
                self.progress.log_records = log.synced()?;
                self.save(&folder.last())?;
                saved = Instant::now();
            }
            if stops {
                return Ok(false);
            }
        }
        self.finish_step(waiting, log, observer)?;
        Ok(true)
    }

    /// Hands the next step to the device, or the one after if one is still `waiting`.
    fn begin(&mut self, batch: &Batch, waiting: bool) -> Begun {
        self.options.optimiser.learning_rate = self.plateau.learning_rate();
        let number = self.progress.step + 1 + u64::from(waiting);
        let pending = begin(&mut self.network, batch, &self.options, number);
        Begun { pending, n_graphs: batch.lengths.len() as u64 }
    }

    /// Waits for a step, if there is one, and tells how it went.
    fn finish_step(
        &mut self,
        begun: Option<Begun>,
        log: &mut RunLog,
        observer: &mut dyn Observer,
    ) -> Result<(), TrainError> {
        let Some(Begun { pending, n_graphs }) = begun else { return Ok(()) };
        let (number, place) = (self.progress.step + 1, self.progress.batch + 1);
        let stepped = pending.finish(&self.network).map_err(|error| match error {
            StepError::NotFinite(what) => self.not_finite(number, place, what),
            StepError::Device(error) => error.into(),
        })?;
        (self.progress.step, self.progress.batch) = (number, place);
        self.progress.epoch_loss.add(stepped.loss, n_graphs);
        if number.is_multiple_of(STEPS_A_RECORD) {
            log.append(
                now(),
                &Record::Step(StepSummary {
                    step: number,
                    epoch: self.progress.epoch,
                    loss: stepped.loss,
                    gradient_norm: stepped.gradient_norm,
                    learning_rate: self.plateau.learning_rate(),
                }),
            )?;
        }
        let n_batches = place + self.batches_left();
        observer.step(&StepView { progress: &self.progress, n_batches, stepped });
        Ok(())
    }

    /// The error of this step and batch of the epoch, both from 1.
    pub(super) fn not_finite(
        &self,
        step: u64,
        batch: u64,
        NotFinite { term, value }: NotFinite,
    ) -> TrainError {
        TrainError::NotFinite { step, epoch: self.progress.epoch + 1, batch, term, value }
    }
}
