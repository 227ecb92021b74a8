//! The demonstration's training, resumed where one was stopped, and its evaluation.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::compute::Compute;
use salsa_learn::evaluation::{self, Data, Evaluation, Options, Steps, TestSet};
use salsa_learn::model::processors;
use salsa_learn::run::Run;
use salsa_learn::training::{Folder, Outcome, Trainer};
use salsa_traces::algorithms::Algorithm;
use salsa_traces::suite::{Role, Split, Suite};

use super::say;
use crate::commands::train::{Screen, ending, introduction, watched};
use crate::failure::Failure;
use crate::files::write_whole;
use crate::progress::Progress;

/// What is trained, and on how many graphs it is tested.
pub struct Lesson {
    hidden: u64,
    epochs: u64,
    train_samples: Option<u64>,
    validation_samples: Option<u64>,
    /// Test graphs of a split, at most, by its number of nodes.
    graphs: fn(u32) -> u64,
}

/// As in the paper, but for a few epochs only.
pub const SHORT: Lesson = Lesson {
    hidden: 128,
    epochs: 10,
    train_samples: None,
    validation_samples: None,
    graphs: |n_nodes| match n_nodes {
        0..=160 => 100,
        161..=800 => 10,
        _ => 5,
    },
};

/// To see that everything works.
pub const TINY: Lesson = Lesson {
    hidden: 8,
    epochs: 2,
    train_samples: Some(64),
    validation_samples: Some(16),
    graphs: |n_nodes| if n_nodes <= 160 { 3 } else { 2 },
};

impl Lesson {
    fn run(&self) -> Run {
        let mut run = Run::default();
        run.model.hidden = self.hidden;
        run.training.epochs = self.epochs;
        run.training.train_samples = self.train_samples;
        run.training.validation_samples = self.validation_samples;
        run.resolved()
    }
}

/// Trains, or goes on with a training of the same run.
pub fn train(
    lesson: &Lesson,
    suite: &Suite,
    path: &Path,
    compute: Compute,
    stop: &Arc<AtomicBool>,
    out: &mut impl Write,
) -> Result<Outcome, Failure> {
    let (run, folder) = (lesson.run(), Folder::new(path));
    let mut trainer = match Checkpoint::read(&folder.last(), &processors::names()) {
        Ok(checkpoint) if checkpoint.run == run => Trainer::resume(&checkpoint, suite, compute)?,
        _ => {
            write_whole(&path.join("run.toml"), run.to_toml().as_bytes())?;
            Trainer::new(&run, suite, compute)?
        }
    };
    say(out, &introduction(&mut trainer))?;
    let outcome = watched(&mut trainer, &folder, &Screen::new(stop))?;
    say(out, &ending(outcome, trainer.progress()))?;
    Ok(outcome)
}

/// Evaluates the best epoch on some graphs of every test set.
pub fn evaluate(
    lesson: &Lesson,
    suite: &Suite,
    algorithm: &dyn Algorithm,
    path: &Path,
    compute: Compute,
    stop: &AtomicBool,
) -> Result<Evaluation, Failure> {
    let checkpoint = Checkpoint::of_trained(path)?;
    let count = |split: &Split| (lesson.graphs)(split.graphs.nodes.max()).min(split.samples);
    let sets: Vec<TestSet<'_>> = suite
        .splits
        .iter()
        .filter(|split| split.role() == Role::Test)
        .map(|split| TestSet::split(suite, suite.seed, algorithm, &split.name, Some(count(split))))
        .collect::<Result<_, _>>()?;
    let progress = Progress::new(sets.iter().map(TestSet::count).sum(), "evaluating");
    let options = Options { steps: Steps::Recorded, compute };
    let splits = evaluation::evaluate(&checkpoint, &sets, options, &mut || {
        progress.advance(1);
        if stop.load(Ordering::Relaxed) {
            // Nothing is lost but these results.
            std::process::exit(130);
        }
        ControlFlow::Continue(())
    })?;
    let data = Data::Suite {
        name: suite.name.clone(),
        version: suite.version,
        convention: suite.convention,
        seed: suite.seed,
    };
    Ok(Evaluation::new(&checkpoint, data, options.steps, compute.try_out()?, splits))
}
