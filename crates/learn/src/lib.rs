//! Networks that learn to execute algorithms: batches, models, training, metrics, evaluation.
//!
//! The modules stand in the order of the data flow. A [`run`] says what is trained; samples become
//! a [`batch`]; a [`model`] reads it where [`compute`] says, and its [`loss`] is minimised by [`training`], which keeps
//! [`checkpoint`]s, which [`torch`] can read and write; what a trained model predicts is measured by [`metrics`] and judged by
//! [`validity`]. [`parity`] holds all of it to the numbers of a reference.

pub use salsa_records::{confidence, exact_json};

pub mod run;

pub mod compute;

pub mod batch;

pub mod model;

pub mod loss;

pub mod network;

pub mod prediction;

pub mod training;

pub mod checkpoint;

pub mod torch;

mod compared;
pub mod metrics;
pub mod scores;
pub mod validity;

pub mod evaluation;

pub mod parity;

pub mod prelude;

/// The Rust of the documentation runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/extending.md")]
struct Extending;
