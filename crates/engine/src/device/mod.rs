//! The seam to the devices: what one has to compute so that the tape can do the rest.
//!
//! A device computes operators and their gradients on buffers of its own; it knows nothing of
//! tapes, parameters or models. Matrices are row-major. Every gradient method has the sign of the
//! chain rule already applied: it takes the gradient of an output and writes, or adds to, the
//! gradient of one input. Results may not depend on how many threads computed them.
//!
//! [`Reference`](crate::reference::Reference) defines the answers, in double precision and in
//! plain loops; [`Cpu`](crate::cpu::Cpu) must agree with it on every method.

mod graphs;
mod layers;
mod operands;
mod values;

use std::fmt::Debug;

pub use graphs::{
    EdgeProducts, GatherMaxima, LogProbabilities, MessageLists, MessageNetworks, SegmentReductions,
};
pub use layers::{
    BatchNorms, DeferredSums, LayerNorms, LinearLayers, LinearMaxima, RecurrentUnits,
};
pub use operands::{
    Activation, AdamStep, Addend, BatchNormState, Binary, DeferredSum, Dense, Gradient,
    GruGradients, GruWeights, Later, Loss, MessageTerms, Part, PartShape, Reduction, Summand,
    Unary,
};
pub use values::{Elementwise, Layout, Losses, Memory, Optimisers};

/// What a device computes. `rows` and `columns` are those of the main operand.
pub trait Device:
    Debug
    + Memory
    + LinearLayers
    + DeferredSums
    + LinearMaxima
    + GatherMaxima
    + MessageLists
    + MessageNetworks
    + EdgeProducts
    + SegmentReductions
    + LogProbabilities
    + Layout
    + LayerNorms
    + BatchNorms
    + RecurrentUnits
    + Elementwise
    + Losses
    + Optimisers
{
}

impl<T> Device for T where
    T: Debug
        + Memory
        + LinearLayers
        + DeferredSums
        + LinearMaxima
        + GatherMaxima
        + MessageLists
        + MessageNetworks
        + EdgeProducts
        + SegmentReductions
        + LogProbabilities
        + Layout
        + LayerNorms
        + BatchNorms
        + RecurrentUnits
        + Elementwise
        + Losses
        + Optimisers
{
}
