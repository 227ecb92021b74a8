//! How a training ends, well or badly.

use salsa_engine::cuda::CudaError;
use salsa_traces::sample::SampleError;
use salsa_traces::suite::SuiteError;
use thiserror::Error;

use super::log::{Ending, LogError};
use crate::batch::BatchError;
use crate::checkpoint::CheckpointError;
use crate::compared::Mismatch;
use crate::network::NetworkError;

/// How a training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// By itself.
    Finished(Ending),
    /// The observer wanted it; the last checkpoint goes on from here.
    Interrupted,
}

/// Why a training failed.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The run describes no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The suite has no training or validation split.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A sample could not be made.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Samples do not make a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A prediction does not have the shape of the answer.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A log could not be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The device failed.
    #[error("{0}; the last checkpoint is still there")]
    Device(CudaError),
    /// The device has not enough memory.
    #[error("{error}; the last checkpoint is still there{}", smaller(*batch))]
    OutOfMemory {
        /// What the device says.
        error: CudaError,
        /// How many samples a batch had.
        batch: u64,
    },
    /// More training samples than an epoch can put in order.
    #[error("{samples} training samples are too many for an epoch; set training.train_samples")]
    TooLong {
        /// How many there are.
        samples: u64,
    },
    /// The loss is not a number any more.
    #[error(
        "step {step}, batch {batch} of epoch {epoch}: {term} is {value}; the last checkpoint is \
         from before it"
    )]
    NotFinite {
        /// The step, from 1.
        step: u64,
        /// The epoch, from 1.
        epoch: u64,
        /// The batch, from 1.
        batch: u64,
        /// What is not finite.
        term: String,
        /// What it is.
        value: f64,
    },
}

impl TrainError {
    /// A device without memory, in batches of so many samples.
    pub(super) fn in_batches_of(self, batch: u64) -> Self {
        match self {
            Self::Device(error @ CudaError::OutOfMemory { .. }) => {
                Self::OutOfMemory { error, batch }
            }
            other => other,
        }
    }
}

/// One sample cannot be fewer.
fn smaller(batch: u64) -> &'static str {
    if batch > 1 { " and can go on with smaller batches" } else { "" }
}

impl From<CudaError> for TrainError {
    fn from(error: CudaError) -> Self {
        Self::Device(error)
    }
}
