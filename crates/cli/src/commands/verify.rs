//! `salsa verify`: makes the samples of files again and compares.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_traces::dataset::{self, Manifest, manifest_path};
use serde_json::{Value, json};

use crate::arguments::{Format, JobsArgument};
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::table;

/// Make the samples of files again and compare
///
/// The manifest beside a file says from which suite and seed its samples come. Finds any changed, missing or added byte or shard and names the first samples that differ.
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
        let mut verified = Vec::new();
        let files = files(&self.paths)?;
        let progress = Progress::new(files.iter().map(|file| promised(file)).sum(), "verifying");
        for file in files {
            let manifest = dataset::verify(&file, &|done| progress.advance(done))?;
            verified.push((file, manifest));
        }
        drop(progress);
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

/// The files themselves, and those in folders that have a manifest.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !manifest_path(path).exists() {
            let inside = files_with_manifest(path)?;
            if inside.is_empty() {
                let path = path.display();
                return Err(Failure::mistake(format!("{path}: no file with a manifest is in it")));
            }
            files.extend(inside);
        } else if path.is_file() && !manifest_path(path).exists() {
            let path = path.display();
            return Err(Failure::mistake(format!(
                "{path}: there is no {path}.manifest.json beside it, which says what it must hold"
            )));
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn files_with_manifest(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let reading = |error: std::io::Error| Failure::reading(folder, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        let text = path.to_string_lossy();
        // A manifest without its file is reported as such, so the file need not exist here.
        files.extend(text.strip_suffix(".manifest.json").map(PathBuf::from));
    }
    files.sort();
    Ok(files)
}

/// How many samples a manifest speaks of, as far as it can be read; for the progress bar only.
fn promised(file: &Path) -> u64 {
    let text = std::fs::read(manifest_path(file)).unwrap_or_default();
    serde_json::from_slice(&text).map_or(0, |manifest: Manifest| manifest.samples)
}
