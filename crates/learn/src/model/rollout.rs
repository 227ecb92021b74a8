//! A network at work on a batch, step by step.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::convention::Convention;

use super::input::{State, Surroundings};
use super::processors::Step;
use super::{Decoded, Model};
use crate::batch::Batch;

/// Hidden states on their way.
pub struct Rollout<'m> {
    model: &'m Model,
    step: Step<'m>,
    edges: Arc<salsa_engine::graph::Edges>,
    graphs: Arc<Indices>,
    encoding: Tensor,
    /// The state now.
    hidden: Tensor,
    /// The state one processor step before.
    previous: Tensor,
}

/// What a network gives for a batch.
#[derive(Debug)]
pub struct Forward {
    /// Decoded outputs, each graph at its own length, in the order of the spec.
    pub outputs: Vec<Tensor>,
    /// Decoded hints of all steps, step by step, if they were wanted.
    pub hints: Vec<Tensor>,
    /// The hidden state after the last step `[n_nodes, hidden]`.
    pub hidden: Tensor,
}

impl Model {
    /// Encodes a batch and prepares the processor.
    pub fn begin<'m>(&'m self, tape: &mut Tape, batch: &Batch) -> Rollout<'m> {
        let encoding = tape.scope(|tape| self.encoder.encode(tape, batch));
        let weights = batch.weights.as_ref().filter(|_| self.spec.needs_weights());
        let weights = weights.map(|weights| tape.constant(weights.len(), 1, weights));
        let surroundings = Surroundings {
            edges: Arc::clone(&batch.edges),
            weights,
            encoding,
            reduction: self.options.reduction,
            convention: self.options.convention,
        };
        Rollout {
            model: self,
            step: self.processor.begin(tape, &surroundings),
            edges: Arc::clone(&batch.edges),
            graphs: Arc::clone(&batch.graphs),
            encoding,
            hidden: encoding,
            previous: encoding,
        }
    }

    /// Runs a batch to the end. Hints are decoded if the batch has them and the tape records.
    pub fn forward(&self, tape: &mut Tape, batch: &Batch) -> Forward {
        let mut rollout = self.begin(tape, batch);
        let with_hints = self.options.hints && tape.is_recording() && !batch.hints.is_empty();
        let (n_nodes, steps) = (batch.n_nodes(), batch.steps());
        let mut last = None;
        let mut states = Vec::new();
        for step in 0..steps {
            let randomness =
                batch.randomness.as_ref().map(|all| &all[step * n_nodes..(step + 1) * n_nodes]);
            let kept = last.map(|(new, old)| [new, old]);
            rollout.advance(tape, randomness, kept.as_slice().as_flattened());
            if with_hints {
                states.push((rollout.hidden, rollout.previous));
            }
            last = keep_finished(tape, batch, step + 1, &rollout, last);
        }
        let (new, old) = last.unwrap_or((rollout.hidden, rollout.previous));
        let outputs = self.decode_outputs(tape, &rollout.decoded(new, old, 1));
        let hints = if with_hints {
            let (new, old): (Vec<_>, Vec<_>) = states.into_iter().unzip();
            let (new, old) = (tape.stack(&new), tape.stack(&old));
            self.decode_hints(tape, &rollout.decoded(new, old, steps))
        } else {
            Vec::new()
        };
        Forward { outputs, hints, hidden: rollout.hidden }
    }
}

/// Notes the states of graphs that end after `done` steps: (new, old).
fn keep_finished(
    tape: &mut Tape,
    batch: &Batch,
    done: usize,
    rollout: &Rollout<'_>,
    last: Option<(Tensor, Tensor)>,
) -> Option<(Tensor, Tensor)> {
    let Some((new, old)) = last else {
        // Graphs that end later overwrite theirs then.
        return batch.lengths.contains(&done).then_some((rollout.hidden, rollout.previous));
    };
    // All that end now or later: what they have so far is replaced.
    if !batch.lengths.contains(&done) {
        return last;
    }
    let graphs = batch.graphs.as_slice();
    let mut from_now = vec![0u32; batch.n_nodes()];
    for (graph, &length) in batch.lengths.iter().enumerate() {
        if length >= done {
            from_now[graphs[graph] as usize..graphs[graph + 1] as usize].fill(1);
        }
    }
    let from_now = Arc::new(Indices::new(from_now));
    let merged = (
        tape.choose_rows(new, rollout.hidden, &from_now),
        tape.choose_rows(old, rollout.previous, &from_now),
    );
    Some(merged)
}

impl Rollout<'_> {
    /// One step of the algorithm, with its random values `[n_nodes]` if it has any. States that
    /// are not among `kept` are given back when nothing needs them any more.
    pub fn advance(&mut self, tape: &mut Tape, randomness: Option<&[f32]>, kept: &[Tensor]) {
        for _ in 0..self.model.options.steps_per_hint {
            let second = match self.model.options.convention {
                Convention::Paper => self.previous,
                Convention::Release => self.hidden,
            };
            let (hidden, step) = (self.hidden, &mut self.step);
            let next = tape.scope(|tape| {
                let randomness = randomness.map(|values| tape.constant(values.len(), 1, values));
                step(tape, &State { hidden, second, randomness })
            });
            let used = self.previous;
            if used != self.encoding && used != self.hidden && !kept.contains(&used) {
                tape.release(used);
            }
            self.previous = self.hidden;
            self.hidden = next;
        }
    }

    /// The state now `[n_nodes, hidden]`.
    pub fn hidden(&self) -> Tensor {
        self.hidden
    }

    /// Decodes the outputs as they are now.
    pub fn outputs(&self, tape: &mut Tape) -> Vec<Tensor> {
        self.model.decode_outputs(tape, &self.decoded(self.hidden, self.previous, 1))
    }

    fn decoded(&self, new: Tensor, old: Tensor, copies: usize) -> Decoded {
        Decoded {
            encoding: self.encoding,
            new,
            old,
            copies,
            edges: Arc::clone(&self.edges),
            graphs: Arc::clone(&self.graphs),
        }
    }
}
