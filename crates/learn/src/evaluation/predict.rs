//! What a network answers on one graph.
//!
//! States that no later step reads are given back at once, and decoding leaves nothing behind, so
//! a long execution takes no more memory than a short one.

use rand_chacha::ChaCha8Rng;
use salsa_engine::tape::Tape;
use salsa_traces::execution::Randomness;
use salsa_traces::random;
use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Values;

use super::Steps;
use crate::batch::{Batch, BatchError};
use crate::model::{Model, Rollout};
use crate::network::Network;
use crate::prediction::predictions;

/// An answer and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// One entry for each output of the spec, in its order.
    pub outputs: Vec<Values>,
    /// Steps of the algorithm that were made.
    pub steps: usize,
}

/// The answer of a network on the graph and the inputs of a sample.
///
/// With [`Steps::Auto`] numbers count as unchanged when they round to the same whole number.
/// Steps beyond the recorded ones of an algorithm with random values get fresh values for every
/// two steps, from a ChaCha8 stream whose key is the sample's [`Sample::problem_hash`].
pub fn predict(
    network: &mut Network,
    sample: &Sample,
    steps: Steps,
) -> Result<Prediction, BatchError> {
    let batch = prepared(network, sample)?;
    let Network { tape, model } = network;
    let most = match steps {
        Steps::Recorded => sample.trajectory.length as usize,
        Steps::Fixed(steps) => steps.max(1),
        Steps::Auto => 4 * batch.n_nodes(),
    };
    let mut phases = sample.inputs.randomness.as_ref().map(|given| Phases::new(sample, given));
    let mut rollout = model.begin(tape, &batch);
    let (mut outputs, mut done, mut unchanged) = (Vec::new(), 0, 0);
    while done < most && unchanged < 2 {
        let randomness = phases.as_mut().map(|phases| phases.at(done));
        rollout.advance(tape, randomness, &[]);
        done += 1;
        if steps == Steps::Auto || done == most {
            let now = decoded(tape, model, &batch, &rollout);
            unchanged = if same(&now, &outputs) { unchanged + 1 } else { 0 };
            outputs = now;
        }
    }
    tape.clear();
    Ok(Prediction { outputs, steps: done })
}

/// What the decoders give for a sample after its recorded steps, for each output of the spec:
/// logits of masks, log-probabilities of choices, numbers as they are.
pub fn scores(network: &mut Network, sample: &Sample) -> Result<Vec<Vec<f32>>, BatchError> {
    let batch = prepared(network, sample)?;
    let Network { tape, model } = network;
    let outputs = model.forward(tape, &batch).outputs;
    let scores = outputs.iter().map(|&output| tape.read(output)).collect();
    tape.clear();
    Ok(scores)
}

/// A sample as a batch, if it is one for this network, and an empty tape that records nothing.
pub(super) fn prepared(
    Network { tape, model }: &mut Network,
    sample: &Sample,
) -> Result<Batch, BatchError> {
    let (found, expected) = (&sample.trajectory.spec.algorithm, &model.spec.algorithm);
    if found != expected {
        let (found, expected) = (found.to_string(), expected.to_string());
        return Err(BatchError::Mixed { graph: 0, found, expected });
    }
    if tape.is_recording() {
        tape.set_recording(false);
    } else {
        tape.clear();
    }
    Batch::new(std::slice::from_ref(sample), false)
}

/// What the states say now; the tape is left as it was.
fn decoded(tape: &mut Tape, model: &Model, batch: &Batch, rollout: &Rollout<'_>) -> Vec<Values> {
    let mut outputs = Vec::new();
    tape.scope(|tape| {
        let decoded = rollout.outputs(tape);
        outputs = predictions(tape, &model.spec, batch, &decoded).swap_remove(0);
        // A result from below the scope: everything above is given back.
        rollout.hidden()
    });
    outputs
}

fn same(now: &[Values], before: &[Values]) -> bool {
    let equal = |(now, before): (&Values, &Values)| match (now, before) {
        (Values::Scalar(now), Values::Scalar(before)) => {
            let pairs = now.iter().zip(before);
            pairs.into_iter().all(|(a, b)| a.round_ties_even() == b.round_ties_even())
        }
        (now, before) => now == before,
    };
    now.len() == before.len() && now.iter().zip(before).all(equal)
}

/// The random values of an execution, and more of them when it is over.
pub(super) struct Phases<'a> {
    recorded: &'a [Vec<f64>],
    rng: ChaCha8Rng,
    /// The phase that `values` are of.
    phase: Option<usize>,
    values: Vec<f32>,
}

impl<'a> Phases<'a> {
    pub(super) fn new(sample: &Sample, given: &'a Randomness) -> Self {
        let rng = random::stream(sample.problem_hash().0, 0);
        let values = vec![0.0; sample.graph.n_nodes()];
        Self { recorded: given.phases(), rng, phase: None, values }
    }

    /// The values of a step `[n_nodes]`; steps are asked for in order.
    pub(super) fn at(&mut self, step: usize) -> &[f32] {
        let phase = step / 2;
        if self.phase != Some(phase) {
            self.phase = Some(phase);
            match self.recorded.get(phase) {
                Some(recorded) => {
                    let pairs = self.values.iter_mut().zip(recorded);
                    pairs.for_each(|(value, &drawn)| *value = drawn as f32);
                }
                None => {
                    let values = self.values.iter_mut();
                    values.for_each(|value| *value = random::unit(&mut self.rng) as f32);
                }
            }
        }
        &self.values
    }
}
