//! Results in files: folders of sweeps, records as JSON Lines, and figures as CSV.

mod added_csv;
mod checked;

use std::path::Path;

use salsa_records::store::{self, StoreError};
use thiserror::Error;

use crate::study::Entry;

/// Why results cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A file of records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A line of a file says what cannot be.
    #[error("{path}:{line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nothing to read.
    #[error("{path}: there are no records in it{hint}")]
    Empty {
        /// The file or folder.
        path: String,
        /// What to do about it.
        hint: &'static str,
    },
}

/// The results at a path: a sweep's folder, a folder of `.jsonl` files, a file of JSON Lines, or
/// a file of CSV. What cannot be is refused, with its file and line.
pub fn read(path: &Path) -> Result<Vec<Entry>, ReadError> {
    let name = path.display().to_string();
    let entries =
        match path.extension() {
            Some(ending) if ending == "csv" && !path.is_dir() => added_csv::read(path)?,
            _ => {
                let from = |file: &Path| file.display().to_string();
                let mut entries = Vec::new();
                for file in store::files(path)? {
                    for (line, record) in store::read_lines(&file)? {
                        let (path, line) = (from(&file), line as u64);
                        let record = checked::checked(record).map_err(|reason| {
                            ReadError::Line { path: path.clone(), line, reason }
                        })?;
                        entries.push(Entry { record, from: format!("{path}:{line}") });
                    }
                }
                entries
            }
        };
    if entries.is_empty() {
        let hint = match path.join("sweep.toml").is_file() {
            true => "; salsa sweep status tells how far the sweep has come",
            false => "",
        };
        return Err(ReadError::Empty { path: name, hint });
    }
    Ok(entries)
}
