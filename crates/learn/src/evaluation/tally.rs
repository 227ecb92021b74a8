//! From answers to results.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{EvaluateError, GraphResult, Group, Options, SplitResult, TestSet, answers};
use crate::checkpoint::Checkpoint;
use crate::metrics::{self, Scale};
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
        tallies[answer.set].add(&GraphResult::of(&answer));
        flow = progress();
        flow
    })?;
    if flow.is_break() {
        return Err(EvaluateError::BrokenOff);
    }
    Ok(sets.iter().zip(tallies).map(|(set, tally)| tally.finish(set.name())).collect())
}

/// What is known of a set so far.
#[derive(Debug, Default)]
pub struct Tally {
    all: Counts,
    by_size: BTreeMap<usize, Counts>,
    by_family: BTreeMap<String, Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    graphs: u64,
    steps: u64,
    metrics: Scores,
    valid: Scores,
    violations: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds a graph. Graphs come in the order of the set, so that sums are taken in one order.
    pub fn add(&mut self, graph: &GraphResult) {
        self.all.add(graph);
        self.by_size.entry(graph.n_nodes).or_default().add(graph);
        self.by_family.entry(graph.family.clone()).or_default().add(graph);
    }

    /// The result on the set of this name.
    pub fn finish(self, split: &str) -> SplitResult {
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
    fn add(&mut self, graph: &GraphResult) {
        self.graphs += 1;
        self.steps += graph.steps;
        for measured in &graph.metrics {
            let known = metrics::ALL.iter().find(|metric| metric.name == measured.metric);
            match known.map(|metric| metric.scale) {
                Some(Scale::Outcome) => {
                    self.metrics.add_outcome(&measured.metric, measured.value != 0.0);
                }
                _ => self.metrics.add_number(&measured.metric, measured.value),
            }
        }
        if let Some(is_valid) = graph.valid {
            self.valid.add_outcome(VALID, is_valid);
        }
        if let Some(reason) = &graph.violation {
            *self.violations.entry(reason.clone()).or_default() += 1;
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
