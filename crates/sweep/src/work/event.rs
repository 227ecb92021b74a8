//! What can be told of the work on a cell.

use salsa_learn::training::StepView;
use salsa_learn::training::log::EpochSummary;

/// Something that happened to a cell.
#[derive(Debug)]
pub enum Event<'a> {
    /// It was taken up, for the n-th time.
    Begun {
        /// From 1.
        attempt: u64,
    },
    /// Its training goes on from here.
    Training {
        /// Steps done.
        step: u64,
        /// Epochs at most.
        epochs: u64,
        /// Batches in an epoch.
        n_batches: u64,
    },
    /// A step was made.
    Step(&'a StepView<'a>),
    /// An epoch is over and validated.
    Epoch(&'a EpochSummary),
    /// It is evaluated on the next set.
    Set {
        /// The set.
        set: &'a str,
        /// Graphs done, of all sets.
        done: u64,
        /// Graphs of all sets.
        total: u64,
    },
    /// Its evaluation has come so far, in the middle of a set.
    Evaluating {
        /// The set.
        set: &'a str,
        /// Graphs done, of all sets.
        done: u64,
        /// Graphs of all sets.
        total: u64,
    },
    /// It is recorded.
    Finished,
    /// It was recorded before, or by somebody else.
    Known,
    /// It was stopped.
    Stopped,
    /// Somebody else has it.
    Lost,
    /// It cannot be done.
    Failed(&'a str),
}
