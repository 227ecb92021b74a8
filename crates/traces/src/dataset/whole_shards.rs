//! Shards of formats that are read whole: one is in memory at a time.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Manifest, StoredError};
use crate::export::columns::Rows;
use crate::export::{Format, ShardError, npz, parquet};

/// The shards of a data set, read when they are used.
pub(super) struct WholeShards {
    format: Format,
    /// Each with its samples.
    files: Vec<(PathBuf, Range<u64>)>,
    latest: Mutex<Option<(usize, Arc<Rows>)>>,
}

/// Reads the rows of a shard.
pub(super) fn read_rows(format: Format, bytes: Vec<u8>) -> Result<Rows, ShardError> {
    match format {
        Format::Npz => npz::read(bytes.into()),
        _ => parquet::read(bytes.into()),
    }
}

impl WholeShards {
    pub(super) fn new(folder: &Path, format: Format, manifest: &Manifest) -> Self {
        let mut next = 0_u64;
        let files = manifest.shards.iter().map(|entry| {
            let samples = next..next.saturating_add(entry.samples);
            next = samples.end;
            (folder.join(&entry.file), samples)
        });
        Self { format, files: files.collect(), latest: Mutex::new(None) }
    }

    /// The index after the last sample.
    pub(super) fn end(&self) -> u64 {
        self.files.last().map_or(0, |(_, samples)| samples.end)
    }

    /// The rows with sample `index`, which must be there, and the file they stand in.
    pub(super) fn with(
        &self,
        index: u64,
        manifest: &Manifest,
    ) -> Result<(&Path, Arc<Rows>), StoredError> {
        let place = self.files.partition_point(|(_, samples)| samples.end <= index);
        let (file, samples) = &self.files[place];
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rows)) = latest.as_ref().filter(|(found, _)| *found == place) {
            return Ok((file, rows.clone()));
        }
        let path = file.display().to_string();
        let rows = std::fs::read(file)
            .map_err(ShardError::from)
            .and_then(|bytes| read_rows(self.format, bytes))
            .map_err(|error| StoredError::Shard { path: path.clone(), error })?;
        if !manifest.is_of(rows.header()) || rows.samples() != *samples {
            return Err(StoredError::Foreign { path });
        }
        let rows = Arc::new(rows);
        *latest = Some((place, rows.clone()));
        Ok((file, rows))
    }
}
