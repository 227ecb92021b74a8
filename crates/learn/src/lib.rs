//! Networks that learn to execute algorithms: batches, models, training, metrics, evaluation.

pub mod run;

pub mod exact_json;

pub mod training;

pub mod checkpoint;
