//! A checkpoint on disk: there completely, or not at all.
//!
//! The bytes go to a temporary file in the same folder and to the disk before the file gets its
//! name, and the folder goes to the disk after. Whenever the machine stops, the name belongs to
//! the old checkpoint or to the new one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

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

/// Writes a file that is there completely, or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    let mut temporary = tempfile::Builder::new();
    // A temporary file is its owner's alone unless told otherwise; this one will be shared.
    #[cfg(unix)]
    temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = temporary.prefix(".salsa-").suffix(".partial").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // Other systems give no handle to a folder.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
