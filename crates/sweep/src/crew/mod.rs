//! As many workers as a machine holds, each a thread with a network and a device of its own.
//!
//! A worker takes the first cell that is to be had, brings it to its end and takes the next. They
//! share nothing that decides a result, so a cell ends as it would have alone; on a GPU they share
//! the device, as the trainings of `salsa train --seeds` do. Several crews, on one machine or many,
//! may work on one folder: all they know of each other is in its claims and records.

mod picker;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use salsa_learn::compute::{Compute, Computed};
use thiserror::Error;

use self::picker::{Pick, Picker};
use crate::claim::{Beating, Claim, Heart};
use crate::folder::SweepFolder;
use crate::plan::Cell;
use crate::work::{Ended, Event, Failure, Watcher, Work, WorkError};

/// How a crew works.
#[derive(Debug)]
pub struct Options<'a> {
    /// Where to compute, all workers together.
    pub compute: Compute,
    /// Beginnings of the names of the cells to work on; all where there are none.
    pub only: &'a [String],
    /// Workers at the same time.
    pub jobs: usize,
    /// How long a claim lasts without a sign of life.
    pub lease: Duration,
    /// What to do when all that is left is in the hands of others.
    pub rest: Rest,
    /// Set to save and stop.
    pub stop: &'a AtomicBool,
    /// When to save and stop by itself.
    pub deadline: Option<Instant>,
}

/// What to do when all that is left is in the hands of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Wait until all is finished, and take over from who dies.
    Wait,
    /// Leave it to them, once they have shown for two leases that they are alive.
    Leave,
}

/// Who watches a crew.
pub trait Observer: Sync {
    /// Something happened to the cell of this number.
    fn event(&self, cell: usize, event: Event<'_>);
}

/// What a crew has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Cells that this crew finished.
    pub finished: usize,
    /// Cells that it was to work on and that cannot be done.
    pub failed: usize,
    /// Cells that nobody has finished yet, those that failed among them.
    pub left: usize,
    /// Whether it was told to stop with work left to do.
    pub stopped: bool,
}

/// Why a crew had to end.
#[derive(Debug, Error)]
pub enum CrewError {
    /// The system could not.
    #[error("{0}")]
    System(String),
}

/// Works until nothing is left to do, or it is time to stop.
pub fn work(
    folder: &SweepFolder,
    options: &Options<'_>,
    observer: &dyn Observer,
) -> Result<Done, CrewError> {
    let compute = options.compute.shared_by(options.jobs);
    // What no cell can use is told once; what has to be made for a device is made once.
    let computed = compute.try_out().map_err(|error| CrewError::System(error.to_string()))?;
    let crew = Crew {
        folder,
        options,
        observer,
        compute,
        computed,
        heart: Heart::start(options.lease),
        picker: Mutex::new(Picker::new(folder, options.lease, options.only)),
        trouble: Mutex::new(None),
        finished: Mutex::new(0),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| crew.work());
        }
    });
    let stopped = crew.stops();
    if let Some(trouble) = crew.trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(CrewError::System(trouble));
    }
    let open = |cell: &&Cell| !folder.is_finished(cell);
    let left: Vec<&Cell> = folder.plan().cells().iter().filter(open).collect();
    let ours = left.iter().filter(|cell| cell.is_one_of(options.only));
    let (failed, open): (Vec<&Cell>, Vec<&Cell>) =
        ours.partition(|cell| Failure::read(folder, cell).is_some());
    Ok(Done {
        finished: crew.finished.into_inner().unwrap_or_else(PoisonError::into_inner),
        failed: failed.len(),
        left: left.len(),
        stopped: stopped && !open.is_empty(),
    })
}

struct Crew<'a> {
    folder: &'a SweepFolder,
    options: &'a Options<'a>,
    observer: &'a dyn Observer,
    compute: Compute,
    computed: Computed,
    heart: Heart,
    picker: Mutex<Picker<'a>>,
    /// What made everybody stop.
    trouble: Mutex<Option<String>>,
    finished: Mutex<usize>,
}

/// What one cell's work is watched by.
struct OfCell<'c, 'a> {
    crew: &'c Crew<'a>,
    place: usize,
}

impl<'a> Crew<'a> {
    fn work(&self) {
        while !self.stops() {
            let picked = self.picker().next(self.options.rest, |place, event| {
                self.observer.event(place, event);
            });
            match picked {
                Ok(Pick::Cell(place, claim)) => self.cell(place, claim),
                Ok(Pick::Later(pause)) => self.pause(pause),
                Ok(Pick::Nothing) => return,
                Err(error) => return self.stop_all(error),
            }
        }
    }

    fn cell(&self, place: usize, claim: Claim) {
        let cell = &self.folder.plan().cells()[place];
        let record = salsa_records::store::path_of(&self.folder.records(), cell.name());
        let (attempt, claim) = (claim.number(), self.heart.hold(claim, record));
        let watcher = OfCell { crew: self, place };
        let (compute, computed) = (self.compute, &self.computed);
        let work =
            Work { folder: self.folder, cell, claim: &claim, compute, computed, watcher: &watcher };
        let ended = match self.folder.is_finished(cell) {
            // Somebody was faster between a look and the claim.
            true => Ok(Ended::Lost),
            false => work.run(),
        };
        let is_over = matches!(ended, Ok(Ended::Finished) | Err(WorkError::Cell(_)));
        match ended {
            Ok(Ended::Finished) => *lock(&self.finished) += 1,
            Ok(Ended::Stopped) => watcher.event(Event::Stopped),
            Ok(Ended::Lost) => watcher.event(Event::Lost),
            // A holder that lost its cell may find its files gone.
            Err(_) if self.is_lost(cell, &claim) => {
                watcher.event(Event::Lost);
            }
            Err(WorkError::Cell(message)) => {
                watcher.event(Event::Failed(&message));
                let failure = Failure { message, attempt };
                if let Err(error) = failure.write(self.folder, cell) {
                    self.stop_all(format!("{}: {error}", self.folder.failure(cell).display()));
                }
            }
            Err(WorkError::System(message) | WorkError::Damaged(message)) => self.stop_all(message),
        }
        self.picker().returned(place, is_over);
        // A claim that cannot be let go ends with its lock or its lease.
        let _ = self.heart.let_go(&claim);
    }

    fn is_lost(&self, cell: &Cell, claim: &Beating) -> bool {
        claim.is_lost() || claim.claim().is_superseded() || self.folder.is_finished(cell)
    }

    fn stops(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
            || self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || lock(&self.trouble).is_some()
    }

    fn stop_all(&self, message: String) {
        lock(&self.trouble).get_or_insert(message);
    }

    /// Waits, but not beyond a wish to stop.
    fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        while Instant::now() < until && !self.stops() {
            std::thread::sleep(Duration::from_millis(20).min(pause));
        }
    }

    fn picker(&self) -> MutexGuard<'_, Picker<'a>> {
        lock(&self.picker)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watcher for OfCell<'_, '_> {
    fn event(&self, event: Event<'_>) {
        self.crew.observer.event(self.place, event);
    }

    fn stops(&self) -> bool {
        self.crew.stops()
    }
}
