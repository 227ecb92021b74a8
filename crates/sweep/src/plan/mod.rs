//! What a sweep does, as data: a TOML file of cells and of sets to evaluate on.
//!
//! ```
//! use salsa_sweep::plan::Plan;
//!
//! let text = r#"
//!     [[cells]]
//!     algorithms = ["bfs", "mis"]
//!     models = ["gin", "pgn"]
//!     seeds = "42..46"
//!
//!     [training]
//!     epochs = 10
//!
//!     [[evaluation.sets]]
//!     splits = ["er_16", "er_80"]
//!     graphs = 100
//! "#;
//! let plan = Plan::parse("mine.toml", text, None)?;
//! assert_eq!(plan.cells().len(), 2 * 2 * 5);
//! assert_eq!(plan.cells()[0].name(), "bfs-gin-paper-42");
//! # Ok::<(), salsa_sweep::plan::PlanError>(())
//! ```

mod cell;
mod parse;
mod sets;

use std::path::Path;

use salsa_learn::evaluation::Steps;
use salsa_traces::convention::Convention;
use salsa_traces::suite::{Suite, SuiteError};
use thiserror::Error;

pub use cell::Cell;
pub use sets::EvaluationSet;

/// Everything a sweep does.
#[derive(Debug)]
pub struct Plan {
    name: String,
    summary: String,
    steps: Steps,
    cells: Vec<Cell>,
    /// Those that cells use, each once.
    suites: Vec<Suite>,
    /// The text of the suite file, where there is one.
    suite_text: Option<String>,
    text: String,
}

/// Why a sweep file cannot be used.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The text is no sweep.
    #[error("{origin}:{line}: {problem}")]
    Invalid {
        /// The file.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// The field, what is wrong with it and what would be right.
        problem: String,
    },
    /// Its suite cannot be used.
    #[error(transparent)]
    Suite(#[from] SuiteError),
}

impl Plan {
    /// Reads and checks a sweep; `origin` is what errors call it. A suite file is read from its
    /// path unless its text is given.
    pub fn parse(origin: &str, text: &str, suite_text: Option<&str>) -> Result<Self, PlanError> {
        parse::plan(origin, text, suite_text)
    }

    /// The sweep in the file at `path`, called by the file's name unless it says another.
    pub fn load(path: &Path) -> Result<Self, PlanError> {
        let origin = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| PlanError::Read { path: origin.clone(), error })?;
        Self::parse(&origin, &text, None)
    }

    /// Its name, for its folder and its records.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a line; may be empty.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// When networks stop.
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// All cells, in the order in which they are done.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The suite of a cell.
    pub fn suite(&self, cell: &Cell) -> &Suite {
        &self.suites[cell.suite]
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of its suite file, where there is one.
    pub fn suite_text(&self) -> Option<&str> {
        self.suite_text.as_deref()
    }

    /// The conventions that occur.
    pub fn conventions(&self) -> Vec<Convention> {
        let has = |convention: &Convention| {
            self.cells.iter().any(|cell| cell.run().convention == *convention)
        };
        Convention::ALL.into_iter().filter(has).collect()
    }
}

#[cfg(test)]
mod tests;
