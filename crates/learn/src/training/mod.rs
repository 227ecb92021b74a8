//! Training: what is added up in an epoch, when the learning rate falls, when to stop, the log.
//!
//! Each part has a state that a checkpoint keeps bit for bit, so a run that was killed and
//! resumed ends with the same weights and the same log as one that ran through.

pub mod early_stopping;
pub mod log;
pub mod order;
pub mod running_loss;
pub mod schedule;
pub mod step;
pub mod trainer;

pub use trainer::{Folder, Observer, Outcome, StepView, TrainError, Trainer, Unobserved};
