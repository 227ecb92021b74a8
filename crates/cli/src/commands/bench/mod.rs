//! `salsa bench`: measurements, as tables and as JSON.

mod execution;
mod generate;
mod infer;
mod memory;
mod own_process;
mod pass;
mod product_peak;
mod published;
mod scale;
mod scaling;
mod train;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueEnum};
use serde::de::DeserializeOwned;

use crate::arguments::Format;
use crate::failure::Failure;

pub use scaling::scaling_lines;

/// Measure speed and memory
#[derive(Debug, Subcommand)]
#[command(after_help = "Example: salsa bench generate --format json > speed.json")]
pub enum Bench {
    Generate(generate::Generate),
    Execution(execution::Execution),
    Scale(scale::Scale),
    Train(train::Train),
    Infer(infer::Infer),
    Scaling(scaling::Scaling),
}

impl Bench {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::Generate(generate) => generate.run(out),
            Self::Execution(execution) => execution.run(out),
            Self::Scale(scale) => scale.run(out),
            Self::Train(train) => train.run(out),
            Self::Infer(infer) => infer.run(out),
            Self::Scaling(scaling) => scaling.run(out),
        }
    }
}

/// What every measurement can be asked for.
#[derive(Debug, Args)]
struct Shown<F: ValueEnum + Default + Send + Sync + 'static = Format> {
    /// Show a measurement saved with --format json instead of measuring
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: F,
}

/// What `--seconds` asks for.
fn time_for_each(seconds: f64) -> Result<Duration, Failure> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time.is_zero() => {
            Err(Failure::mistake("--seconds: expected more than 0, found 0"))
        }
        Ok(time) => Ok(time),
        Err(error) => Err(Failure::mistake(format!("--seconds: {error}"))),
    }
}

/// Whether `--nodes` asks for graphs that a network can be asked about.
fn check_nodes(nodes: &[u32]) -> Result<(), Failure> {
    match nodes.iter().find(|&&nodes| nodes < 2) {
        Some(few) => Err(Failure::mistake(format!("--nodes: expected at least 2, found {few}"))),
        None => Ok(()),
    }
}

/// Runs per second of `work`, which gets the number of the run, over at least `time`.
fn runs_per_second(
    time: Duration,
    mut work: impl FnMut(u64) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    work(0)?;
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < time {
        work(runs)?;
        runs += 1;
    }
    Ok(runs as f64 / start.elapsed().as_secs_f64())
}

/// Seconds that `work` takes.
fn seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A measurement saved with `--format json`.
fn saved<T: DeserializeOwned>(file: &Path) -> Result<T, Failure> {
    let text = std::fs::read(file).map_err(|error| Failure::reading(file, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::mistake(format!("{}: {error}", file.display())))
}
