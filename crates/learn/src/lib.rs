//! Networks that learn to execute algorithms: batches, models, training, metrics, evaluation.

mod compared;
pub mod confidence;
pub mod metrics;
pub mod scores;
pub mod validity;

pub mod run;

pub mod exact_json;

pub mod training;

pub mod checkpoint;
