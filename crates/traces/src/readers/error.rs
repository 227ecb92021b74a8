//! Why a file gave no graph.
//!
//! What a person needs is the place and one sentence, so a malformed file has a line and a reason,
//! written where the mistake is found, and compilers' `file:line:` form lets editors jump there.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Format;

/// Why a file gave no graph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{}: {problem}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// The extension tells no format.
    #[error("{}: unknown extension, expected one of {}; or name the format", .path.display(), known())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// The content breaks the rules of its format.
    #[error("{}: {reason}", place(.path.as_deref(), *.line))]
    Malformed {
        /// The file, if the text came from one.
        path: Option<PathBuf>,
        /// The line, from 1.
        line: usize,
        /// What was expected and what was found.
        reason: String,
    },
}

impl ReadError {
    /// `reason` at `line`.
    pub(super) fn at(line: usize, reason: impl fmt::Display) -> Self {
        Self::Malformed { path: None, line, reason: reason.to_string() }
    }

    /// The same error with the file it is in.
    pub(super) fn in_file(self, file: &Path) -> Self {
        match self {
            Self::Malformed { line, reason, .. } => {
                Self::Malformed { path: Some(file.to_owned()), line, reason }
            }
            other => other,
        }
    }

    /// The line of the mistake, from 1, if the content is at fault.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Malformed { line, .. } => Some(*line),
            Self::Io { .. } | Self::UnknownExtension { .. } => None,
        }
    }
}

/// `roads.gr:17`, or `line 17` of a text from elsewhere.
fn place(path: Option<&Path>, line: usize) -> String {
    match path {
        Some(path) => format!("{}:{line}", path.display()),
        None => format!("line {line}"),
    }
}

/// `.txt .edges (edge-list), .gr .col (dimacs), ...`
fn known() -> String {
    let of_format = |format: Format| {
        let extensions = format.extensions().join(" .");
        format!(".{extensions} ({format})")
    };
    Format::ALL.map(of_format).join(", ")
}
