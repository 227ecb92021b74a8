//! `salsa stats`: what splits look like, and whether they overlap.

use std::io::Write;

use clap::Args;
use salsa_traces::sample::Sampler;
use salsa_traces::stats::{Overlap, SplitStats, Summary, overlaps, split_stats};
use salsa_traces::suite::Suite;

use crate::arguments::{AlgorithmArgument, DataArguments, Format, JobsArgument};
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::{short, table};

/// Show sizes, degrees and lengths of splits, or their overlap
///
/// Figures are means, with the smallest and the largest in brackets where they differ.
///
/// With --overlap, counts the samples of each split that occur in another: the same labelled
/// graph with the same inputs. Small validation graphs inevitably recur in training; a test
/// sample that does is an error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa stats --algorithm bfs
  salsa stats --algorithm dfs --split er_1600 --samples 100
  salsa stats --algorithm mis --overlap")]
pub struct Stats {
    #[command(flatten)]
    algorithm: AlgorithmArgument,

    #[command(flatten)]
    data: DataArguments,

    /// Splits, separated by commas [default: all]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "generator",
        help_heading = "Data"
    )]
    split: Vec<String>,

    /// Number of samples to look at, from the first on [default: 100 of each split]
    #[arg(long, value_name = "N", conflicts_with = "overlap", help_heading = "Data")]
    samples: Option<u64>,

    /// Count the samples that occur in another split, over whole splits
    #[arg(long, conflicts_with_all = ["split", "generator"])]
    overlap: bool,

    #[command(flatten)]
    jobs: JobsArgument,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Stats {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.jobs.apply()?;
        if self.samples == Some(0) {
            return Err(Failure::mistake("--samples: expected at least 1, found 0"));
        }
        let suite = self.data.suite(self.samples.unwrap_or(100))?;
        if self.overlap { self.overlap(&suite, out) } else { self.splits(&suite, out) }
    }

    fn splits(&self, suite: &Suite, out: &mut impl Write) -> Result<(), Failure> {
        let (algorithm, seed) = (self.algorithm.find()?, self.data.seed(suite));
        let names: Vec<&str> = match self.split.as_slice() {
            [] => suite.splits.iter().map(|split| split.name.as_str()).collect(),
            names => names.iter().map(String::as_str).collect(),
        };
        let samplers: Vec<Sampler<'_>> = names
            .into_iter()
            .map(|name| Ok(Sampler::new(suite, seed, algorithm, name)?))
            .collect::<Result<_, Failure>>()?;
        let count =
            |sampler: &Sampler<'_>| self.samples.unwrap_or(100).min(sampler.split().samples);
        let progress = Progress::new(samplers.iter().map(count).sum(), "sampling");
        let all: Vec<SplitStats> = samplers
            .iter()
            .map(|sampler| {
                Ok(split_stats(sampler, count(sampler), &|done| progress.advance(done))?)
            })
            .collect::<Result<_, Failure>>()?;
        drop(progress);
        if self.format == Format::Json {
            return print_json(out, &all);
        }
        writeln!(out, "{}", stats_table(&all)).map_err(Failure::output)
    }

    fn overlap(&self, suite: &Suite, out: &mut impl Write) -> Result<(), Failure> {
        let (algorithm, seed) = (self.algorithm.find()?, self.data.seed(suite));
        let total = suite.splits.iter().map(|split| split.samples).sum();
        let progress = Progress::new(total, "comparing");
        let all = overlaps(suite, seed, algorithm, &|done| progress.advance(done))?;
        drop(progress);
        if self.format == Format::Json {
            print_json(out, &all)?;
        } else {
            let rows = all.iter().map(|overlap| {
                let Overlap { split, samples, distinct, in_train, in_val, in_test } = overlap;
                let counts = [samples, distinct, in_train, in_val, in_test];
                let [samples, distinct, in_train, in_val, in_test] = counts.map(u64::to_string);
                [split.clone(), samples, distinct, in_train, in_val, in_test]
            });
            let header = ["split", "samples", "distinct", "in train", "in val", "in test"];
            writeln!(out, "{}", table(header, 1, rows.collect())).map_err(Failure::output)?;
        }
        match all.iter().find(|overlap| overlap.spoils_test()) {
            Some(spoilt) => Err(Failure::System(format!(
                "split {}: {} samples occur in training and {} in validation",
                spoilt.split, spoilt.in_train, spoilt.in_val
            ))),
            None => Ok(()),
        }
    }
}

/// The statistics of splits as a table.
pub fn stats_table(all: &[SplitStats]) -> String {
    let range = |summary: &Summary| match (summary.min, summary.max) {
        (min, max) if min == max => short(min),
        (min, max) => format!("{} ({}..{})", short(summary.mean), short(min), short(max)),
    };
    let rows = all.iter().map(|stats| {
        [
            stats.split.clone(),
            stats.generator.clone(),
            stats.samples.to_string(),
            range(&stats.nodes),
            range(&stats.edges),
            range(&stats.mean_degree),
            range(&stats.max_degree),
            range(&stats.length),
        ]
    });
    let header =
        ["split", "graphs", "samples", "nodes", "edges", "mean degree", "max degree", "length"];
    table(header, 2, rows.collect())
}
