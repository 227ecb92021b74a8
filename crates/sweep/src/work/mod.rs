//! The work on one cell: train, evaluate, record; at any point it may end and be taken up again.
//!
//! What is done is kept in files of the claim's own number ([`workspace`]): checkpoints of the
//! training, the result of each set, a line for each graph of the set under way. Everything in a
//! record but its circumstances follows from the cell, so it does not matter who did which part.

mod error;
mod evaluating;
mod event;
mod failure;
mod finishing;
mod training;
pub mod workspace;

use std::path::{Path, PathBuf};

use salsa_learn::compute::{Compute, Computed};

use crate::claim::Beating;
use crate::folder::SweepFolder;
use crate::plan::Cell;

pub use error::WorkError;
pub use event::Event;
pub use failure::Failure;

/// Told what happens to a cell, and asked whether to go on.
pub trait Watcher {
    /// Something happened.
    fn event(&self, event: Event<'_>);
    /// Whether to save and stop now.
    fn stops(&self) -> bool;
}

/// How the work on a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It is recorded.
    Finished,
    /// It was stopped and can be taken up by anybody.
    Stopped,
    /// Somebody else has it, or has finished it.
    Lost,
}

/// A cell that this process works on.
pub struct Work<'a> {
    /// The sweep.
    pub folder: &'a SweepFolder,
    /// The cell.
    pub cell: &'a Cell,
    /// The right to work on it.
    pub claim: &'a Beating,
    /// Where to compute.
    pub compute: Compute,
    /// What that is called in records.
    pub computed: &'a Computed,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
}

impl Work<'_> {
    /// Takes the cell up where it was left and brings it to its end, if nobody stops it.
    pub fn run(&self) -> Result<Ended, WorkError> {
        let attempt = self.claim.claim().number();
        self.watcher.event(Event::Begun { attempt });
        let place = workspace::prepare(&self.folder.work(self.cell), attempt)?;
        match self.go_on(&place) {
            // By a broken disk: the start leads to the same end.
            Err(WorkError::Damaged(_)) => {
                workspace::empty(&place)?;
                self.go_on(&place)
            }
            ended => ended,
        }
    }

    fn go_on(&self, place: &Path) -> Result<Ended, WorkError> {
        let Some(trained) = self.trained(place)? else { return Ok(self.stopped()) };
        let Some(evaluated) = self.evaluated(place)? else { return Ok(self.stopped()) };
        if self.claim.is_lost() {
            return Ok(Ended::Lost);
        }
        self.finish(place, trained, evaluated)?;
        self.watcher.event(Event::Finished);
        Ok(Ended::Finished)
    }

    /// Whether to end now, for whatever reason.
    fn stops(&self) -> bool {
        self.claim.is_lost() || self.watcher.stops()
    }

    fn stopped(&self) -> Ended {
        if self.claim.is_lost() { Ended::Lost } else { Ended::Stopped }
    }

    /// The folder of what the sweep has of this cell.
    fn all_work(&self) -> PathBuf {
        self.folder.work(self.cell)
    }
}
