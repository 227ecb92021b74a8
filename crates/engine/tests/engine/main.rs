//! The engine's contract, checked on every operator of the tape.
//!
//! [`programs`] has one small program for each form of each operator. `gradients` differentiates
//! them numerically on the reference device, `conformance` compares the other devices with it,
//! `determinism` compares numbers of threads bit by bit. A new operator needs a program and
//! nothing else, and `gradients` fails until it has one.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod random;
mod stage;

mod programs;

mod conformance;
mod deferred;
mod determinism;
mod folding;
mod gradients;
mod large;
mod message_layers;
mod scopes;
mod ties;
