//! What can be wrong with a checkpoint: one variant for each malformation.
//!
//! A malformation says what; the error around it says which file. So a model that meets a wrong
//! shape need not know where the checkpoint came from.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::run::RunError;

/// Why a checkpoint could not be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The system could not write it; an earlier file of that name is untouched.
    #[error("{path}: cannot write the checkpoint: {error}")]
    Write {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The system could not read it.
    #[error("{path}: cannot read the checkpoint: {error}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// A folder in which no epoch has ended.
    #[error(
        "{path}: there is no best.safetensors in it; a training writes it after its first epoch"
    )]
    NoBest {
        /// The folder.
        path: String,
    },
    /// It was read, but it is no checkpoint, or not one that fits.
    #[error("{path}: {malformation}")]
    Malformed {
        /// The file.
        path: String,
        /// What is wrong with it.
        malformation: Malformation,
    },
}

/// What is wrong with the bytes of a checkpoint, or with what they hold.
#[derive(Debug, Error)]
pub enum Malformation {
    /// The file ends early, as a half-written or half-copied one does.
    #[error("the file is truncated: expected {expected} bytes, found {found}")]
    Truncated {
        /// How long it says it is.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// The file goes on after its last tensor.
    #[error("expected {expected} bytes, found {found}: something follows the last tensor")]
    TooLong {
        /// How long it says it is.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// The header is none, or contradicts itself.
    #[error("not a safetensors file: {reason}")]
    NotSafetensors {
        /// What the header has.
        reason: String,
    },
    /// A safetensors file from elsewhere.
    #[error("a safetensors file but no checkpoint: its metadata has no {key:?}")]
    MissingMetadata {
        /// The key.
        key: &'static str,
    },
    /// Written by another version of this program.
    #[error("checkpoint format {found:?}, expected {expected:?}")]
    WrongVersion {
        /// The version that is read.
        expected: &'static str,
        /// The file's version.
        found: String,
    },
    /// Some byte changed since it was written.
    #[error("the file is damaged: expected checksum {expected:?}, found {found:?}")]
    WrongChecksum {
        /// What the file says.
        expected: String,
        /// What its bytes give.
        found: String,
    },
    /// The run file inside cannot be used.
    #[error("{0}")]
    Run(#[from] RunError),
    /// The progress inside cannot be used.
    #[error("progress: {reason}")]
    Progress {
        /// The field and the place.
        reason: String,
    },
    /// A tensor of another type than float32.
    #[error("tensor {name:?}: expected F32, found {found}")]
    WrongType {
        /// The tensor.
        name: String,
        /// Its type.
        found: String,
    },
    /// A tensor of no known group.
    #[error("tensor {name:?}: expected a name under param/, buffer/, adam_m/ or adam_v/")]
    UnknownGroup {
        /// The tensor.
        name: String,
    },
    /// A tensor that the model needs is not there.
    #[error("tensor {name:?} is missing")]
    MissingTensor {
        /// The tensor.
        name: String,
    },
    /// A tensor that the model does not have.
    #[error("tensor {name:?}: the model has none of that name")]
    UnexpectedTensor {
        /// The tensor.
        name: String,
    },
    /// A tensor that the model has in another shape.
    #[error("tensor {name:?}: expected shape {expected:?}, found {found:?}")]
    WrongShape {
        /// The tensor.
        name: String,
        /// The model's shape.
        expected: Vec<usize>,
        /// The file's shape.
        found: Vec<usize>,
    },
}

impl Malformation {
    /// The error of the file at `path`.
    pub fn at(self, path: &Path) -> CheckpointError {
        CheckpointError::Malformed { path: path.display().to_string(), malformation: self }
    }
}
