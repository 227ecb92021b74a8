//! `salsa generate`: samples of a split or of a distribution of one's own, as files.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::dataset::{self, Manifest, Request};
use salsa_traces::export;
use salsa_traces::sample::Sampler;
use serde_json::{Value, json};

use crate::arguments::{DataArguments, Format, JobsArgument, chosen_splits, distinct};
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::{bytes, table};

/// Write samples of splits, or of graphs of your choice, to files
///
/// A folder of Arrow files, or one file of another format, holds one split for one algorithm;
/// beside it stands a manifest with suite, seed and content hash, from which salsa verify makes the
/// samples again. The same arguments give the same bytes on every machine. Nothing appears under
/// its name before it is complete. A run that was killed goes on where it was when it is started
/// again; data that are there already are checked and kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa generate --algorithm bfs --split train --out data
  salsa generate --algorithm bfs,mis --split test --samples 100 --hints
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

    /// Store hints too, in arrow and bin as changes; without, arrow files make them again on reading
    #[arg(long)]
    hints: bool,

    /// File format: arrow (columns, any sample at once), jsonl (one JSON object a line) or bin
    /// (compact records)
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
                let samples = self.samples.unwrap_or(split.samples);
                if samples > split.samples {
                    return Err(Failure::mistake(format!(
                        "--samples: split {} has {} samples, {samples} were asked for",
                        split.name, split.samples
                    )));
                }
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

        if self.format == Format::Json {
            let files = written.iter().map(|(path, manifest)| {
                json!({
                    "file": path, "bytes": size(path, manifest), "samples": manifest.samples,
                    "hints": manifest.hints, "content_hash": manifest.content_hash,
                })
            });
            return print_json(out, &files.collect::<Value>());
        }
        let rows = written.iter().map(|(path, manifest)| {
            let hash = manifest.content_hash[..16].to_owned();
            [
                path.display().to_string(),
                manifest.samples.to_string(),
                bytes(size(path, manifest)),
                hash,
            ]
        });
        let rows = rows.collect();
        writeln!(out, "{}", table(["file", "samples", "size", "content hash"], 1, rows))
            .map_err(Failure::output)
    }
}

/// Bytes of a file, or of all shards.
fn size(path: &Path, manifest: &Manifest) -> u64 {
    match manifest.shards.iter().map(|shard| shard.bytes).sum() {
        0 => std::fs::metadata(path).map_or(0, |file| file.len()),
        bytes => bytes,
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
