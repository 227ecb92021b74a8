//! The log of a run: records to a file of lines, their numbers to curves.
//!
//! The lines come first: they are the log, and curves can be drawn from them again. Whoever
//! makes a checkpoint tells it [`RunLog::records`] after what it has done was told, or a resumed
//! run tells that again.

use std::path::Path;

use super::json_lines::{self, JsonLines};
use super::tensorboard::EventFile;
use super::{LogError, Record};
use crate::checkpoint::Progress;
use crate::compute::Computed;

/// Both logs of a run, in its folder.
#[derive(Debug)]
pub struct RunLog {
    lines: JsonLines,
    events: EventFile,
}

impl RunLog {
    /// The name of the file of records in a run's folder.
    pub const FILE: &'static str = "log.jsonl";

    /// The logs of a run that starts, in a folder that is made if it is not there; `wall_time` is
    /// in seconds since 1970.
    pub fn create(folder: &Path, wall_time: f64) -> Result<Self, LogError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| LogError::File { path: folder.display().to_string(), error })?;
        Ok(Self {
            lines: JsonLines::create(&folder.join(Self::FILE))?,
            events: EventFile::create(folder, wall_time, 0)?,
        })
    }

    /// The logs of a run that goes on from a checkpoint.
    pub fn resume(folder: &Path, wall_time: f64, progress: &Progress) -> Result<Self, LogError> {
        Ok(Self {
            lines: JsonLines::resume(&folder.join(Self::FILE), progress.log_records)?,
            events: EventFile::create(folder, wall_time, progress.step + 1)?,
        })
    }

    /// Tells a record to both.
    pub fn append(&mut self, wall_time: f64, record: &Record) -> Result<(), LogError> {
        self.lines.append(record)?;
        let points = record.scalars();
        if points.is_empty() {
            return Ok(());
        }
        self.events.scalars(wall_time, record.step(), &points)
    }

    /// What computed last, if it was told.
    pub fn computed(&self) -> Option<Computed> {
        self.last(|record| match record {
            Record::Started { computed, .. } | Record::Moved { computed, .. } => Some(computed),
            _ => None,
        })
    }

    /// How many graphs a batch had last, if it was told.
    pub fn batch(&self) -> Option<u64> {
        self.last(|record| match record {
            Record::Started { run, .. } => Some(run.training.batch),
            Record::Resized { batch, .. } => Some(batch),
            _ => None,
        })
    }

    /// What the last record says that says anything of it.
    fn last<T>(&self, what: impl Fn(Record) -> Option<T>) -> Option<T> {
        json_lines::read(self.lines.path()).ok()?.into_iter().rev().find_map(what)
    }

    /// How many records there are, for the next checkpoint, which must not be on the disk before
    /// them.
    pub fn synced(&self) -> Result<u64, LogError> {
        self.lines.sync()?;
        Ok(self.lines.records())
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.lines.records()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn a_resumed_run_tells_nothing_twice() {
        let best = |epoch| Record::Best { step: epoch, epoch, validation_loss: 1.0 };
        let folder = tempfile::tempdir().unwrap();
        let mut log = RunLog::create(folder.path(), 1.0).unwrap();
        let mut progress = Progress::start(&Run::default());
        for epoch in 0..4 {
            log.append(2.0, &best(epoch)).unwrap();
            if epoch == 1 {
                progress.step = epoch;
                progress.log_records = log.records();
            }
        }
        drop(log);
        let mut log = RunLog::resume(folder.path(), 3.0, &progress).unwrap();
        for epoch in 2..4 {
            log.append(4.0, &best(epoch)).unwrap();
        }
        let told = json_lines::read(&folder.path().join(RunLog::FILE)).unwrap();
        assert_eq!(told, [0, 1, 2, 3].map(best));
    }
}
