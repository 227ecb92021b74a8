//! `salsa predict`: what a trained model answers, one JSON line a graph.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use salsa_learn::evaluation::{Answer, TestSet, answers};
use salsa_traces::spec::{Location, Spec};
use salsa_traces::trajectory::Values;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::files::WholeFile;
use crate::json::print_json;
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

impl Predict {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let trained = self.trained.load()?;
        let sets = self.trained.sets(&trained)?;
        let Some(path) = &self.out else {
            return predict(&trained, &sets, &mut |line| print_json(out, &line));
        };
        let mut file = WholeFile::create(path)?;
        predict(&trained, &sets, &mut |line| file.write_line(&line.to_string()))?;
        file.finish()
    }
}

/// Gives `write` one object a graph, in order.
fn predict(
    trained: &Trained,
    sets: &[TestSet<'_>],
    write: &mut dyn FnMut(Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let progress = Progress::new(sets.iter().map(TestSet::count).sum(), "predicting");
    let spec = trained.spec();
    let mut written = Ok(());
    answers(&trained.checkpoint, sets, trained.options, &mut |answer| {
        written = write(line(spec, sets[answer.set].name(), &answer));
        progress.advance(1);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written
}

fn line(spec: &Spec, split: &str, answer: &Answer) -> Value {
    let outputs: Map<String, Value> = spec
        .outputs()
        .zip(&answer.prediction.outputs)
        .map(|(field, values)| (field.name.to_string(), plain(values, field.location)))
        .collect();
    let mut line = json!({
        "split": split,
        "index": answer.index,
        "n_nodes": answer.n_nodes,
        "steps": answer.prediction.steps,
        "outputs": outputs,
        "valid": answer.validity.as_ref().map(Result::is_ok),
    });
    if let Some(Err(violation)) = &answer.validity {
        line["violation"] = json!(violation);
    }
    line
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
