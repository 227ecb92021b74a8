//! A whole training: epochs, validation, schedule, checkpoints and logs, and going on after a stop.
//!
//! Everything that decides the next step is in the checkpoint: parameters, the optimiser's memory,
//! the schedule and how far the epoch has come. Samples and their order are functions of seeds. So
//! a run that was killed and resumed ends with the same numbers as one that never stopped. One that
//! goes on with batches of another size cuts the rest of its epoch's order into those, so that every
//! sample still comes once.

mod steps;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, SampleError, Sampler};
use salsa_traces::suite::Suite;

use super::ahead::made_ahead;
use super::early_stopping::{EarlyStopping, Verdict};
use super::folder::Folder;
use super::log::{Ending, EpochSummary, Record, RunLog};
use super::observer::Observer;
use super::outcome::{Outcome, TrainError};
use super::running_loss::RunningLoss;
use super::schedule::Plateau;
use super::step::{NotFinite, StepOptions, validate};
use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, CheckpointError, Progress};
use crate::compute::{Compute, Computed, computed_on};
use crate::evaluation::score;
use crate::network::{Network, NetworkError};
use crate::run::Run;
use crate::scores::Scores;

/// A training under way.
pub struct Trainer<'a> {
    run: Run,
    train: Sampler<'a>,
    validation: Sampler<'a>,
    /// Samples of an epoch, and to validate on.
    n_train: u64,
    n_validation: u64,
    network: Network,
    computed: Computed,
    options: StepOptions,
    progress: Progress,
    plateau: Plateau,
    early_stopping: EarlyStopping,
    /// Whether the next step begins before one is finished.
    ahead: bool,
}

impl<'a> Trainer<'a> {
    /// A training from the start.
    pub fn new(run: &Run, suite: &'a Suite, compute: Compute) -> Result<Self, TrainError> {
        let trainer = Self::with_network(run, suite, Network::new(run, compute)?)?;
        Ok(trainer.on(compute))
    }

    /// A training that goes on from a checkpoint.
    pub fn resume(
        checkpoint: &Checkpoint,
        suite: &'a Suite,
        compute: Compute,
    ) -> Result<Self, TrainError> {
        let network = Network::new(&checkpoint.run, compute)?;
        Ok(Self::resume_with_network(checkpoint, suite, network)?.on(compute))
    }

    /// A training from the start of any network for the run's algorithm, such as one with a
    /// processor of your own.
    pub fn with_network(run: &Run, suite: &'a Suite, network: Network) -> Result<Self, TrainError> {
        let run = run.resolved();
        let progress = Progress::start(&run);
        Self::at(run, suite, network, progress)
    }

    /// A training that goes on from a checkpoint of any network, whose values are taken from it.
    pub fn resume_with_network(
        checkpoint: &Checkpoint,
        suite: &'a Suite,
        mut network: Network,
    ) -> Result<Self, TrainError> {
        network.read(checkpoint).map_err(NetworkError::from)?;
        Self::at(checkpoint.run.clone(), suite, network, checkpoint.progress.clone())
    }

    fn at(
        run: Run,
        suite: &'a Suite,
        network: Network,
        progress: Progress,
    ) -> Result<Self, TrainError> {
        let algorithm = algorithms::find(&run.algorithm).map_err(NetworkError::from)?;
        let seed = run.data_seed.unwrap_or(suite.seed);
        let train = Sampler::new(suite, seed, algorithm, "train")?;
        let validation = Sampler::new(suite, seed, algorithm, "val")?;
        let n_train = train.split().some(run.training.train_samples)?;
        let n_validation = validation.split().some(run.training.validation_samples)?;
        if u32::try_from(n_train).is_err() {
            return Err(TrainError::TooLong { samples: n_train });
        }
        Ok(Self {
            train,
            validation,
            n_train,
            n_validation,
            options: StepOptions::new(&run),
            plateau: Plateau::resume(&run, progress.plateau),
            early_stopping: EarlyStopping::resume(&run, progress.early_stopping),
            computed: computed_on(network.tape.device()),
            ahead: network.tape.device().runs_ahead(),
            network,
            progress,
            run,
        })
    }

    /// With what is known of the device beside its name.
    fn on(mut self, compute: Compute) -> Self {
        self.computed = compute.computed(self.network.tape.device());
        self
    }

    /// The network as it is now.
    pub fn network(&mut self) -> &mut Network {
        &mut self.network
    }

    /// What computes.
    pub fn computed(&self) -> &Computed {
        &self.computed
    }

