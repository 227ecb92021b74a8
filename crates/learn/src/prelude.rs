//! Everything a processor of your own and its training need: `use salsa_learn::prelude::*`.
//!
//! `examples/custom_processor.rs` is a whole one.

pub use salsa_engine::cpu::Cpu;
pub use salsa_engine::device::{Activation, Device, Reduction};
pub use salsa_engine::tape::{Linear, Messages, Tape, Tensor};
pub use salsa_traces::suite::Suite;

pub use crate::batch::Batch;
pub use crate::checkpoint::Checkpoint;
pub use crate::compute::Compute;
pub use crate::model::layers::{Affine, BatchNorm, Builder, Gru, LayerNorm};
pub use crate::model::processors::{OnInput, Processor, Sizes, State, Step, Surroundings};
pub use crate::network::Network;
pub use crate::run::Run;
pub use crate::training::log::EpochSummary;
pub use crate::training::{Folder, Observer, Outcome, StepView, Trainer, Unobserved};
