//! The files of a training.

use std::path::{Path, PathBuf};

use salsa_traces::files::write_whole;

use super::log::{LogError, RunLog};
use crate::run::Run;

/// Where a training keeps its files.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// This folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where a run goes for which no other folder is given: `salsa-runs/bfs-pgn-paper-42`.
    pub fn default_of(run: &Run) -> Self {
        let hints = if run.hints { "-hints" } else { "" };
        let Run { algorithm, model, convention, seed, .. } = run;
        let name = format!("{algorithm}-{}-{}{hints}-{seed}", model.processor, convention.name());
        Self(Path::new("salsa-runs").join(name))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The run.
    pub fn run_file(&self) -> PathBuf {
        self.0.join("run.toml")
    }

    /// Lets the file of the run say what is trained from now on, if it says something else.
    pub(super) fn keep_run(&self, run: &Run) -> Result<(), LogError> {
        let (file, text) = (self.run_file(), run.to_toml());
        if std::fs::read_to_string(&file).is_ok_and(|told| told == text) {
            return Ok(());
        }
        let path = file.display().to_string();
        write_whole(&file, text.as_bytes()).map_err(|error| LogError::File { path, error })
    }

    /// The suite as it was at the start, if it is not a built-in one.
    pub fn suite_file(&self) -> PathBuf {
        self.0.join("suite.toml")
    }

    /// The log.
    pub fn log(&self) -> PathBuf {
        self.0.join(RunLog::FILE)
    }

    /// The checkpoint to go on from.
    pub fn last(&self) -> PathBuf {
        self.0.join("last.safetensors")
    }

    /// The checkpoint with the lowest validation loss.
    pub fn best(&self) -> PathBuf {
        self.0.join("best.safetensors")
    }
}
