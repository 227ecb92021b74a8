//! A cell that cannot be done: kept, so that nobody tries again in vain, until a person says so.

use std::io;

use serde::{Deserialize, Serialize};

use crate::folder::SweepFolder;
use crate::plan::Cell;
use salsa_traces::files::write_whole;

/// What went wrong with a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// In words.
    pub message: String,
    /// At which attempt.
    pub attempt: u64,
}

impl Failure {
    /// The failure of a cell, if there is one. What cannot be read counts as none: the cell is
    /// then tried again.
    pub fn read(folder: &SweepFolder, cell: &Cell) -> Option<Self> {
        let text = std::fs::read(folder.failure(cell)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps it.
    pub fn write(&self, folder: &SweepFolder, cell: &Cell) -> io::Result<()> {
        write_whole(&folder.failure(cell), &serde_json::to_vec(self)?)
    }

    /// Forgets the failure of a cell, so that it is tried again.
    pub fn forget(folder: &SweepFolder, cell: &Cell) -> io::Result<()> {
        match std::fs::remove_file(folder.failure(cell)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
