//! A sweep on Slurm: workers as a job array, and what Slurm knows of them.
//!
//! Slurm starts and ends workers; which cell is whose is settled by claims alone. So a submission
//! is only a number of workers, and submitting again adds those that are missing.

mod queue;
mod script;
mod submission;

use std::io;

use thiserror::Error;

pub use queue::{TaskState, Tasks};
pub use script::Job;
pub use submission::{Submitted, jobs, submit};

/// Why Slurm could not do it.
#[derive(Debug, Error)]
pub enum SlurmError {
    /// There is no Slurm here.
    #[error("cannot run {program}: {error}; is this a machine that submits Slurm jobs?")]
    Missing {
        /// The program.
        program: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// It refused.
    #[error("{program}: {message}")]
    Refused {
        /// The program.
        program: &'static str,
        /// What it said.
        message: String,
    },
    /// A file of the sweep's folder.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// What a program of Slurm prints.
fn output(program: &'static str, words: &[&str]) -> Result<String, SlurmError> {
    let output = std::process::Command::new(program)
        .args(words)
        .output()
        .map_err(|error| SlurmError::Missing { program, error })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let told = String::from_utf8_lossy(&output.stderr);
            let lines: Vec<&str> = told.lines().map(str::trim).collect();
            Err(SlurmError::Refused { program, message: lines.join("; ") })
        }
    }
}
