//! What a processor sees: x = [encoding | hidden state | second state | randomness].
//!
//! The encoding never changes within a forward pass, so what a linear layer makes of it is
//! computed once, and only the states are multiplied at every step. In the `release` convention
//! the second state is the hidden state again, and one product with the sum of both weights does.

use std::sync::Arc;

use salsa_engine::device::{Activation, Reduction};
use salsa_engine::graph::Edges;
use salsa_engine::tape::{Linear, Tape, Tensor};
use salsa_traces::convention::Convention;

use super::encoder::Encoding;
use super::layers::Affine;

/// What stays the same for all steps.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The message-passing graph.
    pub edges: Arc<Edges>,
    /// Edge weights `[n_entries, 1]`, if the algorithm has any.
    pub weights: Option<Tensor>,
    /// What nodes were given, encoded.
    pub encoding: Encoding,
    /// How messages are reduced.
    pub reduction: Reduction,
    /// Which second state there is.
    pub convention: Convention,
}

/// Entries from which on folding norms takes less time than norms.
const MANY_ENTRIES: usize = 4096;

impl Surroundings {
    /// Whether batch norms are folded into the layers before them: on many edges that are only
    /// answered about.
    pub fn folds_norms(&self, tape: &Tape) -> bool {
        !tape.is_recording() && self.edges.n_entries() >= MANY_ENTRIES
    }
}

/// What changes from step to step.
#[derive(Debug, Clone, Copy)]
pub struct State {
    /// The hidden state `[n_nodes, hidden]`.
    pub hidden: Tensor,
    /// The second state: the one before, or the same again.
    pub second: Tensor,
    /// Random values `[n_nodes, 1]`, if the algorithm has any.
    pub randomness: Option<Tensor>,
}

/// Sizes that processors are built by.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Width of the hidden state.
    pub hidden: usize,
    /// Width of x.
    pub input: usize,
    /// Whether edges have weights.
    pub weighted: bool,
}

/// A linear layer on x, with the encoding's share computed.
#[derive(Debug, Clone, Copy)]
pub struct OnInput {
    encoding: Encoding,
    /// The encoding's share, and that of its second factor.
    constant: (Tensor, Option<Tensor>),
    weight: Tensor,
    /// The sum of the blocks of both states, where both are the same.
    folded: Option<Tensor>,
    /// The column of the first state's block.
    start: usize,
    /// The width of a block.
    hidden: usize,
}

impl OnInput {
    /// Prepares a layer for all steps.
    pub fn new(tape: &mut Tape, layer: Affine, surroundings: &Surroundings) -> Self {
        let fold = surroundings.convention == Convention::Release;
        Self::of_columns(tape, layer.weight, 0, Some(layer.bias), surroundings.encoding, fold)
    }

    /// The same for columns of a weight from `start` on, and any encoding; `fold` says that the
    /// second state will always be the first again.
    pub fn of_columns(
        tape: &mut Tape,
        weight: Tensor,
        start: usize,
        bias: Option<Tensor>,
        encoding: Encoding,
        fold: bool,
    ) -> Self {
        let hidden = tape.columns(encoding.values);
        let constant = encoding.layer(tape, weight, start, bias);
        let start = start + hidden;
        let folded = fold.then(|| tape.sum_of_columns(weight, &[start, start + hidden], hidden));
        Self { encoding, constant, weight, folded, start, hidden }
    }

    /// `[n_nodes, outputs]` for one step.
    pub fn apply(&self, tape: &mut Tape, state: &State) -> Tensor {
        self.activated(tape, state, Activation::None)
    }

    /// The same, with an activation applied.
    pub fn activated(&self, tape: &mut Tape, state: &State, activation: Activation) -> Tensor {
        let State { hidden, second, randomness } = *state;
        if let (Some(factors), true, (_, Some(constant))) =
            (self.encoding.factors_of(hidden), hidden == second, self.constant)
        {
            assert_eq!(activation, Activation::None, "products of factors have none");
            // The first state is the encoding, so its factors do.
            let rows = State { hidden: factors.rows, second: factors.rows, randomness: None };
            let rows = self.sum(tape, &rows, constant, activation);
            let sum = factors.multiply(tape, rows);
            return randomness.map_or(sum, |randomness| self.add_randomness(tape, randomness, sum));
        }
        self.sum(tape, state, self.constant.0, activation)
    }

    fn randomness_at(&self) -> usize {
        self.start + 2 * self.hidden
    }

    fn add_randomness(&self, tape: &mut Tape, randomness: Tensor, sum: Tensor) -> Tensor {
        let start = self.randomness_at();
        tape.linear(Linear::new(&[(randomness, self.weight)]).from_column(start).add(sum))
    }

    fn sum(
        &self,
        tape: &mut Tape,
        state: &State,
        constant: Tensor,
        activation: Activation,
    ) -> Tensor {
        let (first, second) = ((state.hidden, self.weight), (state.second, self.weight));
        let last = state.randomness.map(|randomness| (randomness, self.weight));
        let randomness_at = self.randomness_at();
        let mut run = |layer: Linear<'_>| tape.linear(Linear { activation, ..layer.add(constant) });
        match (self.folded, last) {
            (Some(folded), None) => run(Linear::new(&[(state.hidden, folded)])),
            (Some(folded), Some(last)) => {
                run(Linear::new(&[last, (state.hidden, folded)]).from_column(randomness_at))
            }
            (None, None) => run(Linear::new(&[first, second]).from_column(self.start)),
            (None, Some(last)) => run(Linear::new(&[first, second, last]).from_column(self.start)),
        }
    }
}
