//! `salsa verify`: makes the samples of files again and compares.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::dataset::{self, Manifest};
use serde_json::{Value, json};

use crate::arguments::{Format, JobsArgument};
use crate::data_sets::{data_sets, promised};
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::table;

/// Make the samples of files again and compare
///
/// The manifest beside a file says from which suite and seed its samples come. Finds any changed, missing or added byte or shard and names the first samples that differ; one that is damaged does not keep the others from being looked at.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa verify data/paper-bfs-train.arrow
  salsa verify data --format json")]
pub struct Verify {
    /// Files or folders of shards written by salsa generate, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    jobs: JobsArgument,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Verify {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        self.jobs.apply()?;
        let files = data_sets(&self.paths)?;
        let (n_files, mut verified, mut failures) = (files.len(), Vec::new(), Vec::new());
        let progress = Progress::new(files.iter().map(|file| promised(file)).sum(), "verifying");
        for file in files {
            match dataset::verify(&file, &|done| progress.advance(done)) {
                Ok(manifest) => verified.push((file, manifest)),
                Err(error) => failures.push(Failure::from(error)),
            }
        }
        drop(progress);
        if !verified.is_empty() {
            self.print(out, &verified)?;
        }
        match failures.len() {
            0 => Ok(()),
            1 => Err(failures.remove(0)),
            n_failures => {
                let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
                let summary = format!("{n_failures} of {n_files} data sets are not as written");
                Err(Failure::System(format!("{summary}: {}", lines.join("; "))))
            }
        }
    }

    /// What was found right.
    fn print(&self, out: &mut impl Write, verified: &[(PathBuf, Manifest)]) -> Result<(), Failure> {
        if self.format == Format::Json {
            let files = verified.iter().map(|(file, manifest)| {
                let content_hash = &manifest.content_hash;
                json!({ "file": file, "samples": manifest.samples, "content_hash": content_hash })
            });
            return print_json(out, &files.collect::<Value>());
        }
        let rows = verified.iter().map(|(file, manifest)| {
            let hash = manifest.content_hash[..16].to_owned();
            [file.display().to_string(), "ok".to_owned(), manifest.samples.to_string(), hash]
        });
        writeln!(out, "{}", table(["file", "", "samples", "content hash"], 2, rows.collect()))
            .map_err(Failure::output)
    }
}
