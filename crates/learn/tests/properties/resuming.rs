//! Stopping anywhere and going on ends where a training that never stopped does, byte by byte; going
//! on with batches of another size leaves no sample out and takes none twice.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use salsa_engine::device::Memory;
use salsa_engine::reference::Reference;
use salsa_learn::checkpoint::{Checkpoint, Group, Progress};
use salsa_learn::model::processors;
use salsa_learn::network::Network;
use salsa_learn::run::Run;
use salsa_learn::training::log::{Ending, Record, RunLog, json_lines};
use salsa_learn::training::order::shuffled;
use salsa_learn::training::running_loss::{LossTerms, RunningLoss};
use salsa_learn::training::step::{StepOptions, step};
use salsa_learn::training::trainer::batch;
use salsa_learn::training::{
    Changes, Folder, Observer, Outcome, Plan, StepView, Trainer, Unobserved,
};
use salsa_traces::algorithms;
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;

use crate::cases::tested;

/// Three epochs of three batches.
pub fn tiny(processor: &str, hints: bool) -> Run {
    let mut run = Run { hints, ..Run::default() };
    run.model.processor = processor.to_owned();
    run.model.hidden = 8;
    run.training.epochs = 3;
    run.training.train_samples = Some(22);
    run.training.validation_samples = Some(10);
    run.training.learning_rate = Some(0.01);
    run.training.plateau_patience = 0;
    run
}

/// Stops before the step after each of these.
struct StopsAfter<'a> {
    steps: &'a BTreeSet<u64>,
    reached: Option<u64>,
}

impl Observer for StopsAfter<'_> {
    fn step(&mut self, view: &StepView<'_>) {
        self.reached = Some(view.progress.step);
    }
    fn stops(&self) -> bool {
        self.reached.is_some_and(|step| self.steps.contains(&step))
    }
}

/// What a training left: both checkpoints, and the log without the clock.
#[derive(PartialEq)]
pub struct Left {
    last: Vec<u8>,
    best: Vec<u8>,
    pub log: Vec<Record>,
}

pub fn left(folder: &Folder) -> Left {
    let mut log = json_lines::read(&folder.path().join(RunLog::FILE)).unwrap();
    for record in &mut log {
        if let Record::Epoch(summary) = record {
            summary.seconds = 0.0;
        }
    }
    Left {
        last: std::fs::read(folder.last()).unwrap(),
        best: std::fs::read(folder.best()).unwrap(),
        log,
    }
}

/// A training from the start that finishes each step before the next, so that it can be stopped at
/// any of them.
fn from_the_start<'a>(run: &Run, suite: &'a Suite) -> Trainer<'a> {
    let mut trainer = Trainer::new(run, suite, tested()).unwrap();
    trainer.set_ahead(false);
    trainer
}

/// The same from where the folder stands.
pub fn resumed<'a>(folder: &Folder, suite: &'a Suite) -> Trainer<'a> {
    let checkpoint = Checkpoint::read(&folder.last(), &processors::names()).unwrap();
    let mut trainer = Trainer::resume(&checkpoint, suite, tested()).unwrap();
    trainer.set_ahead(false);
    trainer
}

/// A training without a stop.
pub fn straight(run: &Run, at: &Path) -> Left {
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(at);
    let mut trainer = from_the_start(run, &suite);
    let outcome = trainer.train(&folder, &mut Unobserved).unwrap();
    assert_eq!(outcome, Outcome::Finished(Ending::AllEpochs));
    left(&folder)
}

/// A training up to a stop after `step`.
pub fn stopped_once<'a>(run: &Run, suite: &'a Suite, folder: &Folder, step: u64) -> Trainer<'a> {
    let mut trainer = from_the_start(run, suite);
    let mut observer = StopsAfter { steps: &BTreeSet::from([step]), reached: None };
    assert_eq!(trainer.train(folder, &mut observer).unwrap(), Outcome::Interrupted);
    trainer
}

/// A training that stops after each of `steps`, and how often it stopped.
fn stopped(run: &Run, at: &Path, steps: &BTreeSet<u64>) -> (Left, usize) {
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(at);
    let mut trainer = from_the_start(run, &suite);
    let mut stops = 0;
    loop {
        let mut observer = StopsAfter { steps, reached: None };
        match trainer.train(&folder, &mut observer).unwrap() {
            Outcome::Finished(_) => return (left(&folder), stops),
            Outcome::Interrupted => stops += 1,
        }
        let log = json_lines::read(&folder.path().join(RunLog::FILE)).unwrap();
        assert!(matches!(log.last(), Some(Record::Interrupted { .. })));
        trainer = resumed(&folder, &suite);
    }
}

