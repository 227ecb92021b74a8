//! Tensors, a tape and about twenty operators, made for message passing on sparse graphs.
//!
//! The graphs of algorithmic reasoning are small and their trajectories long, so a training step
//! is hundreds of small operators. General frameworks spend most of it on dispatch, copies and
//! passes over memory; here operators are few and fused, buffers are reused, dense products need
//! no packing, and results are bit-identical for any number of threads.
//!
//! A [`Tape`](tape::Tape) runs operators on a [`Device`](device::Device) and remembers them; walked
//! backwards it gives gradients. [`optimiser`] applies them.

pub mod buffer;
pub mod graph;

pub mod device;

pub mod cpu;
pub mod cuda;
pub mod reference;

pub mod tape;

pub mod optimiser;
