//! One training and its evaluation.

use salsa_learn::evaluation::Steps;
use salsa_learn::run::Run;
use salsa_traces::suite::Suite;

use super::EvaluationSet;

/// One training and its evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    name: String,
    run: Run,
    sets: Vec<EvaluationSet>,
    /// The place of its suite among the plan's.
    pub(super) suite: usize,
    fingerprint: String,
    /// Samples of the suite's split for training.
    train_samples: u64,
}

impl Cell {
    /// A resolved run and what it is evaluated on.
    pub(super) fn new(
        run: Run,
        sets: Vec<EvaluationSet>,
        steps: Steps,
        suite: (usize, &Suite),
    ) -> Self {
        let hints = if run.hints { "-hints" } else { "" };
        let Run { algorithm, model, convention, seed, .. } = &run;
        let name = format!("{algorithm}-{}-{}{hints}-{seed}", model.processor, convention.name());
        let mut hash = blake3::Hasher::new();
        hash.update(run.to_toml().as_bytes());
        hash.update(format!("{sets:?} {steps}").as_bytes());
        hash.update(suite.1.text.as_bytes());
        let fingerprint = hash.finalize().to_hex().to_string();
        let train_samples = suite.1.split("train").map_or(0, |split| split.samples);
        Self { name, run, sets, suite: suite.0, fingerprint, train_samples }
    }

    /// The name of its files, which no other cell of the sweep has.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its name begins as one of these; all do where there are none.
    pub fn is_one_of(&self, beginnings: &[String]) -> bool {
        beginnings.is_empty() || beginnings.iter().any(|begin| self.name.starts_with(begin))
    }

    /// The training, resolved.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What its best weights are evaluated on.
    pub fn sets(&self) -> &[EvaluationSet] {
        &self.sets
    }

    /// A hash of everything that decides its record.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Optimiser steps at most.
    pub fn n_steps(&self) -> u64 {
        let training = &self.run.training;
        let samples = training.train_samples.unwrap_or(self.train_samples).min(self.train_samples);
        training.epochs * samples.div_ceil(training.batch)
    }

    /// How many graphs it is evaluated on.
    pub fn n_graphs(&self) -> u64 {
        self.sets.iter().map(|set| set.graphs).sum()
    }
}