fn ends_the_same(run: &Run, steps: &BTreeSet<u64>) {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = straight(run, whole.path());
    let (found, stops) = stopped(run, parts.path(), steps);
    // After the last step there is nothing left to stop.
    assert_eq!(stops, steps.iter().filter(|step| **step < 9).count());
    assert_eq!(found.log, expected.log);
    assert!(found.last == expected.last, "last.safetensors after {steps:?}");
    assert!(found.best == expected.best, "best.safetensors after {steps:?}");
}

#[test]
fn stopping_after_every_step_changes_nothing() {
    for kind in processors::ALL {
        for hints in [false, true] {
            ends_the_same(&tiny(kind.name, hints), &(1..=9).collect());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 40, ..ProptestConfig::default() })]
    #[test]
    fn stopping_anywhere_changes_nothing(
        steps in prop::collection::btree_set(1_u64..=9, 0..5),
        processor in 0..processors::ALL.len(),
        seed: u64,
    ) {
        let run = Run { seed, ..tiny(processors::ALL[processor].name, false) };
        ends_the_same(&run, &steps);
    }
}

/// Stops before anything is done.
struct Never;

impl Observer for Never {
    fn stops(&self) -> bool {
        true
    }
}

#[test]
fn a_training_that_was_stopped_before_its_first_step_goes_on() {
    let run = tiny("pgn", false);
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = straight(&run, whole.path());
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(parts.path());
    let mut trainer = Trainer::new(&run, &suite, tested()).unwrap();
    for _ in 0..2 {
        assert_eq!(trainer.train(&folder, &mut Never).unwrap(), Outcome::Interrupted);
        trainer = resumed(&folder, &suite);
    }
    trainer.train(&folder, &mut Unobserved).unwrap();
    assert!(left(&folder) == expected);
}

#[test]
fn a_finished_training_that_is_resumed_tells_its_end_once() {
    let run = tiny("gin", false);
    let at = tempfile::tempdir().unwrap();
    let expected = straight(&run, at.path());
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(at.path());
    let outcome = resumed(&folder, &suite).train(&folder, &mut Unobserved).unwrap();
    assert_eq!(outcome, Outcome::Finished(Ending::AllEpochs));
    assert!(left(&folder) == expected);
}

#[test]
fn early_stopping_ends_a_resumed_training_too() {
    let mut run = tiny("pgn", false);
    // A rate that only ruins.
    run.training.learning_rate = Some(10.0);
    run.training.epochs = 50;
    run.training.early_stopping = 2;
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(whole.path());
    let outcome =
        Trainer::new(&run, &suite, tested()).unwrap().train(&folder, &mut Unobserved).unwrap();
    assert_eq!(outcome, Outcome::Finished(Ending::EarlyStopping));
    let (found, _) = stopped(&run, parts.path(), &(1..=150).step_by(4).collect());
    assert!(found == left(&folder));
}

#[test]
fn going_on_where_something_else_computes_is_told() {
    let run = tiny("gin", false);
    let at = tempfile::tempdir().unwrap();
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(at.path());
    stopped_once(&run, &suite, &folder, 4);
    let checkpoint = Checkpoint::read(&folder.last(), &processors::names()).unwrap();
    let kind = processors::find("gin").unwrap();
    let network = Network::with_processor(&run, Box::new(Reference), kind.build).unwrap();
    let mut trainer = Trainer::resume_with_network(&checkpoint, &suite, network).unwrap();
    trainer.train(&folder, &mut Unobserved).unwrap();
    let moved: Vec<(u64, String)> = left(&folder)
        .log
        .into_iter()
        .filter_map(|record| match record {
            Record::Moved { step, computed } => Some((step, computed.name())),
            _ => None,
        })
        .collect();
    assert_eq!(moved, [(4, Reference.name())]);
}

#[test]
fn working_ahead_changes_nothing_and_stops_a_step_later() {
    let run = tiny("pgn", true);
    let suite = Suite::named(run.suite()).unwrap();
    let (whole, ahead) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = straight(&run, whole.path());
    let folder = Folder::new(ahead.path());
    let mut trainer = from_the_start(&run, &suite);
    trainer.set_ahead(true);
    let mut observer = StopsAfter { steps: &BTreeSet::from([4]), reached: None };
    assert_eq!(trainer.train(&folder, &mut observer).unwrap(), Outcome::Interrupted);
    let mut trainer = resumed(&folder, &suite);
    assert_eq!(trainer.progress().step, 5);
    trainer.set_ahead(true);
    trainer.train(&folder, &mut Unobserved).unwrap();
    assert!(left(&folder) == expected);
}

/// Goes on with batches of another size.
fn resized(folder: &Folder, size: u64, observer: &mut dyn Observer) -> Outcome {
    let changes = Changes { batch: Some(size), ..Changes::default() };
    let plan = Plan::resume(folder.path(), changes).unwrap();
    let mut trainer = plan.trainer(tested()).unwrap();
    trainer.set_ahead(false);
    trainer.train(folder, observer).unwrap()
}

