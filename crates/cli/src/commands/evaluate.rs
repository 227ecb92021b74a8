//! `salsa evaluate`: how good a trained model is, on splits or on graphs of one's own.

use std::io::Write;
use std::ops::ControlFlow;

use clap::Args;
use salsa_learn::evaluation::{Evaluation, TestSet, evaluate};

use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::results_table::{By, results_table};
use crate::trained::{Trained, TrainedArguments};

/// Measure how good a trained model is
///
/// Every answer is compared with the recorded execution of its graph;
/// an answer that differs from it may still be valid, and is counted as such beside. Where the
/// paper has a figure for the same algorithm, model and split, it stands in the table.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa evaluate salsa-runs/bfs-pgn-paper-42
  salsa evaluate salsa-runs/bfs-pgn-paper-42 --split er_16,ws_16 --samples 100
  salsa evaluate best.safetensors --split val --by size --format json
  salsa evaluate best.safetensors --steps auto --graphs roads.gr --source 3")]
pub struct Evaluate {
    #[command(flatten)]
    trained: TrainedArguments,

    /// Split the rows further
    #[arg(long, value_enum, value_name = "PART")]
    by: Option<By>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Evaluate {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let trained = self.trained.load()?;
        let sets = self.trained.sets(&trained)?;
        let progress = Progress::new(sets.iter().map(TestSet::count).sum(), "evaluating");
        let Trained { checkpoint, options, computed, .. } = &trained;
        let splits = evaluate(checkpoint, &sets, *options, &mut || {
            progress.advance(1);
            ControlFlow::Continue(())
        })?;
        drop(progress);
        let (data, computed) = (trained.data(), computed.clone());
        let evaluation = Evaluation::new(checkpoint, data, options.steps, computed, splits);
        if self.format == Format::Json {
            return print_json(out, &evaluation);
        }
        writeln!(out, "{}", results_table(&evaluation, self.by)).map_err(Failure::output)
    }
}
