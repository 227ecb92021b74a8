//! `salsa bench train`: one training step, its products, and the batches for others to time.
//!
//! Every cell runs in a process of its own, so that its peak memory is its own too. The batches
//! are the first of the train split, the same with every run and those that `--export` writes.

mod cell;
mod learner;
mod side_by_side;
mod step;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use salsa_learn::model::processors;
use salsa_traces::algorithms;

use self::cell::Cell;
use self::step::Step;
use super::own_process::in_own_process;
use super::{Shown, saved, time_for_each};
use crate::arguments::Format;
use crate::compute::ComputeArguments;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::{bytes, table_of};

/// Measure one training step: forward, backward, clipping and AdamW
///
/// On batches of 8 graphs of the release suite's train split, hidden size 128, as the published
/// code trains. The share is that of the fastest dense product the engine does on as many threads,
/// measured in the same run. With --export, another program can time its step on the very same
/// batches and first parameters (see benchmarks/pytorch). With --side-by-side, the last column is
/// the time in which each of the runs makes a step.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa bench train --threads 2
  salsa bench train --device cuda --side-by-side 5
  salsa bench train --algorithm dfs --model pgn --hints yes --seconds 5 --format json
  salsa bench train --export target/batches")]
pub struct Train {
    /// Algorithms, separated by commas
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', default_values = ["bfs", "dijkstra", "dfs"])]
    algorithm: Vec<String>,

    /// Models, separated by commas
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', default_values = ["gin", "pgn", "recgnn"])]
    model: Vec<String>,

    /// With hints, without, or both ways
    #[arg(long, value_enum, default_value_t)]
    hints: Hints,

    /// Different batches, taken in turn
    #[arg(long, value_name = "N", default_value_t = 8)]
    batches: u64,

    /// Seconds for each cell
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,

    /// Also time so many runs at once, which share the device or the threads
    #[arg(long, value_name = "K", conflicts_with = "export")]
    side_by_side: Option<usize>,

    #[command(flatten)]
    compute: ComputeArguments,

    /// Write the batches and first parameters into a folder instead of measuring
    #[arg(long, value_name = "FOLDER", conflicts_with = "from")]
    export: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,

    /// Measure one cell in this process
    #[arg(long, hide = true)]
    one: bool,
}

/// Which training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Hints {
    No,
    Yes,
    #[default]
    Both,
}

impl Train {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.batches == 0 {
            return Err(Failure::mistake("--batches: expected at least 1, found 0"));
        }
        if self.side_by_side == Some(0) {
            return Err(Failure::mistake("--side-by-side: expected at least 1, found 0"));
        }
        if let Some(folder) = &self.export {
            return self.export(folder, out);
        }
        let steps: Vec<Step> = match &self.shown.from {
            Some(file) => saved(file)?,
            None if self.one => {
                let time = time_for_each(self.seconds)?;
                let cell = &self.cells()?[0];
                let compute = self.compute.compute()?;
                let mut step = step::measure(cell, self.batches, compute, time)?;
                if let Some(runs) = self.side_by_side {
                    let together = side_by_side::measure(cell, runs, self.batches, compute, time)?;
                    step.side_by_side = Some(together);
                }
                return print_json(out, &step);
            }
            None => self.measure()?,
        };
        match self.shown.format {
            Format::Json => print_json(out, &steps),
            Format::Text => writeln!(out, "{}", text(&steps)).map_err(Failure::output),
        }
    }

    fn cells(&self) -> Result<Vec<Cell>, Failure> {
        let mut cells = Vec::new();
        for algorithm in &self.algorithm {
            let algorithm = algorithms::find(algorithm)?;
            for model in &self.model {
                let kind = processors::find(model).map_err(Failure::mistake)?;
                let wanted = |hints: &bool| match self.hints {
                    Hints::No => !hints,
                    Hints::Yes => *hints,
                    Hints::Both => true,
                };
                let both = [false, true].into_iter().filter(wanted);
                cells.extend(both.map(|hints| Cell { algorithm, processor: kind.name, hints }));
            }
        }
        Ok(cells)
    }

    fn measure(&self) -> Result<Vec<Step>, Failure> {
        time_for_each(self.seconds)?;
        let cells = self.cells()?;
        let compute = self.compute.words()?;
        let together = self.side_by_side.map(|runs| runs.to_string());
        let progress = Progress::new(cells.len() as u64, "measuring");
        let mut steps: Vec<Step> = Vec::new();
        for cell in cells {
            let cell_words = [
                "train",
                "--algorithm",
                &cell.algorithm.spec().algorithm,
                "--model",
                cell.processor,
                "--hints",
                if cell.hints { "yes" } else { "no" },
                "--batches",
                &self.batches.to_string(),
                "--seconds",
                &self.seconds.to_string(),
            ];
            let mut words: Vec<&str> =
                cell_words.into_iter().chain(compute.iter().map(String::as_str)).collect();
            if let Some(runs) = &together {
                words.extend(["--side-by-side", runs]);
            }
            steps.push(in_own_process(&cell.name(), &words, &[])?);
            progress.advance(1);
        }
        // What disturbed the products of one cell did not disturb those of all.
        let peak = steps.iter().filter_map(|step| step.peak_gflop_per_s).reduce(f64::max);
        steps.iter_mut().for_each(|step| step.set_peak(peak));
        Ok(steps)
    }

    fn export(&self, folder: &std::path::Path, out: &mut impl Write) -> Result<(), Failure> {
        let mut written = Vec::new();
        for cell in self.cells()? {
            for (k, bytes) in cell.files(self.batches)?.into_iter().enumerate() {
                let path = folder.join(format!("{}-{k}.safetensors", cell.name()));
                write_whole(&path, &bytes)?;
                written.push(path.display().to_string());
            }
        }
        match self.shown.format {
            Format::Json => print_json(out, &written),
            Format::Text => writeln!(out, "{}", written.join("\n")).map_err(Failure::output),
        }
    }
}

fn text(steps: &[Step]) -> String {
    let header = [
        "algorithm",
        "model",
        "hints",
        "median ms",
        "mean ms",
        "steps/s",
        "GFLOP",
        "GFLOP/s",
        "peak GFLOP/s",
        "share",
        "peak memory",
    ];
    let mut header: Vec<String> = header.map(str::to_owned).to_vec();
    let together = steps.iter().find_map(|step| step.side_by_side.as_ref());
    header.extend(together.map(|together| format!("{} at once ms", together.runs)));
    let rows = steps.iter().map(|step| {
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
        let mut row = vec![
            step.algorithm.clone(),
            step.model.clone(),
            if step.hints { "yes" } else { "no" }.to_owned(),
            format!("{:.2}", step.median_ms),
            format!("{:.2}", step.mean_ms),
            format!("{:.1}", step.steps_per_s),
            format!("{:.2}", step.gflop),
            format!("{:.0}", step.gflop_per_s),
            number(step.peak_gflop_per_s),
            step.share_of_peak.map_or(String::new(), |share| format!("{:.0}%", 100.0 * share)),
            step.device_bytes.or(step.peak_bytes).map_or("unknown".to_owned(), bytes),
        ];
        row.extend(step.side_by_side.as_ref().map(|together| format!("{:.2}", together.ms)));
        row
    });
    table_of(header, 3, rows.collect())
}
