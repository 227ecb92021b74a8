//! Networks that learn to execute algorithms: batches, models, training, metrics, evaluation.

pub mod batch;
mod compared;
pub mod confidence;
pub mod loss;
pub mod metrics;
pub mod model;
pub mod parity;
pub mod scores;
pub mod validity;