/// Steps on batches of these sizes in each epoch, without a trainer: the tensors that they leave,
/// and the mean loss of each epoch.
fn by_hand(run: &Run, epochs: &[&[usize]]) -> (Checkpoint, Vec<LossTerms>) {
    let suite = Suite::named(run.suite()).unwrap();
    let algorithm = algorithms::find(&run.algorithm).unwrap();
    let sampler = Sampler::new(&suite, suite.seed, algorithm, "train").unwrap();
    let mut network = Network::new(run, tested()).unwrap();
    let (options, mut number, mut means) = (StepOptions::new(run), 0, Vec::new());
    for (epoch, sizes) in (0..).zip(epochs) {
        let order = shuffled(run.seed, epoch, 22);
        let (mut rest, mut loss) = (&order[..], RunningLoss::default());
        for &size in *sizes {
            let (indices, later) = rest.split_at(size);
            let indices = indices.iter().map(|&index| u64::from(index));
            let batch = batch(&sampler, indices, run.hints).unwrap();
            number += 1;
            let stepped = step(&mut network, &batch, &options, number).unwrap();
            loss.add(stepped.loss, size as u64);
            rest = later;
        }
        assert!(rest.is_empty());
        means.push(loss.mean().unwrap());
    }
    let mut left = Checkpoint::new(run, Progress::start(run));
    network.write(&mut left);
    (left, means)
}

#[test]
fn batches_of_another_size_take_what_is_left_of_the_epoch() {
    // 22 graphs in two epochs, stopped at each bar:
    //     8 | 5 5 | 3 1
    //     3 3 | 3 3 3 3 3 1
    let sizes: [&[usize]; 2] = [&[8, 5, 5, 3, 1], &[3, 3, 3, 3, 3, 3, 3, 1]];
    for kind in processors::ALL {
        let mut run = tiny(kind.name, true);
        run.training.epochs = 2;
        let at = tempfile::tempdir().unwrap();
        let suite = Suite::named(run.suite()).unwrap();
        let folder = Folder::new(at.path());
        stopped_once(&run, &suite, &folder, 1);
        for (size, step) in [(5, 3), (3, 7)] {
            let mut observer = StopsAfter { steps: &BTreeSet::from([step]), reached: None };
            assert_eq!(resized(&folder, size, &mut observer), Outcome::Interrupted);
        }
        let mut trainer = resumed(&folder, &suite);
        assert_eq!((trainer.run().training.batch, trainer.steps_left()), (3, 6));
        trainer.train(&folder, &mut Unobserved).unwrap();
        assert_eq!((trainer.progress().step, trainer.steps_left()), (13, 0));

        let (expected, means) = by_hand(&run, &sizes);
        let found = Checkpoint::read(&folder.last(), &processors::names()).unwrap();
        for group in Group::ALL {
            assert!(found.tensors(group).eq(expected.tensors(group)), "{} {group:?}", kind.name);
        }
        let written = std::fs::read_to_string(folder.run_file()).unwrap();
        assert!(written.contains("batch = 3\n"), "{written}");
        let (mut told, mut resized) = (Vec::new(), Vec::new());
        for record in left(&folder).log {
            match record {
                Record::Epoch(summary) => told.push(summary.train),
                Record::Resized { step, batch } => resized.push((step, batch)),
                _ => {}
            }
        }
        assert_eq!((told, resized), (means, vec![(1, 5), (3, 3)]));
    }
}

/// Tells the size of batches in the last checkpoint when the first step is over, and how many
/// batches the epoch then has.
struct Looks<'a> {
    folder: &'a Folder,
    seen: Option<(u64, u64)>,
}

impl Observer for Looks<'_> {
    fn step(&mut self, view: &StepView<'_>) {
        self.seen.get_or_insert_with(|| {
            let last = Checkpoint::read(&self.folder.last(), &processors::names()).unwrap();
            (last.run.training.batch, view.n_batches)
        });
    }
}

#[test]
fn another_size_outlives_a_crash_before_the_next_checkpoint() {
    let run = tiny("gin", false);
    let at = tempfile::tempdir().unwrap();
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(at.path());
    stopped_once(&run, &suite, &folder, 4);
    let mut observer = Looks { folder: &folder, seen: None };
    resized(&folder, 2, &mut observer);
    // The second epoch: one batch of 8, seven of 2.
    assert_eq!(observer.seen, Some((2, 8)));
}

#[test]
fn another_size_before_the_first_step_is_that_of_the_whole_run() {
    let run = tiny("pgn", false);
    let mut smaller = run.clone();
    smaller.training.batch = 4;
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = straight(&smaller, whole.path());
    let suite = Suite::named(run.suite()).unwrap();
    let folder = Folder::new(parts.path());
    let outcome = Trainer::new(&run, &suite, tested()).unwrap().train(&folder, &mut Never).unwrap();
    assert_eq!(outcome, Outcome::Interrupted);
    resized(&folder, 4, &mut Unobserved);
    assert!(left(&folder) == expected);
}
