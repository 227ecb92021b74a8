//! `salsa train`: a model on an algorithm, with checkpoints and logs, to be stopped and resumed.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::model::processors;
use salsa_learn::run::{Run, RunError};
use salsa_learn::training::log::{Ending, EpochSummary};
use salsa_learn::training::{Folder, Observer, Outcome, StepView, Trainer};
use salsa_traces::suite::Suite;

use crate::compute::{ComputeArguments, on_device};
use crate::failure::Failure;

/// Train a model to execute an algorithm
///
/// What is trained comes from a run file, from options, or both; what neither says is as in the
/// paper. The folder gets two checkpoints (best.safetensors by validation loss, last.safetensors
/// to go on from), a log (log.jsonl) and curves for TensorBoard. Ctrl-C saves and stops; --resume
/// goes on as if nothing had happened, also after a crash.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa train --algorithm bfs
  salsa train --algorithm dijkstra --model recgnn --hints --seed 43
  salsa train runs/bfs-pgn.toml --set training.epochs=5 --out /tmp/bfs
  salsa train --resume /tmp/bfs")]
pub struct Train {
    /// A run file; options are laid over it
    #[arg(value_name = "RUN.toml")]
    file: Option<PathBuf>,

    /// Algorithm: bfs, dfs, dijkstra, mst, mis, eccentricity, ... (see salsa list) [default: bfs]
    #[arg(long, short, value_name = "NAME")]
    algorithm: Option<String>,

    /// Model: gin, pgn or recgnn [default: pgn]
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,

    /// Also learn the states between input and output
    #[arg(long)]
    hints: bool,

    /// How the model and the data are read where paper and published code differ: paper or release
    #[arg(long, value_name = "NAME")]
    convention: Option<String>,

    /// Seed of first weights and of shuffling [default: 42]
    #[arg(long)]
    seed: Option<u64>,

    /// Suite with the splits train and val [default: the convention's]
    #[arg(long, value_name = "NAME|FILE")]
    suite: Option<String>,

    /// Size of hidden states [default: 128]
    #[arg(long, value_name = "N")]
    hidden: Option<u64>,

    /// How messages are combined: max, sum or mean [default: max]
    #[arg(long, value_name = "NAME")]
    aggregation: Option<String>,

    /// Processor steps for each recorded step [default: 1]
    #[arg(long, value_name = "N")]
    steps_per_hint: Option<u64>,

    /// Epochs at most [default: 100]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,

    /// Graphs in a batch [default: 8]
    #[arg(long, value_name = "N")]
    batch: Option<u64>,

    /// Learning rate at the start [default: the model's]
    #[arg(long, value_name = "X")]
    learning_rate: Option<f64>,

    /// Any other field of a run file, such as training.clip=0.5
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    fields: Vec<String>,

    /// The folder to write to [default: salsa-runs/ALGORITHM-MODEL-CONVENTION-SEED]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Go on in the folder of a run that was stopped, with --epochs beyond the end it had
    #[arg(long, value_name = "FOLDER", conflicts_with_all = [
        "file", "algorithm", "model", "hints", "convention", "seed", "suite", "hidden",
        "aggregation", "steps_per_hint", "batch", "learning_rate", "fields", "out",
    ])]
    resume: Option<PathBuf>,

    #[command(flatten)]
    compute: ComputeArguments,
}

impl Train {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let stop = stop_on_interrupt()?;
        let compute = self.compute.compute()?;
        if let Some(path) = &self.resume {
            let folder = Folder::new(path);
            let names = processors::names();
            let mut checkpoint = Checkpoint::read(&folder.last(), &names)
                .map_err(|error| Failure::mistake(format!("{error}; is there a run to resume?")))?;
            if let Some(epochs) = self.epochs {
                let line = format!("training.epochs = {epochs}");
                checkpoint.run = checkpoint.run.with("--epochs", &line, &names)?;
            }
            let suite = Suite::named_or_load(checkpoint.run.suite())?;
            let mut trainer = Trainer::resume(&checkpoint, &suite, compute)?;
            if self.epochs.is_some() {
                let run = checkpoint.run.to_toml();
                crate::files::write_whole(&path.join("run.toml"), run.as_bytes())?;
            }
            let outcome = train(&mut trainer, &folder, &stop, out)?;
            return next(path, outcome, out);
        }
        let run = self.settled()?;
        let path = self.out.clone().unwrap_or_else(|| default_folder(&run));
        let folder = Folder::new(&path);
        if folder.last().exists() {
            return Err(Failure::mistake(format!(
                "{} holds a run already; go on with --resume {0}, or choose another --out",
                path.display()
            )));
        }
        let suite = Suite::named_or_load(run.suite())?;
        let mut trainer = Trainer::new(&run, &suite, compute)?;
        std::fs::create_dir_all(&path)
            .map_err(|error| Failure::writing(&path.display().to_string(), &error))?;
        crate::files::write_whole(&path.join("run.toml"), run.to_toml().as_bytes())?;
        let outcome = train(&mut trainer, &folder, &stop, out)?;
        next(&path, outcome, out)
    }

    /// The run file with the options laid over it.
    fn settled(&self) -> Result<Run, Failure> {
        let names = processors::names();
        let mut run = match &self.file {
            Some(file) => Run::load(file, &names)?,
            None => Run::default(),
        };
        let quoted = |value: &String| format!("{value:?}");
        let options = [
            ("--algorithm", "algorithm", self.algorithm.as_ref().map(quoted)),
            ("--model", "model.processor", self.model.as_ref().map(quoted)),
            ("--hints", "hints", self.hints.then(|| "true".to_owned())),
            ("--convention", "convention", self.convention.as_ref().map(quoted)),
            ("--seed", "seed", self.seed.map(|seed| seed.to_string())),
            ("--suite", "suite", self.suite.as_ref().map(quoted)),
            ("--hidden", "model.hidden", self.hidden.map(|n| n.to_string())),
            ("--aggregation", "model.aggregation", self.aggregation.as_ref().map(quoted)),
            (
                "--steps-per-hint",
                "model.steps_per_hint",
                self.steps_per_hint.map(|n| n.to_string()),
            ),
            ("--epochs", "training.epochs", self.epochs.map(|n| n.to_string())),
            ("--batch", "training.batch", self.batch.map(|n| n.to_string())),
            (
                "--learning-rate",
                "training.learning_rate",
                self.learning_rate.map(|rate| format!("{rate:?}")),
            ),
        ];
        for (option, field, value) in options {
            if let Some(value) = value {
                let laid = run.with(option, &format!("{field} = {value}"), &names);
                // The option says which field it is.
                run = laid.map_err(|error| on_option(&error, &format!("{field}: ")))?;
            }
        }
        for field in &self.fields {
            let (name, value) = field.split_once('=').ok_or_else(|| {
                Failure::mistake(format!("--set: expected FIELD=VALUE, found {field:?}"))
            })?;
            // A word that is no TOML value is meant as text.
            let given = format!("{name} = {value}");
            let as_text = format!("{name} = {value:?}");
            let laid = run.with("--set", &given, &names);
            run = match laid {
                Err(_)
                    if value.starts_with(char::is_alphabetic)
                        && value != "true"
                        && value != "false" =>
                {
                    run.with("--set", &as_text, &names)
                }
                laid => laid,
            }
            .map_err(|error| on_option(&error, ""))?;
        }
        Ok(run.resolved())
    }
}

