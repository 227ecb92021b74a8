//! What a training tells while it runs: records for programs, curves for people.
//!
//! A [`Record`] is one line of JSON in `log.jsonl`, the log proper ([`json_lines`]). The numbers
//! in it also go to a TensorBoard event file ([`tensorboard`]) as curves over optimiser steps.
//! [`RunLog`] writes both and cuts back what a resumed run will tell again.

pub mod json_lines;
mod record;
mod run_log;
pub mod tensorboard;

pub use record::{Ending, EpochSummary, Record, StepSummary};
pub use run_log::RunLog;

use thiserror::Error;

/// Why a log could not be written or read.
#[derive(Debug, Error)]
pub enum LogError {
    /// The system could not.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A line that is no record.
    #[error("{path}:{line}: not a record of a training log: {reason}")]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}
