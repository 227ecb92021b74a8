//! Why the work on a cell ended badly, and whose fault it is.

use std::io;
use std::path::Path;

use salsa_learn::checkpoint::CheckpointError;
use salsa_learn::evaluation::EvaluateError;
use salsa_learn::network::NetworkError;
use salsa_learn::training::TrainError;
use salsa_learn::training::log::LogError;
use salsa_records::store::StoreError;
use salsa_traces::files;
use thiserror::Error;

/// Why the work on a cell ended badly.
#[derive(Debug, Error)]
pub enum WorkError {
    /// The system could not: a full disk, a lost device. Other cells would fare no better, and
    /// this one may be tried again.
    #[error("{0}")]
    System(String),
    /// What was kept of the cell is no good any more: it has to begin again.
    #[error("{0}")]
    Damaged(String),
    /// The cell itself cannot be done, and would fail again.
    #[error("{0}")]
    Cell(String),
}

impl WorkError {
    /// A file could not be read or written.
    pub fn file(path: &Path, error: &io::Error) -> Self {
        Self::System(format!("{}: {}", path.display(), files::told(error)))
    }
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::System(error.to_string())
    }
}

impl From<LogError> for WorkError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Malformed { .. } => Self::Damaged(error.to_string()),
            LogError::File { .. } => Self::System(error.to_string()),
        }
    }
}

impl From<CheckpointError> for WorkError {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::Malformed { .. } => Self::Damaged(error.to_string()),
            _ => Self::System(error.to_string()),
        }
    }
}

impl From<NetworkError> for WorkError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Cuda(_) => Self::System(error.to_string()),
            _ => Self::Cell(error.to_string()),
        }
    }
}

impl From<TrainError> for WorkError {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Network(error) => error.into(),
            TrainError::Checkpoint(error) => error.into(),
            TrainError::Log(error) => error.into(),
            TrainError::Device(error) => Self::System(error.to_string()),
            // One job may be all that there is, but one sample cannot be fewer.
            TrainError::OutOfMemory { error, batch: 1 } => {
                Self::System(format!("{error}; lower --jobs if there is more than one"))
            }
            TrainError::OutOfMemory { error, .. } => Self::System(format!(
                "{error}; lower --jobs, or training.batch in the sweep's file"
            )),
            _ => Self::Cell(error.to_string()),
        }
    }
}

impl From<EvaluateError> for WorkError {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Network(error) => error.into(),
            _ => Self::Cell(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use salsa_engine::cuda::CudaError;

    use super::*;

    #[test]
    fn without_memory_smaller_batches_are_named_where_there_are_smaller_ones() {
        let told = |batch| {
            let error = CudaError::OutOfMemory { needed: 3, held: 2, free: 1, total: 4 };
            WorkError::from(TrainError::OutOfMemory { error, batch }).to_string()
        };
        assert!(told(8).ends_with("; lower --jobs, or training.batch in the sweep's file"));
        assert!(told(1).ends_with("; lower --jobs if there is more than one"));
    }
}
