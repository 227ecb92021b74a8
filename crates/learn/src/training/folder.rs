//! The files of a training.

use std::path::{Path, PathBuf};

/// Where a training keeps its files.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// This folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
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
