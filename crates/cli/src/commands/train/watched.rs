//! What a person sees of a training: what it is, a bar, a line for each epoch, how it ended.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use salsa_learn::checkpoint::Progress;
use salsa_learn::training::log::{Ending, EpochSummary};
use salsa_learn::training::{Folder, Observer, Outcome, StepView, TrainError, Trainer};

use crate::compute::on_device;

/// Where a training is watched, and whether it should stop.
pub struct Screen {
    prefix: String,
    bars: MultiProgress,
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Screen {
    /// For a training alone.
    pub fn new(stop: &Arc<AtomicBool>) -> Self {
        Self::beside("", &MultiProgress::new(), stop)
    }

    /// For one of several trainings, whose lines begin with its name.
    pub fn beside(name: &str, bars: &MultiProgress, stop: &Arc<AtomicBool>) -> Self {
        let prefix = if name.is_empty() { String::new() } else { format!("{name}  ") };
        let (bar, bars) = (bars.add(ProgressBar::new(0)), bars.clone());
        Self { prefix, bars, bar, stop: Arc::clone(stop) }
    }

    /// What its lines begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Prints a line above the bars.
    pub fn tell(&self, line: &str) {
        let mut stderr = std::io::stderr();
        let line = format!("{}{line}", self.prefix);
        // Whoever read the lines may be gone; the training goes on.
        let _ = if stderr.is_terminal() {
            self.bars.println(line)
        } else {
            stderr.write_all(format!("{line}\n").as_bytes())
        };
    }
}

/// What is trained.
pub fn introduction(trainer: &mut Trainer<'_>) -> String {
    let parameters = trainer.network().n_parameters();
    let run = trainer.run();
    format!(
        "{} by {}, {} convention, {}hints, seed {}: {parameters} parameters, {} batches an \
         epoch{}",
        run.algorithm,
        run.model.processor,
        run.convention.name(),
        if run.hints { "" } else { "no " },
        run.seed,
        trainer.n_batches(),
        on_device(trainer.computed()),
    )
}

/// How a training ended that has come so far.
pub fn ending(outcome: Outcome, progress: &Progress) -> String {
    let Outcome::Finished(ending) = outcome else {
        return format!("stopped at step {} of epoch {}", progress.step, progress.epoch + 1);
    };
    let why = match ending {
        Ending::AllEpochs => "all epochs done",
        Ending::EarlyStopping => "the validation loss has stopped falling",
    };
    let best = match (progress.early_stopping.best_epoch, progress.best_validation_loss()) {
        (Some(epoch), Some(loss)) => {
            format!("best epoch {} with validation loss {loss:.4}", epoch + 1)
        }
        _ => "no epoch was validated".to_owned(),
    };
    format!("{why} after {} steps; {best}", progress.step)
}

/// Trains with a bar and a line for each epoch.
pub fn watched(
    trainer: &mut Trainer<'_>,
    folder: &Folder,
    screen: &Screen,
) -> Result<Outcome, TrainError> {
    let mut watcher = Watcher::new(trainer, screen);
    let outcome = trainer.train(folder, &mut watcher);
    screen.bar.finish_and_clear();
    outcome
}

/// A progress bar over all epochs, and a line for each.
struct Watcher<'a> {
    screen: &'a Screen,
    epochs: u64,
    accuracy: Option<f64>,
}

impl<'a> Watcher<'a> {
    fn new(trainer: &Trainer<'_>, screen: &'a Screen) -> Self {
        let epochs = trainer.run().training.epochs;
        let bar = &screen.bar;
        bar.set_length(trainer.progress().step + trainer.steps_left());
        let style = "{msg} {wide_bar} {per_sec} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_position(trainer.progress().step);
        bar.reset_eta();
        Self { screen, epochs, accuracy: None }
    }
}

impl Observer for Watcher<'_> {
    fn step(&mut self, view: &StepView<'_>) {
        self.screen.bar.inc(1);
        if view.progress.step.is_multiple_of(16) {
            let accuracy =
                self.accuracy.map_or(String::new(), |value| format!(" val {:.1}%", 100.0 * value));
            self.screen.bar.set_message(format!(
                "{}epoch {}/{} loss {:.4}{accuracy}",
                self.screen.prefix,
                view.progress.epoch + 1,
                self.epochs,
                view.stepped.loss.total,
            ));
        }
    }

    fn epoch(&mut self, summary: &EpochSummary, improved: bool) {
        let (name, value) = ["node_accuracy", "graph_accuracy"]
            .iter()
            .find_map(|name| Some((*name, *summary.validation.get(*name)?)))
            .unwrap_or(("accuracy", f64::NAN));
        self.accuracy = Some(value);
        self.screen.tell(&format!(
            "epoch {:>3}  train {:.4}  val {:.4}  {} {:.2}%  lr {:.2e}  {:.1} s{}",
            summary.epoch + 1,
            summary.train.total,
            summary.validation_loss,
            name.replace('_', " "),
            100.0 * value,
            summary.learning_rate,
            summary.seconds,
            if improved { "  best" } else { "" },
        ));
    }

    fn stops(&self) -> bool {
        self.screen.stop.load(Ordering::Relaxed)
    }
}
