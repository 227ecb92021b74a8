//! A network at work on a batch, step by step.

use std::ops::Range;
use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::convention::Convention;
use salsa_traces::spec::Field;

use super::input::{State, Surroundings};
use super::processors::Step;
use super::{Decoded, Encoding, Model};
use crate::batch::{Batch, Moments, Place};

/// Hidden states on their way.
pub struct Rollout<'m> {
    model: &'m Model,
    step: Step<'m>,
    edges: Arc<salsa_engine::graph::Edges>,
    graphs: Arc<Indices>,
    encoding: Encoding,
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
    /// Decoded hints of all moments, if they were wanted.
    pub hints: Vec<Tensor>,
    /// The hidden state after the last step `[n_nodes, hidden]`.
    pub hidden: Tensor,
}

impl Model {
    /// Encodes a batch and prepares the processor.
    pub fn begin<'m>(&'m self, tape: &mut Tape, batch: &Batch) -> Rollout<'m> {
        let encoding = self.encoder.encode(tape, batch);
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
            hidden: encoding.values,
            previous: encoding.values,
        }
    }

    /// Runs a batch to the end. Hints are decoded if the batch has them and the tape records.
    pub fn forward(&self, tape: &mut Tape, batch: &Batch) -> Forward {
        let mut rollout = self.begin(tape, batch);
        let moments = batch.moments.as_ref();
        let moments = moments.filter(|_| self.options.hints && tape.is_recording());
        let n_nodes = batch.n_nodes();
        let mut states = States::default();
        for step in 0..batch.steps() {
            let randomness =
                batch.randomness.as_ref().map(|all| &all[step * n_nodes..(step + 1) * n_nodes]);
            rollout.advance(tape, randomness, &states.kept);
            if moments.is_some() || batch.lengths.contains(&(step + 1)) {
                states.keep(step, &rollout);
            }
        }
        let hints = moments.map(|moments| {
            let runs = || moments.runs.iter().cloned();
            let z = Decoded {
                encoding: rollout.encoding,
                new: states.stack(tape, runs(), 0),
                old: states.stack(tape, runs(), 1),
                nodes: Some(Arc::clone(&moments.nodes)),
                edges: Arc::clone(&moments.edges),
                graphs: Arc::clone(&moments.graphs),
            };
            self.decode_hints(tape, &z)
        });
        let hints = hints.unwrap_or_default();
        let outputs = moments.and_then(|moments| self.outputs_of(tape, batch, moments, &hints));
        let outputs = outputs.unwrap_or_else(|| {
            let (new, old) = states.at_ends(tape, batch, &rollout);
            self.decode_outputs(tape, &rollout.decoded(new, old))
        });
        Forward { outputs, hints, hidden: rollout.hidden }
    }

    /// The outputs as parts of hints, if every output has a hint that is decoded the same way.
    fn outputs_of(
        &self,
        tape: &mut Tape,
        batch: &Batch,
        moments: &Moments,
        hints: &[Tensor],
    ) -> Option<Vec<Tensor>> {
        let lasts = (0..batch.n_graphs()).map(|graph| moments.last_of(graph));
        let lasts: Vec<&Place> = lasts.collect::<Option<_>>()?;
        let twin = |output: &Field| {
            let mut hints = self.spec.hints().zip(hints);
            let found = hints.find(|(hint, _)| {
                hint.base_name() == output.base_name()
                    && (hint.location, hint.kind) == (output.location, output.kind)
            });
            found.map(|(hint, &decoded)| (hint, decoded))
        };
        let twins: Vec<(&Field, Tensor)> = self.spec.outputs().map(twin).collect::<Option<_>>()?;
        let part = |(hint, decoded): (&Field, Tensor)| {
            tape.stack_rows(lasts.iter().map(|place| (decoded, moments.decoded(hint, place))))
        };
        Some(twins.into_iter().map(part).collect())
    }
}

/// States that are decoded later.
#[derive(Default)]
struct States {
    /// The step, and the states after and before it.
    steps: Vec<(usize, [Tensor; 2])>,
    /// The states alone.
    kept: Vec<Tensor>,
}

impl States {
    fn keep(&mut self, step: usize, rollout: &Rollout<'_>) {
        let states = [rollout.hidden, rollout.previous];
        self.steps.push((step, states));
        self.kept.extend(states);
    }

    /// The states of runs of nodes at some steps: those after (0) or before (1).
    fn stack(
        &self,
        tape: &mut Tape,
        runs: impl Iterator<Item = (usize, Range<usize>)>,
        which: usize,
    ) -> Tensor {
        let state = |step: usize| {
            let found = self.steps.iter().find(|(kept, _)| *kept == step);
            found.map_or_else(|| unreachable!("step {step} is kept"), |(_, states)| states[which])
        };
        tape.stack_rows(runs.map(|(step, nodes)| (state(step), nodes)))
    }

    /// The states of every graph after and before its last step.
    fn at_ends(&self, tape: &mut Tape, batch: &Batch, rollout: &Rollout<'_>) -> (Tensor, Tensor) {
        let steps = batch.steps();
        if batch.lengths.iter().all(|&length| length == steps) {
            return (rollout.hidden, rollout.previous);
        }
        let graphs = batch.graphs.as_slice();
        let runs = || {
            batch.lengths.iter().zip(graphs.windows(2)).map(|(&length, nodes)| {
                // A graph without steps is read after the first.
                (length.max(1) - 1, nodes[0] as usize..nodes[1] as usize)
            })
        };
        (self.stack(tape, runs(), 0), self.stack(tape, runs(), 1))
    }
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
            if used != self.encoding.values && used != self.hidden && !kept.contains(&used) {
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
        self.model.decode_outputs(tape, &self.decoded(self.hidden, self.previous))
    }

    /// Decodes the hints as they are now; none where they were not learned.
    pub fn hints(&self, tape: &mut Tape) -> Vec<Tensor> {
        match self.model.options.hints {
            true => self.model.decode_hints(tape, &self.decoded(self.hidden, self.previous)),
            false => Vec::new(),
        }
    }

    fn decoded(&self, new: Tensor, old: Tensor) -> Decoded {
        Decoded {
            encoding: self.encoding,
            new,
            old,
            nodes: None,
            edges: Arc::clone(&self.edges),
            graphs: Arc::clone(&self.graphs),
        }
    }
}
