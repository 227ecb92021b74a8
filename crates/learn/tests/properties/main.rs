//! What holds for every processor on every algorithm: equivariance, gradients, devices, training,
//! checkpoints, and going on after a stop.
//!
//! Networks are tiny (hidden size 8 unless they must learn something), so all members of the lists
//! are tried in both conventions. A new processor is tested by being in the list.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod cases;
#[path = "../listed/mod.rs"]
mod listed;

mod batches;
mod list;

mod gradients;
mod relabelling;
mod separation;

mod devices;
mod parity;
mod threads;

mod hints;
mod overfitting;

mod checkpoints;
mod example;
mod not_finite;
mod resuming;
mod runs;
