//! A checkpoint on disk: there completely, or not at all.
//!
//! The bytes go to a temporary file in the same folder and to the disk before the file gets its
//! name, and the folder goes to the disk after. Whenever the machine stops, the name belongs to
//! the old checkpoint or to the new one.

use std::path::Path;

use salsa_traces::files::write_whole;

use super::{Checkpoint, CheckpointError};
use crate::model::processors;
use crate::training::Folder;

impl Checkpoint {
    /// Writes the file at `path`, in place of an earlier one.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |error| CheckpointError::Write { path: path.display().to_string(), error };
        let bytes = self.to_bytes().map_err(|error| failed(error.into()))?;
        write_whole(path, &bytes).map_err(failed)
    }

    /// Reads the file at `path`; `processors` are the names that its run may have.
    pub fn read(path: &Path, processors: &[&str]) -> Result<Self, CheckpointError> {
        let bytes = std::fs::read(path)
            .map_err(|error| CheckpointError::Read { path: path.display().to_string(), error })?;
        Self::from_bytes(&bytes, processors).map_err(|malformation| malformation.at(path))
    }

    /// The checkpoint of a trained network at `path`; in the folder of a training, the best one.
    pub fn of_trained(path: &Path) -> Result<Self, CheckpointError> {
        let names = processors::names();
        if !path.is_dir() {
            return Self::read(path, &names);
        }
        let best = Folder::new(path).best();
        if !best.exists() {
            return Err(CheckpointError::NoBest { path: path.display().to_string() });
        }
        Self::read(&best, &names)
    }
}