/// A problem of one option: there is only one line, and `known` need not be said.
fn on_option(error: &RunError, known: &str) -> Failure {
    Failure::mistake(error.to_string().replacen(&format!(":1: {known}"), ": ", 1))
}

fn default_folder(run: &Run) -> PathBuf {
    let hints = if run.hints { "-hints" } else { "" };
    let Run { algorithm, model, convention, seed, .. } = run;
    let name = format!("{algorithm}-{}-{}{hints}-{seed}", model.processor, convention.name());
    Path::new("salsa-runs").join(name)
}

/// What to do after a training.
fn next(folder: &Path, outcome: Outcome, out: &mut impl Write) -> Result<(), Failure> {
    let command = match outcome {
        Outcome::Finished(_) => "salsa evaluate",
        Outcome::Interrupted => "salsa train --resume",
    };
    writeln!(out, "{command} {}", folder.display()).map_err(Failure::output)
}

/// Set by the first Ctrl-C; the second ends the process as usual.
pub fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::System(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(stop)
}

/// Trains and tells how it went.
pub fn train(
    trainer: &mut Trainer<'_>,
    folder: &Folder,
    stop: &Arc<AtomicBool>,
    out: &mut impl Write,
) -> Result<Outcome, Failure> {
    let run = trainer.run().clone();
    let parameters = trainer.network().n_parameters();
    writeln!(
        out,
        "{} by {}, {} convention, {}hints, seed {}: {parameters} parameters, {} batches an epoch{}",
        run.algorithm,
        run.model.processor,
        run.convention.name(),
        if run.hints { "" } else { "no " },
        run.seed,
        trainer.n_batches(),
        on_device(trainer.computed()),
    )
    .and_then(|()| out.flush())
    .map_err(Failure::output)?;
    let mut watcher = Watcher::new(trainer, Arc::clone(stop));
    let outcome = trainer.train(folder, &mut watcher)?;
    watcher.bar.finish_and_clear();
    let progress = trainer.progress();
    match outcome {
        Outcome::Finished(ending) => {
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
            writeln!(out, "{why} after {} steps; {best}", progress.step)
        }
        Outcome::Interrupted => {
            writeln!(out, "stopped at step {} of epoch {}", progress.step, progress.epoch + 1)
        }
    }
    .map_err(Failure::output)?;
    Ok(outcome)
}

/// A progress bar over all epochs, and a line for each.
struct Watcher {
    bar: ProgressBar,
    epochs: u64,
    accuracy: Option<f64>,
    stop: Arc<AtomicBool>,
}

impl Watcher {
    fn new(trainer: &Trainer<'_>, stop: Arc<AtomicBool>) -> Self {
        let epochs = trainer.run().training.epochs;
        let bar = ProgressBar::with_draw_target(
            Some(epochs * trainer.n_batches()),
            ProgressDrawTarget::stderr(),
        );
        let style = "{msg} {wide_bar} {per_sec} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_position(trainer.progress().step);
        bar.reset_eta();
        Self { bar, epochs, accuracy: None, stop }
    }
}

impl Observer for Watcher {
    fn step(&mut self, view: &StepView<'_>) {
        self.bar.inc(1);
        if view.progress.step.is_multiple_of(16) {
            let accuracy =
                self.accuracy.map_or(String::new(), |value| format!(" val {:.1}%", 100.0 * value));
            self.bar.set_message(format!(
                "epoch {}/{} loss {:.4}{accuracy}",
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
        let line = format!(
            "epoch {:>3}  train {:.4}  val {:.4}  {} {:.2}%  lr {:.2e}  {:.1} s{}",
            summary.epoch + 1,
            summary.train.total,
            summary.validation_loss,
            name.replace('_', " "),
            100.0 * value,
            summary.learning_rate,
            summary.seconds,
            if improved { "  best" } else { "" },
        );
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            self.bar.println(line);
        } else {
            // Whoever read the lines may be gone; the training goes on.
            let _ = writeln!(stderr, "{line}");
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
