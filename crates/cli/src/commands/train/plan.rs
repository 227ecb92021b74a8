//! One training of a command: what it starts from, and the folder it writes to.

use std::path::{Path, PathBuf};

use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::compute::Compute;
use salsa_learn::model::processors;
use salsa_learn::run::Run;
use salsa_learn::training::{Folder, Trainer};
use salsa_traces::suite::Suite;

use crate::failure::Failure;
use crate::files::write_whole;

/// A training that has not begun.
pub struct Plan {
    path: PathBuf,
    start: Start,
    suite: Suite,
}

enum Start {
    New(Run),
    Resumed { checkpoint: Checkpoint, has_new_end: bool },
}

impl Plan {
    /// A run from its start in a folder that holds none.
    pub fn new(run: Run, path: PathBuf) -> Result<Self, Failure> {
        if Folder::new(&path).last().exists() {
            return Err(Failure::mistake(format!(
                "{} holds a run already; go on with --resume {0}, or choose another --out",
                path.display()
            )));
        }
        let suite = Suite::named_or_load(run.suite())?;
        Ok(Self { path, suite, start: Start::New(run) })
    }

    /// The run of a folder from where it stopped, to `epochs` if they are given.
    pub fn resume(path: &Path, epochs: Option<u64>) -> Result<Self, Failure> {
        let names = processors::names();
        let mut checkpoint = Checkpoint::read(&Folder::new(path).last(), &names)
            .map_err(|error| Failure::mistake(format!("{error}; is there a run to resume?")))?;
        if let Some(epochs) = epochs {
            let line = format!("training.epochs = {epochs}");
            checkpoint.run = checkpoint.run.with("--epochs", &line, &names)?;
        }
        let suite = Suite::named_or_load(checkpoint.run.suite())?;
        let has_new_end = epochs.is_some();
        let start = Start::Resumed { checkpoint, has_new_end };
        Ok(Self { path: path.to_owned(), suite, start })
    }

    /// Where it writes.
    pub fn folder(&self) -> Folder {
        Folder::new(&self.path)
    }

    /// What it is called beside others: by its seed, or by the folder it goes on in.
    pub fn label(&self) -> String {
        match &self.start {
            Start::New(run) => format!("seed {}", run.seed),
            Start::Resumed { .. } => self.path.display().to_string(),
        }
    }

    /// The trainer, on a device that is made ready before anything is written.
    pub fn trainer(&self, compute: Compute) -> Result<Trainer<'_>, Failure> {
        match &self.start {
            Start::New(run) => {
                let trainer = Trainer::new(run, &self.suite, compute)?;
                std::fs::create_dir_all(&self.path)
                    .map_err(|error| Failure::writing(&self.path.display().to_string(), &error))?;
                self.write(run)?;
                Ok(trainer)
            }
            Start::Resumed { checkpoint, has_new_end } => {
                let trainer = Trainer::resume(checkpoint, &self.suite, compute)?;
                if *has_new_end {
                    self.write(&checkpoint.run)?;
                }
                Ok(trainer)
            }
        }
    }

    fn write(&self, run: &Run) -> Result<(), Failure> {
        write_whole(&self.path.join("run.toml"), run.to_toml().as_bytes())
    }
}
