//! Training: what is added up in an epoch, when the learning rate falls, when to stop, the log.
//!
//! Each part has a state that a checkpoint keeps bit for bit, so a run that was killed and
//! resumed ends with the same weights and the same log as one that ran through.

pub mod ahead;
pub mod early_stopping;
mod folder;
pub mod log;
mod observer;
pub mod order;
mod outcome;
mod plan;
pub mod running_loss;
pub mod schedule;
pub mod step;
pub mod trainer;

pub use folder::Folder;
pub use observer::{Observer, StepView, Unobserved};
pub use outcome::{Outcome, TrainError};
pub use plan::{Changes, Plan, PlanError};
pub use trainer::Trainer;
