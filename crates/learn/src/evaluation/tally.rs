//! From answers to results.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{Answer, EvaluateError, Group, Options, SplitResult, TestSet, answers};
use crate::checkpoint::Checkpoint;
use crate::scores::Scores;

/// The results of a checkpoint's network on every set; `progress` is told of every graph, and may
/// break off.
pub fn evaluate(
    checkpoint: &Checkpoint,
    sets: &[TestSet<'_>],
    options: Options,
    progress: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<SplitResult>, EvaluateError> {
    let mut tallies: Vec<Tally> = sets.iter().map(|_| Tally::default()).collect();
    let mut flow = ControlFlow::Continue(());
    answers(checkpoint, sets, options, &mut |answer| {
        tallies[answer.set].add(&answer);
        flow = progress();
        flow
    })?;
    if flow.is_break() {
        return Err(EvaluateError::BrokenOff);
    }
    Ok(sets.iter().zip(tallies).map(|(set, tally)| tally.finish(set.name())).collect())
}

/// What is known of a set so far.
#[derive(Default)]
struct Tally {
    all: Counts,
    by_size: BTreeMap<usize, Counts>,
    by_family: BTreeMap<String, Counts>,
}

#[derive(Default)]
struct Counts {
    graphs: u64,
    steps: u64,
    metrics: Scores,
    valid: Scores,
    violations: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, answer: &Answer) {
        self.all.add(answer);
        self.by_size.entry(answer.n_nodes).or_default().add(answer);
        self.by_family.entry(answer.family.clone()).or_default().add(answer);
    }

    fn finish(self, split: &str) -> SplitResult {
        SplitResult {
            split: split.to_owned(),
            all: self.all.finish(),
            by_size: self.by_size.into_iter().map(|(key, counts)| (key, counts.finish())).collect(),
            by_family: self
                .by_family
                .into_iter()
                .map(|(key, counts)| (key, counts.finish()))
                .collect(),
        }
    }
}

impl Counts {
    fn add(&mut self, answer: &Answer) {
        self.graphs += 1;
        self.steps += answer.prediction.steps as u64;
        self.metrics.add(answer.measured.iter().copied());
        if let Some(verdict) = &answer.validity {
            self.valid.add_outcome(VALID, verdict.is_ok());
            if let Err(violation) = verdict {
                *self.violations.entry(violation.reason().to_owned()).or_default() += 1;
            }
        }
    }

    fn finish(self) -> Group {
        let metrics = self.metrics.summaries();
        Group {
            graphs: self.graphs,
            metrics: metrics.map(|(name, summary)| (name.to_owned(), summary)).collect(),
            valid: self.valid.summary(VALID),
            violations: self.violations,
            mean_steps: self.steps as f64 / self.graphs.max(1) as f64,
        }
    }
}

/// The name of the outcome.
const VALID: &str = "valid";