    /// Whether the next step is handed to the device before one is finished, as by default where
    /// that saves time. One that is stopped then ends a step later.
    pub fn set_ahead(&mut self, ahead: bool) {
        self.ahead = ahead;
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// How many batches a whole epoch has.
    pub fn n_batches(&self) -> u64 {
        self.n_train.div_ceil(self.run.training.batch)
    }

    /// How many steps are left, if nothing ends it early.
    pub fn steps_left(&self) -> u64 {
        match self.run.training.epochs.saturating_sub(self.progress.epoch) {
            0 => 0,
            epochs => self.batches_left() + (epochs - 1) * self.n_batches(),
        }
    }

    /// Batches of this epoch that are not done.
    fn batches_left(&self) -> u64 {
        self.n_train.saturating_sub(self.progress.samples()).div_ceil(self.run.training.batch)
    }

    /// Trains to the end, with checkpoints and logs in a folder.
    pub fn train(
        &mut self,
        folder: &Folder,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, TrainError> {
        let mut log = if self.progress.step == 0 && self.progress.epoch == 0 {
            let mut log = RunLog::create(folder.path(), now())?;
            let (run, computed) = (Box::new(self.run.clone()), self.computed.clone());
            log.append(now(), &Record::Started { step: 0, run, computed })?;
            self.progress.log_records = log.synced()?;
            self.save(&folder.last())?;
            log
        } else {
            let mut log = RunLog::resume(folder.path(), now(), &self.progress)?;
            if log.computed().is_some_and(|before| before != self.computed) {
                let (step, computed) = (self.progress.step, self.computed.clone());
                log.append(now(), &Record::Moved { step, computed })?;
            }
            let (step, batch) = (self.progress.step, self.run.training.batch);
            if log.batch().is_some_and(|before| before != batch) {
                log.append(now(), &Record::Resized { step, batch })?;
                // Whatever happens next, the run has this size from now on.
                self.progress.log_records = log.synced()?;
                self.save(&folder.last())?;
            }
            log
        };
        // Nobody else trains here, as the log has found.
        folder.keep_run(&self.run)?;
        let outcome = self.epochs(folder, &mut log, observer);
        let outcome = outcome.map_err(|error| error.in_batches_of(self.run.training.batch));
        if let Err(error) = &outcome {
            let step = self.progress.step;
            // The error itself matters more than one about the log.
            let _ = log.append(now(), &Record::Failed { step, message: error.to_string() });
        }
        outcome
    }

    fn epochs(
        &mut self,
        folder: &Folder,
        log: &mut RunLog,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, TrainError> {
        while self.progress.epoch < self.run.training.epochs {
            if self.early_stopping.is_over() {
                return self.finish(log, Ending::EarlyStopping);
            }
            let begun = Instant::now();
            if !self.epoch(folder, log, observer)? {
                let Progress { step, epoch, .. } = self.progress;
                log.append(now(), &Record::Interrupted { step, epoch })?;
                return Ok(Outcome::Interrupted);
            }
            let (validation_loss, scores) = self.validate()?;
            // Whatever this epoch's last steps did, it must not get into the last checkpoint.
            if !validation_loss.is_finite() {
                let term = "the validation loss".to_owned();
                return Err(self.not_finite(
                    self.progress.step,
                    self.progress.batch,
                    NotFinite { term, value: validation_loss },
                ));
            }
            let Progress { epoch, step, epoch_loss, .. } = self.progress.clone();
            let summary = EpochSummary {
                step,
                epoch,
                train: epoch_loss.mean().unwrap_or_default(),
                validation_loss,
                validation: means(&scores),
                learning_rate: self.plateau.learning_rate(),
                seconds: begun.elapsed().as_secs_f64(),
            };
            log.append(now(), &Record::Epoch(summary.clone()))?;
            let verdict = self.early_stopping.observe(epoch, validation_loss);
            self.plateau.observe(validation_loss);
            let improved = verdict == Verdict::Improved;
            if improved {
                log.append(now(), &Record::Best { step, epoch, validation_loss })?;
            }
            self.progress.epoch += 1;
            self.progress.batch = 0;
            self.progress.epoch_loss = RunningLoss::default();
            self.progress.plateau = self.plateau.state();
            self.progress.early_stopping = self.early_stopping.state();
            self.progress.log_records = log.synced()?;
            // The best comes first: were the last one there alone, a resumed run would miss it.
            if improved {
                self.save(&folder.best())?;
            }
            self.save(&folder.last())?;
            observer.epoch(&summary, improved);
        }
        self.finish(log, Ending::AllEpochs)
    }

    fn finish(&mut self, log: &mut RunLog, ending: Ending) -> Result<Outcome, TrainError> {
        let Progress { step, epoch, early_stopping, .. } = &self.progress;
        log.append(
            now(),
            &Record::Finished {
                step: *step,
                epochs: *epoch,
                ending,
                best_epoch: early_stopping.best_epoch,
                best_validation_loss: early_stopping.best,
            },
        )?;
        Ok(Outcome::Finished(ending))
    }

    /// The validation loss (output and hidden terms) and how good the predictions are.
    fn validate(&mut self) -> Result<(f64, Scores), TrainError> {
        let count = self.n_validation;
        let size = self.run.training.batch;
        let validation = self.validation;
        let made = |first: u64| -> Result<_, TrainError> {
            let samples = samples(&validation, first..(first + size).min(count), false)?;
            Ok((Batch::new(&samples, false)?, samples))
        };
        made_ahead((0..count).step_by(size as usize), made, |batches| {
            let (mut running, mut scores) = (RunningLoss::default(), Scores::new());
            for made in batches {
                let (batch, samples) = made?;
                let (loss, outputs) = validate(&mut self.network, &batch, self.options.weights)?;
                running.add(loss, samples.len() as u64);
                score(&self.network, &batch, &samples, &outputs, &mut scores)?;
            }
            Ok((running.mean().map_or(f64::NAN, |mean| mean.total), scores))
        })
    }

    /// Writes everything there is to a checkpoint.
    fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let mut checkpoint = Checkpoint::new(&self.run, self.progress.clone());
        self.network.write(&mut checkpoint);
        checkpoint.write(path)
    }
}

fn samples(
    sampler: &Sampler<'_>,
    indices: impl Iterator<Item = u64>,
    hints: bool,
) -> Result<Vec<Sample>, SampleError> {
    indices.map(|index| sampler.sample(index, hints)).collect()
}

/// A batch of samples by number.
pub fn batch(
    sampler: &Sampler<'_>,
    indices: impl Iterator<Item = u64>,
    hints: bool,
) -> Result<Batch, TrainError> {
    Ok(Batch::new(&samples(sampler, indices, hints)?, hints)?)
}

fn means(scores: &Scores) -> BTreeMap<String, f64> {
    scores.summaries().map(|(name, summary)| (name.to_owned(), summary.mean)).collect()
}

/// Seconds since 1970, for curves.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
