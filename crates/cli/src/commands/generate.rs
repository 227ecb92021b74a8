//! `salsa generate`: samples of a split or of a distribution of one's own, as files.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::dataset::{self, Request};
use salsa_traces::export;
use salsa_traces::sample::Sampler;

use crate::arguments::{DataArguments, Format, JobsArgument, chosen_splits, distinct};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::written::print_written;

/// Write samples of splits, or of graphs of your choice, to files
///
/// A folder of files, or one file of jsonl or bin, holds one split for one algorithm; beside it
/// stands a manifest with suite, seed and content hash, from which salsa verify makes the samples
/// again. The same arguments give the same bytes on every machine. Nothing appears under
/// its name before it is complete. A run that was killed goes on where it was when it is started
/// again; data that are there already are checked and kept, and those of other settings are never
/// replaced, but by more samples of the same.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa generate --algorithm bfs --split train --out data
  salsa generate --algorithm bfs,mis --split test --samples 100 --hints
  salsa generate --algorithm all --split all --file-format parquet --out hub
  salsa generate --algorithm mst --generator ws --param k=4 --samples 500")]
pub struct Generate {
    /// Algorithms, separated by commas, or `all` for the six of the benchmark
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', required = true)]
    algorithm: Vec<String>,

    #[command(flatten)]
    data: DataArguments,

    /// Splits, separated by commas; `test` for all test sets, `all` for every split
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "train",
        conflicts_with = "generator",
        help_heading = "Data"
    )]
    split: Vec<String>,

    /// Number of samples, from the first on [default: the whole split; 1000 with --generator]
    #[arg(long, value_name = "N", help_heading = "Data")]
    samples: Option<u64>,

    /// Store hints too, as changes, in jsonl dense; without, they are made again on reading
    #[arg(long)]
    hints: bool,

    /// File format: arrow (columns, any sample at once), parquet (the same columns, with a card for
    /// Hugging Face datasets), npz (the same for NumPy), jsonl (one JSON object a line), graphml
    /// (one graph a file, for drawing) or bin (compact records)
    #[arg(long, value_name = "FORMAT", default_value = "arrow")]
    file_format: String,

    /// The folder to write to, made if missing
    #[arg(long, value_name = "FOLDER", default_value = "data")]
    out: PathBuf,

    #[command(flatten)]
    jobs: JobsArgument,

    /// How to print what was written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Generate {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.jobs.apply()?;
        let file_format: export::Format = self.file_format.parse()?;
        if self.samples == Some(0) {
            return Err(Failure::mistake("--samples: expected at least 1, found 0"));
        }
        let algorithms = chosen_algorithms(&self.algorithm)?;
        let suite = self.data.suite(self.samples.unwrap_or(1000))?;
        let splits = match self.data.generator {
            Some(_) => suite.splits.iter().collect(),
            None => chosen_splits(&suite, &self.split)?,
        };
        let seed = self.data.seed(&suite);
        let mut requests = Vec::new();
        for &algorithm in &algorithms {
            for split in &splits {
                let samples = split
                    .some(self.samples)
                    .map_err(|error| Failure::mistake(format!("--samples: {error}")))?;
                let sampler = Sampler::new(&suite, seed, algorithm, &split.name)?;
                let (suite, hints, format) = (&suite, self.hints, file_format);
                requests.push(Request { suite, seed, sampler, samples, hints, format });
            }
        }
        let total = requests.iter().map(|request| request.samples).sum();
        let progress = Progress::new(total, "generating");
        let mut written = Vec::new();
        for request in &requests {
            written.push(dataset::write(request, &self.out, &|done| progress.advance(done))?);
        }
        drop(progress);

        print_written(out, self.format, &written)
    }
}

/// Each once, however often it is named.
fn chosen_algorithms(names: &[String]) -> Result<Vec<&'static dyn Algorithm>, Failure> {
    let mut chosen: Vec<&'static dyn Algorithm> = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => chosen.extend(algorithms::benchmark()),
            name => chosen.push(algorithms::find(name)?),
        }
    }
    Ok(distinct(chosen, |algorithm| algorithm.spec().algorithm.to_string()))
}
