//! One training that has not begun: what it starts from, and the folder it writes to.
//!
//! Everything that can be wrong with a run, its folder and its suite is found here, before a device
//! is made ready; and nothing is written before one is.

use std::io;
use std::path::{Path, PathBuf};

use salsa_traces::files::write_whole;
use salsa_traces::suite::{Suite, SuiteError};
use thiserror::Error;

use super::{Folder, TrainError, Trainer};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::compute::Compute;
use crate::model::processors;
use crate::run::{Run, RunError};

/// A training that has not begun.
#[derive(Debug)]
pub struct Plan {
    path: PathBuf,
    start: Start,
    suite: Suite,
}

#[derive(Debug)]
enum Start {
    New(Run),
    Resumed(Checkpoint),
}

/// What a run that goes on may have other than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Epochs at most.
    pub epochs: Option<u64>,
    /// Graphs in a batch, from the next one on; the rest of an epoch that is under way is cut into
    /// those.
    pub batch: Option<u64>,
}

/// Why a training cannot begin.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The folder has a run.
    #[error("{path} holds a run already; resume it, or choose another folder")]
    Occupied {
        /// The folder.
        path: String,
    },
    /// The folder has no run that could go on.
    #[error("{0}; is there a run to resume?")]
    NothingToResume(CheckpointError),
    /// The checkpoint to go on from cannot be used.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// The run cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no such suite.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// There is no such network or device.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The folder cannot be written to.
    #[error("{path}: {error}")]
    Write {
        /// The folder or file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

impl Plan {
    /// A run from its start in a folder that holds none.
    pub fn new(run: &Run, path: PathBuf) -> Result<Self, PlanError> {
        if Folder::new(&path).last().exists() {
            return Err(PlanError::Occupied { path: path.display().to_string() });
        }
        let run = run.resolved();
        let suite = Suite::named_or_load(run.suite())?;
        Ok(Self { path, suite, start: Start::New(run) })
    }

    /// The run of a folder from where it stopped, with some changes.
    pub fn resume(path: &Path, changes: Changes) -> Result<Self, PlanError> {
        let names = processors::names();
        let mut checkpoint =
            Checkpoint::read(&Folder::new(path).last(), &names).map_err(|error| match error {
                CheckpointError::Read { .. } => PlanError::NothingToResume(error),
                other => PlanError::Checkpoint(other),
            })?;
        let Changes { epochs, batch } = changes;
        let fields = [("epochs", "training.epochs", epochs), ("batch", "training.batch", batch)];
        for (name, field, value) in fields {
            if let Some(value) = value {
                let value = value.to_string();
                checkpoint.run = checkpoint.run.with_value(name, field, &value, &names)?;
            }
        }
        // The file it came from may have changed since, or not be there any more.
        let kept = Folder::new(path).suite_file();
        let suite = match kept.exists() {
            true => Suite::load(&kept)?,
            false => Suite::named_or_load(checkpoint.run.suite())?,
        };
        Ok(Self { path: path.to_owned(), suite, start: Start::Resumed(checkpoint) })
    }

    /// Where it writes.
    pub fn folder(&self) -> Folder {
        Folder::new(&self.path)
    }

    /// The run, if it begins at its start.
    pub fn new_run(&self) -> Option<&Run> {
        match &self.start {
            Start::New(run) => Some(run),
            Start::Resumed(_) => None,
        }
    }

    /// The trainer, on a device that is made ready before anything is written.
    pub fn trainer(&self, compute: Compute) -> Result<Trainer<'_>, PlanError> {
        match &self.start {
            Start::New(run) => {
                let trainer = Trainer::new(run, &self.suite, compute)?;
                self.write(run)?;
                Ok(trainer)
            }
            Start::Resumed(checkpoint) => Ok(Trainer::resume(checkpoint, &self.suite, compute)?),
        }
    }

    fn write(&self, run: &Run) -> Result<(), PlanError> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            |error| PlanError::Write { path, error }
        };
        std::fs::create_dir_all(&self.path).map_err(failed(&self.path))?;
        if Suite::is_path(run.suite()) {
            let file = self.folder().suite_file();
            write_whole(&file, self.suite.text.as_bytes()).map_err(failed(&file))?;
        }
        let file = self.folder().run_file();
        write_whole(&file, run.to_toml().as_bytes()).map_err(failed(&file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Unobserved;

    fn tiny() -> Run {
        let mut run = Run::default();
        run.model.hidden = 4;
        run.training.epochs = 1;
        run.training.train_samples = Some(4);
        run.training.validation_samples = Some(4);
        run
    }

    #[test]
    fn a_suite_of_ones_own_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join("run"), folder.path().join("mine.toml"));
        let text = &Suite::named("paper").unwrap().text;
        std::fs::write(&file, text).unwrap();
        let run = Run { suite: Some(file.display().to_string()), ..tiny() };
        let plan = Plan::new(&run, path.clone()).unwrap();
        let compute = Compute::Cpu { n_threads: 1 };
        plan.trainer(compute).unwrap().train(&plan.folder(), &mut Unobserved).unwrap();
        std::fs::write(&file, text.replace("seed = 0", "seed = 1")).unwrap();
        assert_eq!(Plan::resume(&path, Changes::default()).unwrap().suite.seed, 0);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(Plan::resume(&path, Changes::default()).unwrap().suite.text, *text);
    }

    #[test]
    fn a_folder_takes_one_run_which_then_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let compute = Compute::Cpu { n_threads: 1 };
        let missing = Plan::resume(&path, Changes::default()).unwrap_err().to_string();
        assert!(missing.ends_with("is there a run to resume?"), "{missing}");
        let plan = Plan::new(&tiny(), path.clone()).unwrap();
        assert!(!path.exists(), "nothing is written before the device is ready");
        plan.trainer(compute).unwrap().train(&plan.folder(), &mut Unobserved).unwrap();
        assert!(matches!(Plan::new(&tiny(), path.clone()), Err(PlanError::Occupied { .. })));
        let refused = |changes| Plan::resume(&path, changes).unwrap_err().to_string();
        let none = refused(Changes { epochs: Some(0), ..Changes::default() });
        assert_eq!(none, "epochs: expected a whole number from 1 to 4294967295, found 0");
        let none = refused(Changes { batch: Some(0), ..Changes::default() });
        assert_eq!(none, "batch: expected a whole number from 1 to 4294967295, found 0");
        let plan = Plan::resume(&path, Changes { epochs: Some(2), batch: Some(3) }).unwrap();
        let mut trainer = plan.trainer(compute).unwrap();
        trainer.train(&plan.folder(), &mut Unobserved).unwrap();
        assert_eq!(trainer.progress().epoch, 2);
        let written = std::fs::read_to_string(plan.folder().run_file()).unwrap();
        assert!(written.contains("batch = 3\nepochs = 2\n"), "{written}");
    }
}
