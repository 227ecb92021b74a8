//! What a network answers on a graph, or on several at once.
//!
//! States that no later step reads are given back at once, and decoding leaves nothing behind, so
//! a long execution takes no more memory than a short one.

use salsa_engine::tape::Tape;
use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Values;

use super::Steps;
use super::phases::Phases;
use crate::batch::{Batch, BatchError};
use crate::model::{Model, Rollout};
use crate::network::Network;
use crate::prediction::predictions_of;

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
    let mut predictions = predict_together(network, std::slice::from_ref(sample), steps)?;
    Ok(predictions.swap_remove(0))
}

/// The answers on several samples, which take their steps side by side as one graph: the same as
/// alone, but for rounding.
pub fn predict_together(
    network: &mut Network,
    samples: &[Sample],
    steps: Steps,
) -> Result<Vec<Prediction>, BatchError> {
    let batch = prepared(network, samples)?;
    let Network { tape, model } = network;
    let mut asked: Vec<Asked<'_>> = samples.iter().map(|one| Asked::new(one, steps)).collect();
    let is_random = model.spec.needs_randomness();
    let mut randomness = vec![0.0; if is_random { batch.n_nodes() } else { 0 }];
    let mut rollout = model.begin(tape, &batch);
    let mut done = 0;
    while asked.iter().any(|one| !one.is_answered) {
        let nodes = batch.graphs.as_slice().windows(2);
        for (phases, nodes) in asked.iter_mut().map(|one| &mut one.phases).zip(nodes) {
            if let Some(phases) = phases {
                let own = &mut randomness[nodes[0] as usize..nodes[1] as usize];
                own.copy_from_slice(phases.at(done));
            }
        }
        rollout.advance(tape, is_random.then_some(&randomness), &[]);
        done += 1;
        let is_due = |one: &Asked<'_>| !one.is_answered && (one.is_auto || one.most == done);
        let due: Vec<usize> = (0..asked.len()).filter(|&graph| is_due(&asked[graph])).collect();
        if !due.is_empty() {
            let outputs = decoded(tape, model, &batch, &rollout, &due);
            due.iter().zip(outputs).for_each(|(&graph, now)| asked[graph].hear(now, done));
        }
    }
    tape.clear();
    Ok(asked.into_iter().map(|one| one.prediction).collect())
}

/// A graph on the way to its answer.
struct Asked<'a> {
    /// What was said last.
    prediction: Prediction,
    is_answered: bool,
    /// Whether an answer that stands still is the last.
    is_auto: bool,
    /// Steps after which any answer is the last.
    most: usize,
    /// How often in a row the same was said again.
    unchanged: usize,
    phases: Option<Phases<'a>>,
}

impl<'a> Asked<'a> {
    fn new(sample: &'a Sample, steps: Steps) -> Self {
        let most = match steps {
            Steps::Recorded => sample.trajectory.length as usize,
            Steps::Fixed(steps) => steps,
            Steps::Auto => 4 * sample.graph.n_nodes(),
        };
        let randomness = sample.inputs.randomness.as_ref();
        Self {
            prediction: Prediction { outputs: Vec::new(), steps: 0 },
            is_answered: false,
            is_auto: steps == Steps::Auto,
            most: most.max(1),
            unchanged: 0,
            phases: randomness.map(|given| Phases::new(sample, given)),
        }
    }

    /// Takes what was said after so many steps.
    fn hear(&mut self, outputs: Vec<Values>, steps: usize) {
        let is_same = same(&outputs, &self.prediction.outputs);
        self.unchanged = if is_same { self.unchanged + 1 } else { 0 };
        self.is_answered = self.unchanged == 2 || steps == self.most;
        self.prediction = Prediction { outputs, steps };
    }
}

/// What the decoders give for a sample after its recorded steps, for each output of the spec:
/// logits of masks, log-probabilities of choices, numbers as they are.
pub fn scores(network: &mut Network, sample: &Sample) -> Result<Vec<Vec<f32>>, BatchError> {
    let batch = prepared(network, std::slice::from_ref(sample))?;
    let Network { tape, model } = network;
    let outputs = model.forward(tape, &batch).outputs;
    let scores = outputs.iter().map(|&output| tape.read(output)).collect();
    tape.clear();
    Ok(scores)
}

/// Samples as a batch, if they are for this network, and an empty tape that records nothing.
pub(super) fn prepared(
    Network { tape, model }: &mut Network,
    samples: &[Sample],
) -> Result<Batch, BatchError> {
    let expected = &model.spec.algorithm;
    for (graph, sample) in samples.iter().enumerate() {
        let found = &sample.trajectory.spec.algorithm;
        if found != expected {
            let (found, expected) = (found.to_string(), expected.to_string());
            return Err(BatchError::Mixed { graph, found, expected });
        }
    }
    if tape.is_recording() {
        tape.set_recording(false);
    } else {
        tape.clear();
    }
    Batch::new(samples, false)
}

/// What the states of some graphs say now; the tape is left as it was.
fn decoded(
    tape: &mut Tape,
    model: &Model,
    batch: &Batch,
    rollout: &Rollout<'_>,
    graphs: &[usize],
) -> Vec<Vec<Values>> {
    let mut outputs = Vec::new();
    tape.scope(|tape| {
        let decoded = rollout.outputs(tape);
        outputs = predictions_of(tape, model.spec.outputs(), batch, graphs, &decoded);
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
