//! `salsa convert`: samples in files, written in another format.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::dataset::{self, StoredSplit};
use salsa_traces::export;

use crate::arguments::{Format, JobsArgument};
use crate::data_sets::{data_sets, promised};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::written::print_written;

/// Write samples that are in files in another format
///
/// Every format but graphml can be read. Files are checked while they are read: damaged ones are
/// named, and nothing of them is written. The result is the same bytes as salsa generate writes,
/// with its own manifest, and a run that was killed goes on where it was.
#[derive(Debug, Args)]
#[command(
    visible_alias = "export",
    after_help = "\
Examples:
  salsa convert data --to parquet --out hub
  salsa convert data/paper-bfs-train.arrow --to npz --hints
  salsa convert hub/paper-bfs-train.parquet --to arrow --out data"
)]
pub struct Convert {
    /// Files or folders of shards written by salsa generate, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// File format to write: arrow, parquet, npz, jsonl, graphml or bin
    #[arg(long, value_name = "FORMAT")]
    to: String,

    /// Store hints, made again where they were left out [default: as they are]
    #[arg(long, conflicts_with = "no_hints")]
    hints: bool,

    /// Leave hints out
    #[arg(long)]
    no_hints: bool,

    /// The folder to write to, made if missing
    #[arg(long, value_name = "FOLDER", default_value = "data")]
    out: PathBuf,

    #[command(flatten)]
    jobs: JobsArgument,

    /// How to print what was written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Convert {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.jobs.apply()?;
        let to: export::Format = self.to.parse()?;
        let data_sets = data_sets(&self.paths)?;
        let total = data_sets.iter().map(|path| promised(path)).sum();
        let progress = Progress::new(total, "converting");
        let mut written = Vec::new();
        for path in &data_sets {
            let stored = StoredSplit::open(path)?;
            let hints = self.hints || stored.manifest().hints && !self.no_hints;
            let advance = |done| progress.advance(done);
            written.push(dataset::convert(&stored, to, hints, &self.out, &advance)?);
        }
        drop(progress);
        print_written(out, self.format, &written)
    }
}
