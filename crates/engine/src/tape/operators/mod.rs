//! The operators, forward: shapes are checked here, values are computed by the device.
//!
//! # Panics
//! Every operator panics when shapes do not fit: that is a mistake in a model, not in data.

mod graphs;
mod layers;
mod values;

pub use graphs::{MessageLayer, Messages};
pub use layers::Linear;
