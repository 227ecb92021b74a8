//! Records in files: one file a cell, `records/<cell>.jsonl`, of one line.
//!
//! Many workers write into one folder, perhaps on a shared file system. Appending to one file is
//! not safe there: network file systems do not keep appends of several machines apart, and a
//! killed writer leaves half a line in front of the next. So a record is written to a file of its
//! own under another name, brought to the disk, and given its name only if no file has it: whoever
//! comes second is told so, and the first record stays. A cell has one record or none, whatever
//! happens, and `cat records/*.jsonl` is one file of JSON Lines.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use salsa_traces::files::{sync_name, temporary_beside};
use thiserror::Error;

use crate::{Record, SCHEMA};

/// What happened to a record that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// It is there now.
    Now,
    /// There was one before, which stays.
    Before,
}

/// Why records could not be written or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system could not.
    #[error("{path}: {error}")]
    File {
        /// The file or folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// A line that is no record.
    #[error("{path}:{line}: not a record: {reason}")]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A record of a newer program.
    #[error("{path}:{line}: a record of schema {found}, this program knows up to {SCHEMA}")]
    Schema {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// Its schema.
        found: u32,
    },
}

/// The file of a cell's record in a folder of records.
pub fn path_of(folder: &Path, cell: &str) -> PathBuf {
    folder.join(format!("{cell}.jsonl"))
}

/// Writes the record of a cell, unless there is one.
pub fn publish(folder: &Path, record: &Record) -> Result<Published, StoreError> {
    let path = path_of(folder, &record.cell);
    publish_at(&path, record)
        .map_err(|error| StoreError::File { path: path.display().to_string(), error })
}

fn publish_at(path: &Path, record: &Record) -> io::Result<Published> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    let mut file = temporary_beside(path)?;
    file.write_all(&line)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(Published::Before);
        }
        Err(error) => return Err(error.error),
    }
    sync_name(path)?;
    Ok(Published::Now)
}

/// The records at a path, in the order of file names: of a sweep's folder, of a folder of
/// `.jsonl` files, or of one file.
pub fn read(path: &Path) -> Result<Vec<Record>, StoreError> {
    let all: Result<Vec<_>, _> = files(path)?.iter().map(|file| read_file(file)).collect();
    Ok(all?.concat())
}

/// The files of records at such a path, in order; what is no folder is taken for a file.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::File { path: path.display().to_string(), error };
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let records = path.join("records");
    let folder = if records.is_dir() { &records } else { path };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let is_hidden =
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !is_hidden && file.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The records of a file, one a line.
pub fn read_file(path: &Path) -> Result<Vec<Record>, StoreError> {
    Ok(read_lines(path)?.into_iter().map(|(_, record)| record).collect())
}

/// The same with the line of each, from 1.
pub fn read_lines(path: &Path) -> Result<Vec<(usize, Record)>, StoreError> {
    let name = || path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|error| StoreError::File { path: name(), error })?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(text, line)| {
            let record: Record = serde_json::from_str(text).map_err(|error| {
                StoreError::Malformed { path: name(), line, reason: error.to_string() }
            })?;
            match record.schema {
                found if found > SCHEMA => Err(StoreError::Schema { path: name(), line, found }),
                _ => Ok((line, record)),
            }
        })
        .collect()
}
