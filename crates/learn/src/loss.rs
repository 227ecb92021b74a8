//! The loss: outputs, hints and the size of hidden states.
//!
//! total = output + hint weight * sum of hint losses + 0.01 * mean norm of the last hidden state.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::device::Loss;
use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::spec::Kind;

use crate::batch::{Answers, Batch, Target};
use crate::model::Forward;

/// What the terms of the loss count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossWeights {
    /// Of each hint's loss.
    pub hint: f64,
    /// Of the mean norm of hidden states.
    pub hidden: f64,
}

impl Default for LossWeights {
    fn default() -> Self {
        Self { hint: 1.0, hidden: 0.01 }
    }
}

/// The terms of a loss, each `[1, 1]`.
#[derive(Debug)]
pub struct Losses {
    /// What is minimised.
    pub total: Tensor,
    /// Of each output, in the order of the spec.
    pub outputs: Vec<Tensor>,
    /// Of each hint, in the order of the spec.
    pub hints: Vec<Tensor>,
    /// The mean norm, before its weight.
    pub hidden: Tensor,
}

/// Compares what a network gave with what is right.
pub fn losses(tape: &mut Tape, batch: &Batch, forward: &Forward, weights: LossWeights) -> Losses {
    let mut compare = |decoded: &[Tensor], targets: &[Target]| -> Vec<Tensor> {
        decoded.iter().zip(targets).map(|(&x, target)| compare(tape, x, target)).collect()
    };
    let outputs = compare(&forward.outputs, &batch.outputs);
    let hints = compare(&forward.hints, &batch.hints);
    let hidden = tape.mean_norm(forward.hidden);
    let mut total = outputs[0];
    for &output in &outputs[1..] {
        total = tape.add(total, output);
    }
    for &hint in &hints {
        total = tape.add_scaled(total, weights.hint, hint);
    }
    total = tape.add_scaled(total, weights.hidden, hidden);
    Losses { total, outputs, hints, hidden }
}

fn compare(tape: &mut Tape, decoded: Tensor, target: &Target) -> Tensor {
    let count = match &target.answers {
        Answers::Places(places) => places.len(),
        Answers::Numbers(numbers) => numbers.len(),
    };
    let weights = tape.constant(count, 1, &vec![target.weight; count]);
    match &target.answers {
        Answers::Places(places) => {
            tape.picked(decoded, &Arc::new(Indices::new(places.clone())), weights)
        }
        Answers::Numbers(numbers) => {
            let numbers = tape.constant(numbers.len(), 1, numbers);
            let loss = if target.field.kind == Kind::Scalar { Loss::Squared } else { Loss::Binary };
            tape.loss(loss, decoded, numbers, weights)
        }
    }
}
