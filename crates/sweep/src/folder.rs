//! The folder of a sweep: everything it has and needs, so that it can be moved and continued.
//!
//! ```text
//! sweep.toml                   the plan
//! suite.toml                   its suite, where that is a file of one's own
//! records/<cell>.jsonl         what is finished, one line each
//! checkpoints/<cell>.safetensors   the weights that were evaluated
//! claims/<cell>/<n>            who works on a cell, n counts from 1
//! work/<cell>/<n>/             what the n-th to work on it has so far
//! failures/<cell>.json         what went wrong
//! slurm/                       jobs that were submitted
//! ```

use std::io;
use std::path::{Path, PathBuf};

use salsa_records::store;
use salsa_traces::files::write_whole;
use thiserror::Error;

use crate::plan::{Cell, Plan, PlanError};

/// A sweep and the folder it lives in.
#[derive(Debug)]
pub struct SweepFolder {
    path: PathBuf,
    plan: Plan,
}

/// Why a folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The sweep in it cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is none in it.
    #[error("{path}: there is no sweep.toml in it; salsa sweep run makes the folder of a sweep")]
    NoSweep {
        /// The folder.
        path: String,
    },
    /// The file says something else of a cell that was begun.
    #[error(
        "{path} holds {cell} with other settings than the sweep file has now; choose another --out"
    )]
    Changed {
        /// The folder.
        path: String,
        /// The first such cell.
        cell: String,
    },
    /// A record cannot be read.
    #[error("{problem}; without the file, the cell is done again")]
    Record {
        /// The file and what is wrong.
        problem: String,
    },
    /// The system could not.
    #[error("{path}: {error}")]
    File {
        /// The file or folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

const PLAN: &str = "sweep.toml";
const SUITE: &str = "suite.toml";

impl SweepFolder {
    /// The sweep in a folder.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(PLAN);
        if !file.is_file() {
            return Err(FolderError::NoSweep { path: path.display().to_string() });
        }
        let read = |name: &str| {
            let file = path.join(name);
            std::fs::read_to_string(&file)
                .map_err(|error| FolderError::File { path: file.display().to_string(), error })
        };
        let suite = if path.join(SUITE).is_file() { Some(read(SUITE)?) } else { None };
        let plan = Plan::parse(&file.display().to_string(), &read(PLAN)?, suite.as_deref())?;
        let this = Self { path: path.to_owned(), plan };
        this.plan.cells().iter().try_for_each(|cell| this.check_record(cell))?;
        Ok(this)
    }

    /// An error if there is a record that says nothing.
    fn check_record(&self, cell: &Cell) -> Result<(), FolderError> {
        let file = store::path_of(&self.records(), cell.name());
        if !file.is_file() {
            return Ok(());
        }
        let problem = match store::read_file(&file) {
            Ok(records) if records.len() == 1 => return Ok(()),
            Ok(records) => format!("{}: {} records are in it", file.display(), records.len()),
            Err(error) => error.to_string(),
        };
        Err(FolderError::Record { problem })
    }

    /// A plan in a folder, which may hold it already. A changed plan may have more cells or fewer,
    /// but no other settings of what was begun.
    pub fn create(path: &Path, plan: Plan) -> Result<Self, FolderError> {
        if path.join(PLAN).is_file() {
            let before = Self::open(path)?;
            let changed = before.plan.cells().iter().find(|old| {
                let now = plan.cells().iter().find(|new| new.name() == old.name());
                now.is_some_and(|new| new.fingerprint() != old.fingerprint())
                    && before.is_begun(old)
            });
            if let Some(cell) = changed {
                let (path, cell) = (path.display().to_string(), cell.name().to_owned());
                return Err(FolderError::Changed { path, cell });
            }
        }
        // The plan's name may come from its file, which is called sweep.toml from here on.
        let mut text = plan.text().to_owned();
        let is_named = Plan::parse(PLAN, &text, plan.suite_text())?.name() == plan.name();
        if !is_named {
            text = format!("name = {:?}\n{text}", plan.name());
        }
        let this = Self { path: path.to_owned(), plan };
        if let Some(suite) = this.plan.suite_text() {
            this.write(SUITE, suite.as_bytes())?;
        }
        this.write(PLAN, text.as_bytes())?;
        Ok(this)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is done in it.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The folder of records.
    pub fn records(&self) -> PathBuf {
        self.path.join("records")
    }

    /// The folder of the claims on a cell.
    pub fn claims(&self, cell: &Cell) -> PathBuf {
        self.path.join("claims").join(cell.name())
    }

    /// The folder of what was done for a cell.
    pub fn work(&self, cell: &Cell) -> PathBuf {
        self.path.join("work").join(cell.name())
    }

    /// The file of a cell's failure.
    pub fn failure(&self, cell: &Cell) -> PathBuf {
        self.path.join("failures").join(format!("{}.json", cell.name()))
    }

    /// The folder of submitted jobs.
    pub fn slurm(&self) -> PathBuf {
        self.path.join("slurm")
    }

    /// The checkpoint of a finished cell, from this folder.
    pub fn checkpoint_name(cell: &Cell) -> String {
        format!("checkpoints/{}.safetensors", cell.name())
    }

    /// Whether a cell has its record.
    pub fn is_finished(&self, cell: &Cell) -> bool {
        store::path_of(&self.records(), cell.name()).is_file()
    }

    fn is_begun(&self, cell: &Cell) -> bool {
        self.is_finished(cell) || self.work(cell).is_dir()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let file = self.path.join(name);
        // Whoever reads the folder at this moment need not see the same bytes come again.
        if std::fs::read(&file).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        write_whole(&file, bytes)
            .map_err(|error| FolderError::File { path: file.display().to_string(), error })
    }
}

/// The names in a folder that are numbers: claims and attempts are counted. None if it is not there.
pub(crate) fn numbered(folder: &Path) -> io::Result<Vec<u64>> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?
            .filter_map(|entry| match entry {
                Ok(entry) => entry.file_name().to_str()?.parse().ok().map(Ok),
                Err(error) => Some(Err(error)),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str) -> Plan {
        let text = format!("[[cells]]\nalgorithms = [\"bfs\"]\nmodels = [\"pgn\"]\n{more}");
        Plan::parse("some/mine.toml", &text, None).unwrap()
    }

    #[test]
    fn a_sweep_comes_back_under_its_name() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("deep/sweep");
        SweepFolder::create(&path, plan("")).unwrap();
        let back = SweepFolder::open(&path).unwrap();
        assert_eq!((back.plan().name(), back.plan().cells().len()), ("mine", 1));
    }

    #[test]
    fn more_cells_may_come_but_no_other_settings_of_what_was_begun() {
        let at = tempfile::tempdir().unwrap();
        let first = SweepFolder::create(at.path(), plan("seeds = [1]")).unwrap();
        // Nothing is begun: all may change.
        SweepFolder::create(at.path(), plan("seeds = [1]\n[training]\nepochs = 2")).unwrap();
        SweepFolder::create(at.path(), plan("seeds = [1]")).unwrap();
        std::fs::create_dir_all(first.work(&first.plan().cells()[0])).unwrap();
        let more = SweepFolder::create(at.path(), plan("seeds = [1, 2]")).unwrap();
        assert_eq!(more.plan().cells().len(), 2);
        let changed = plan("seeds = [1]\n[training]\nepochs = 2");
        let told = SweepFolder::create(at.path(), changed).unwrap_err().to_string();
        assert!(told.contains("holds bfs-pgn-paper-1 with other settings"), "{told}");
    }

    #[test]
    fn a_folder_without_a_sweep_is_told() {
        let at = tempfile::tempdir().unwrap();
        let told = SweepFolder::open(at.path()).unwrap_err().to_string();
        assert!(told.contains("there is no sweep.toml in it"), "{told}");
    }
}
