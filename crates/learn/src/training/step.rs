//! One optimiser step on one batch.

use salsa_engine::cuda::CudaError;
use salsa_engine::device::Later;
use salsa_engine::optimiser::AdamW;
use salsa_engine::tape::{Tape, Tensor};
use thiserror::Error;

use super::running_loss::LossTerms;
use crate::batch::{Batch, Target};
use crate::loss::{LossWeights, Losses, losses};
use crate::network::Network;
use crate::run::Run;

/// What a step needs to know beside the network and the batch.
#[derive(Debug, Clone, Copy)]
pub struct StepOptions {
    /// The optimiser; its learning rate follows the schedule.
    pub optimiser: AdamW,
    /// What the terms of the loss count.
    pub weights: LossWeights,
}

impl StepOptions {
    /// As a run says, with the learning rate it starts with.
    pub fn new(run: &Run) -> Self {
        let training = &run.training;
        Self {
            optimiser: AdamW {
                learning_rate: run.learning_rate(),
                betas: (training.betas[0], training.betas[1]),
                epsilon: training.epsilon,
                weight_decay: training.weight_decay,
                clip: training.clip,
            },
            weights: LossWeights { hint: training.hint_loss, hidden: training.hidden_loss },
        }
    }
}

/// The loss before a step and the norm of its gradient.
#[derive(Debug, Clone, Copy)]
pub struct Stepped {
    /// The loss.
    pub loss: LossTerms,
    /// The norm before clipping.
    pub gradient_norm: f64,
}

/// A loss that is no number any more.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{term} is {value}")]
pub struct NotFinite {
    /// Which term.
    pub term: String,
    /// What it is.
    pub value: f64,
}

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// The loss or its gradient is no number.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] CudaError),
}

/// A step that a device may still be at.
#[derive(Debug)]
pub struct Pending {
    later: Later,
    /// What the values are, after the total and the hidden norm; the last is the gradient's norm.
    outputs: Vec<String>,
    hints: Vec<String>,
}

/// Forward, backward and update; `number` is 1 for the first. Nothing is updated if the loss or
/// its gradient is not finite.
pub fn step(
    network: &mut Network,
    batch: &Batch,
    options: &StepOptions,
    number: u64,
) -> Result<Stepped, StepError> {
    begin(network, batch, options, number).finish(network)
}

/// Hands a whole step to the device. The next may begin before this one is finished.
pub fn begin(network: &mut Network, batch: &Batch, options: &StepOptions, number: u64) -> Pending {
    let Network { tape, model } = network;
    if tape.is_recording() {
        tape.clear();
    } else {
        tape.set_recording(true);
    }
    let forward = model.forward(tape, batch);
    let terms = losses(tape, batch, &forward, options.weights);
    tape.backward(terms.total);
    let clipping = options.optimiser.update(tape, number, terms.total);
    Pending::new(tape, batch, &terms, Some(clipping))
}

impl Pending {
    fn new(tape: &Tape, batch: &Batch, terms: &Losses, clipping: Option<Tensor>) -> Self {
        let mut tensors = vec![terms.total, terms.hidden];
        tensors.extend(terms.outputs.iter().chain(&terms.hints).chain(&clipping));
        let names = |targets: &[Target], terms: &[Tensor]| {
            let named = targets.iter().zip(terms);
            named.map(|(target, _)| target.field.name.to_string()).collect()
        };
        Self {
            later: tape.read_later(&tensors),
            outputs: names(&batch.outputs, &terms.outputs),
            hints: names(&batch.hints, &terms.hints),
        }
    }

    /// Waits for the step and says how it went.
    pub fn finish(self, network: &Network) -> Result<Stepped, StepError> {
        let Self { later, outputs, hints } = self;
        let values = network.tape.wait_for(later);
        network.tape.device().check()?;
        let (loss, gradient_norm) = read(&values, outputs.len(), hints.len());
        if !loss.total.is_finite() {
            let outputs = outputs.iter().map(|name| format!("output {name}"));
            let hints = hints.iter().map(|name| format!("hint {name}"));
            let terms = outputs.chain(hints).zip(values[2..].iter().copied());
            let terms = terms.chain([("hidden norm".to_owned(), loss.hidden)]);
            let found = terms.into_iter().find(|(_, value)| !value.is_finite());
            let (term, value) = found.unwrap_or_else(|| ("total".to_owned(), loss.total));
            return Err(NotFinite { term, value }.into());
        }
        if !gradient_norm.is_finite() {
            let term = "the gradient's norm".to_owned();
            return Err(NotFinite { term, value: gradient_norm }.into());
        }
        Ok(Stepped { loss, gradient_norm })
    }
}

/// The loss of a batch without learning from it.
pub fn validate(
    network: &mut Network,
    batch: &Batch,
    weights: LossWeights,
) -> Result<(LossTerms, Vec<Tensor>), CudaError> {
    let Network { tape, model } = network;
    if tape.is_recording() {
        tape.set_recording(false);
    } else {
        tape.clear();
    }
    let forward = model.forward(tape, batch);
    let terms = losses(tape, batch, &forward, weights);
    let Pending { later, outputs, hints } = Pending::new(tape, batch, &terms, None);
    let values = tape.wait_for(later);
    tape.device().check()?;
    Ok((read(&values, outputs.len(), hints.len()).0, forward.outputs))
}

/// The terms of the loss and, if it is there, the gradient's norm.
fn read(values: &[f64], n_outputs: usize, n_hints: usize) -> (LossTerms, f64) {
    let (outputs, rest) = values[2..].split_at(n_outputs);
    let (hints, norm) = rest.split_at(n_hints);
    // An empty sum of floats is -0 in the standard library, which a log should not say.
    let sum = |terms: &[f64]| terms.iter().fold(0.0, |sum, term| sum + term);
    let (total, hidden) = (values[0], values[1]);
    let loss = LossTerms { total, output: sum(outputs), hints: sum(hints), hidden };
    (loss, norm.first().copied().unwrap_or_default())
}
