//! `salsa predict`: what a trained model answers, one JSON line a graph.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use salsa_learn::evaluation::{Answer, TestSet, answers};
use salsa_learn::validity::Violation;
use salsa_traces::spec::{Location, Spec};
use salsa_traces::trajectory::Values;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::files::WholeFile;
use crate::json::{json_text, print_json};
use crate::progress::Progress;
use crate::trained::{Trained, TrainedArguments};

/// Print what a trained model answers, one JSON line a graph
///
/// A line has the split or file, the index in it, n_nodes, steps, the outputs by name (pointers
/// as node numbers) and whether the answer is valid, which may be so though another one was
/// recorded; if it is not, violation says why. valid is null for algorithms with one answer only.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa predict salsa-runs/bfs-pgn-paper-42 --split er_16 --samples 10
  salsa predict best.safetensors --steps auto --graphs roads.gr --source 3
  salsa predict best.safetensors --split test --out predictions.jsonl")]
pub struct Predict {
    #[command(flatten)]
    trained: TrainedArguments,

    /// The file to write to, complete or not at all [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    split: &'a str,
    index: u64,
    n_nodes: usize,
    steps: usize,
    outputs: Map<String, Value>,
    valid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<&'a Violation>,
}

impl Predict {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let trained = self.trained.load()?;
        let sets = self.trained.sets(&trained)?;
        let Some(path) = &self.out else {
            return predict(&trained, &sets, &mut |line| print_json(out, line));
        };
        let mut file = WholeFile::create(path)?;
        predict(&trained, &sets, &mut |line| file.write_line(&json_text(line)?))?;
        file.finish()
    }
}

/// Gives `write` one line a graph, in order.
fn predict(
    trained: &Trained,
    sets: &[TestSet<'_>],
    write: &mut dyn FnMut(&Line<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let progress = Progress::new(sets.iter().map(TestSet::count).sum(), "predicting");
    let spec = trained.spec();
    let mut written = Ok(());
    answers(&trained.checkpoint, sets, trained.options, &mut |answer| {
        written = write(&line(spec, sets[answer.set].name(), &answer));
        progress.advance(1);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written
}

fn line<'a>(spec: &Spec, split: &'a str, answer: &'a Answer) -> Line<'a> {
    let outputs = spec.outputs().zip(&answer.prediction.outputs);
    Line {
        split,
        index: answer.index,
        n_nodes: answer.n_nodes,
        steps: answer.prediction.steps,
        outputs: outputs
            .map(|(field, values)| (field.name.to_string(), plain(values, field.location)))
            .collect(),
        valid: answer.validity.as_ref().map(Result::is_ok),
        violation: answer.validity.as_ref().and_then(|verdict| verdict.as_ref().err()),
    }
}

/// As the files of samples have them: masks as 0 and 1, one number for a graph.
fn plain(values: &Values, location: Location) -> Value {
    let is_one = location == Location::Graph;
    match values {
        Values::Scalar(values) if is_one => json!(values.first()),
        Values::Mask(values) if is_one => json!(values.first().map(|&value| u8::from(value))),
        Values::Mask(values) => values.iter().map(|&value| u8::from(value)).collect(),
        Values::MaskOne(node) => json!(node),
        Values::Categorical(classes) => json!(classes),
        Values::Scalar(values) => json!(values),
        Values::Pointer(targets) => json!(targets),
    }
}
