//! The log of a training: one JSON object a line.
//!
//! A record reaches the system in one write before the next one is made, so a killed run loses
//! at most part of its last line. A checkpoint knows how many records there were when it was
//! made, and a resumed run keeps that many and cuts off the rest: it will tell them again, and
//! no epoch stands there twice. Counting records rather than comparing steps leaves no doubt
//! about those of the checkpoint's own step.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{LogError, Record};

/// A log that is being written.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    file: File,
    records: u64,
}

impl JsonLines {
    /// An empty log at `path`, in place of an earlier one.
    pub fn create(path: &Path) -> Result<Self, LogError> {
        let mut options = OpenOptions::new();
        let file = opened(path, options.write(true).create(true).truncate(false))?;
        file.set_len(0).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), file, records: 0 })
    }

    /// The log at `path` cut back to its first `records` records.
    ///
    /// A log that has fewer, or is not there, is taken as it is: what was lost with the machine
    /// stays lost, and the training goes on.
    pub fn resume(path: &Path, records: u64) -> Result<Self, LogError> {
        let mut file = opened(path, OpenOptions::new().read(true).append(true).create(true))?;
        let mut text = Vec::new();
        io::Read::read_to_end(&mut file, &mut text).map_err(|error| failed(path, error))?;
        let (mut kept, mut length) = (0, 0);
        for (line, number) in whole_lines(&text).zip(1..) {
            if kept == records {
                break;
            }
            parse(path, number, line)?;
            kept += 1;
            length += line.len() as u64 + 1;
        }
        file.set_len(length).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), file, records: kept })
    }

    /// Adds a record; the system has it when this returns.
    pub fn append(&mut self, record: &Record) -> Result<(), LogError> {
        let failed = |error| failed(&self.path, error);
        let mut line = serde_json::to_vec(record).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.flush()).map_err(failed)?;
        self.records += 1;
        Ok(())
    }

    /// Brings what was told to the disk.
    pub fn sync(&self) -> Result<(), LogError> {
        self.file.sync_data().map_err(|error| failed(&self.path, error))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }
}

/// The file, if nobody else writes to it: two trainings in one folder would spoil both. Where a
/// file system knows no locks, nobody is kept out.
fn opened(path: &Path, options: &OpenOptions) -> Result<File, LogError> {
    let file = options.open(path).map_err(|error| failed(path, error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another training writes to it");
            Err(failed(path, busy))
        }
        _ => Ok(file),
    }
}

/// The records of the log at `path`, without a last line that is only half there.
pub fn read(path: &Path) -> Result<Vec<Record>, LogError> {
    let text = std::fs::read(path).map_err(|error| failed(path, error))?;
    whole_lines(&text).zip(1..).map(|(line, number)| parse(path, number, line)).collect()
}

/// The lines that have their end, without it.
fn whole_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

fn parse(path: &Path, line: usize, text: &[u8]) -> Result<Record, LogError> {
    serde_json::from_slice(text).map_err(|error| LogError::Malformed {
        path: path.display().to_string(),
        line,
        reason: error.to_string(),
    })
}

fn failed(path: &Path, error: io::Error) -> LogError {
    LogError::File { path: path.display().to_string(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record> {
        let best = |epoch: u64| Record::Best {
            step: 10 * epoch,
            epoch,
            validation_loss: 1.0 / (epoch + 3) as f64,
        };
        vec![best(0), best(1), best(2), Record::Interrupted { step: 21, epoch: 2 }]
    }

    fn written(path: &Path) {
        let mut log = JsonLines::create(path).unwrap();
        for record in records() {
            log.append(&record).unwrap();
        }
        assert_eq!(log.records(), 4);
    }

    #[test]
    fn records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        written(&path);
        assert_eq!(read(&path).unwrap(), records());
    }

    #[test]
    fn a_resumed_log_is_the_log_of_a_run_that_was_not_killed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        written(&path);
        let whole = std::fs::read(&path).unwrap();
        // Killed at any byte, with a checkpoint of any age that the log had reached.
        for length in 0..=whole.len() {
            let reached = whole[..length].iter().filter(|&&byte| byte == b'\n').count();
            for known in 0..=reached {
                std::fs::write(&path, &whole[..length]).unwrap();
                let mut log = JsonLines::resume(&path, known as u64).unwrap();
                assert_eq!(log.records(), known as u64);
                for record in &records()[known..] {
                    log.append(record).unwrap();
                }
                assert_eq!(std::fs::read(&path).unwrap(), whole, "{length} {known}");
            }
        }
    }

    #[test]
    fn a_log_that_lost_records_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        assert_eq!(JsonLines::resume(&path, 9).unwrap().records(), 0);
        written(&path);
        assert_eq!(JsonLines::resume(&path, 9).unwrap().records(), 4);
        assert_eq!(read(&path).unwrap(), records());
    }

    #[test]
    fn a_bad_line_is_told_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, "{\"event\":\"failed\",\"step\":1,\"message\":\"\"}\n{}\n").unwrap();
        for told in [read(&path).unwrap_err(), JsonLines::resume(&path, 2).unwrap_err()] {
            let told = told.to_string();
            assert!(
                told.contains("log.jsonl:2: not a record of a training log: missing field `event`"),
                "{told}"
            );
        }
        assert_eq!(JsonLines::resume(&path, 1).unwrap().records(), 1);
    }
}
