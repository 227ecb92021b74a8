//! `salsa bench generate`: samples per second on one thread, beside the published code's.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;
use serde::{Deserialize, Serialize};

use super::published::{published, splits};
use super::{Shown, median, runs_per_second, saved, time_for_each};
use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::table;

/// Measure samples per second on one thread, beside the published code's figures
///
/// A sample is a fresh graph, its inputs and the execution: without hints, with hints recorded
/// as changes, and with hints expanded to dense values at every step, as the published code
/// stores them. The published code's figures are quoted, not measured again.
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa bench generate --format json")]
pub struct Generate {
    /// Suite; release has the parameters of the published code
    #[arg(long, default_value = "release")]
    suite: String,

    /// Algorithms, separated by commas [default: the six of the benchmark]
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    algorithm: Vec<String>,

    /// Splits, separated by commas [default: those with published figures]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    split: Vec<String>,

    /// Seconds for each figure
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,

    #[command(flatten)]
    shown: Shown,
}

/// Samples per second of one algorithm on one split.
#[derive(Debug, Serialize, Deserialize)]
struct Speed {
    algorithm: String,
    split: String,
    without_hints: f64,
    with_hints: f64,
    with_dense_hints: f64,
    published_without_hints: Option<f64>,
    published_with_hints: Option<f64>,
}

impl Generate {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let speeds = match &self.shown.from {
            Some(file) => saved(file)?,
            None => self.measure()?,
        };
        if self.shown.format == Format::Json {
            return print_json(out, &speeds);
        }
        writeln!(out, "{}", text(&speeds)).map_err(Failure::output)
    }

    fn measure(&self) -> Result<Vec<Speed>, Failure> {
        let suite = Suite::named_or_load(&self.suite)?;
        let time = time_for_each(self.seconds)?;
        let algorithms = match self.algorithm.as_slice() {
            [] => algorithms::benchmark().to_vec(),
            names => {
                names.iter().map(|name| algorithms::find(name)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let splits: Vec<&str> = match self.split.as_slice() {
            [] => splits(),
            names => names.iter().map(String::as_str).collect(),
        };
        let progress = Progress::new((algorithms.len() * splits.len()) as u64, "measuring");
        let mut speeds = Vec::new();
        for algorithm in algorithms {
            for split in &splits {
                let sampler = Sampler::new(&suite, suite.seed, algorithm, split)?;
                speeds.push(speed(&sampler, time)?);
                progress.advance(1);
            }
        }
        Ok(speeds)
    }
}

/// The three ways take turns, so that what disturbs one disturbs the others as much.
const TURNS: u32 = 5;

fn speed(sampler: &Sampler<'_>, time: Duration) -> Result<Speed, Failure> {
    let samples = sampler.split().samples;
    let mut rates = [const { Vec::new() }; 3];
    for turn in 0..=TURNS {
        for (way, rates) in rates.iter_mut().enumerate() {
            let (hints, is_dense) = (way > 0, way == 2);
            let rate = runs_per_second(time / TURNS, |run| {
                let sample = sampler.sample(run % samples, hints)?;
                if is_dense {
                    expand(&sample);
                }
                Ok(())
            })?;
            // The first turn only warms up.
            rates.extend((turn > 0).then_some(rate));
        }
    }
    let [without_hints, with_hints, with_dense_hints] = rates.map(median);
    let algorithm = sampler.algorithm().spec().algorithm.to_string();
    let split = sampler.split().name.clone();
    let theirs = published(&algorithm, &split);
    Ok(Speed {
        without_hints,
        with_hints,
        with_dense_hints,
        published_without_hints: theirs.without_hints,
        published_with_hints: theirs.with_hints,
        algorithm,
        split,
    })
}

/// Walks through the dense values of every hint at every step.
fn expand(sample: &Sample) {
    for (_, hint) in sample.trajectory.recorded_hints() {
        for values in hint.all() {
            std::hint::black_box(&values);
        }
    }
}

fn text(speeds: &[Speed]) -> String {
    let times = |ours: f64, theirs: Option<f64>| match theirs {
        Some(theirs) => format!("{:.0}x", ours / theirs),
        None => "(out of memory)".to_owned(),
    };
    let rows = speeds.iter().map(|speed| {
        let Speed { without_hints, with_hints, with_dense_hints, .. } = *speed;
        [
            speed.algorithm.clone(),
            speed.split.clone(),
            format!("{without_hints:.0}"),
            times(without_hints, speed.published_without_hints),
            format!("{with_hints:.0}"),
            times(with_hints, speed.published_with_hints),
            format!("{with_dense_hints:.1}"),
            times(with_dense_hints, speed.published_with_hints),
        ]
    });
    let header = [
        "algorithm",
        "split",
        "no hints/s",
        "x published",
        "hints/s",
        "x published",
        "dense hints/s",
        "x published",
    ];
    table(header, 2, rows.collect())
}
