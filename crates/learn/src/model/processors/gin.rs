//! GIN, and GINE where edges have weights: the maximum over neighbours, a network, a GRU.
//!
//! y = (1 + eps) x + max x_j, or of ReLU(x_j + weight layer); linear, batch norm, ReLU, linear,
//! batch norm; layer norm; GRU. A maximum is taken column by column, so each block of x has its
//! own, and that of the encoding is taken once for all steps. Without weights that of a state is the
//! same when the state is the second one, a step later. On many edges that are only answered about,
//! both batch norms are folded into their layers.

use salsa_engine::device::{Activation, Reduction};
use salsa_engine::tape::{Messages, Tape, Tensor};
use salsa_traces::convention::Convention;

use super::{Kind, OnInput, Processor, Sizes, State, Step, Surroundings};
use crate::model::layers::{Affine, BatchNorm, Builder, Gru, LayerNorm};

pub static GIN: Kind = Kind {
    name: "gin",
    summary: "graph isomorphism network (GINE with edge weights): maximum, network, GRU",
    learning_rate: 0.000_423_9,
    build: |builder, sizes| Box::new(Gin::new(builder, sizes)),
};

struct Gin {
    eps: Tensor,
    /// Of edges with weights.
    weight: Option<Affine>,
    first: Affine,
    first_norm: BatchNorm,
    second: Affine,
    second_norm: BatchNorm,
    norm: LayerNorm,
    gru: Gru,
    hidden: usize,
}

impl Gin {
    fn new(builder: &mut Builder<'_>, sizes: Sizes) -> Self {
        let Sizes { hidden, input, weighted } = sizes;
        let gru = builder.gru("gru", hidden, hidden);
        let mut processor = builder.under("processor");
        let mut core = processor.under("core");
        Self {
            eps: core.constant("eps", 1, 0.0),
            weight: weighted.then(|| core.affine("lin", 1, input)),
            first: core.affine("nn.0", input, hidden),
            first_norm: core.batch_norm("nn.bn_input", hidden),
            second: core.affine("nn.linear_0", hidden, hidden),
            second_norm: core.batch_norm("nn.bn_0", hidden),
            norm: processor.layer_norm("norm", hidden),
            gru,
            hidden,
        }
    }
}

/// The blocks of x.
enum Block {
    Encoding,
    Hidden,
    Second,
    Randomness,
}

/// How a block's messages are made.
struct Sum<'a> {
    gin: &'a Gin,
    surroundings: Surroundings,
    /// The weight layer's rows for each block.
    scales: Option<Vec<(Tensor, Tensor)>>,
}

impl<'a> Sum<'a> {
    fn new(gin: &'a Gin, tape: &mut Tape, surroundings: &Surroundings) -> Self {
        let scales = gin.weight.filter(|_| surroundings.weights.is_some()).map(|layer| {
            let rows = tape.rows(layer.weight);
            let blocks = (0..rows).step_by(gin.hidden).map(|start| {
                let count = gin.hidden.min(rows - start);
                (tape.rows_of(layer.weight, start, count), tape.rows_of(layer.bias, start, count))
            });
            blocks.collect()
        });
        Self { gin, surroundings: surroundings.clone(), scales }
    }

    /// (1 + eps) x + the reduction of messages, for one block `[n_nodes, width]`.
    fn apply(&self, tape: &mut Tape, x: Tensor, block: Block) -> Tensor {
        let Surroundings { edges, weights, reduction, .. } = &self.surroundings;
        let mut messages = Messages::from_source(x);
        if let (Some(weights), Some(scales)) = (*weights, &self.scales) {
            let (scale, bias) = scales[block as usize];
            messages.scaled = Some((weights, scale));
            messages.bias = Some(bias);
            messages.activation = Activation::Relu;
        }
        let reduced = match reduction {
            Reduction::Max => tape.gather_max(edges, messages),
            _ => tape.aggregate(edges, *reduction, messages, |_, message| message),
        };
        let sum = tape.scaled_sum(self.gin.eps, x, reduced);
        tape.release(reduced);
        sum
    }
}

impl Processor for Gin {
    fn begin<'a>(&'a self, tape: &mut Tape, surroundings: &Surroundings) -> Step<'a> {
        let sum = Sum::new(self, tape, surroundings);
        let encoding = sum.apply(tape, surroundings.encoding.values, Block::Encoding);
        // With weights the two blocks of states differ even when the states are the same.
        let shared = sum.scales.is_none();
        let same = surroundings.convention == Convention::Release && shared;
        let folded = surroundings.folds_norms(tape);
        let (first, second_layer, activation) = match folded {
            true => (
                self.first_norm.folded_into(tape, self.first),
                self.second_norm.folded_into(tape, self.second),
                Activation::Relu,
            ),
            false => (self.first, self.second, Activation::None),
        };
        let bias = Some(first.bias);
        let first = OnInput::of_columns(tape, first.weight, 0, bias, encoding.into(), same);
        // A state whose sum is known: in the first step the encoding.
        let mut known = None;
        if shared {
            known = Some((surroundings.encoding.values, encoding));
        } else {
            tape.release(encoding);
        }
        Box::new(move |tape: &mut Tape, state: &State| {
            let of_known = |state| known.filter(|(of, _)| *of == state).map(|(_, sum)| sum);
            let given = [of_known(state.hidden), of_known(state.second)];
            let hidden = given[0].unwrap_or_else(|| sum.apply(tape, state.hidden, Block::Hidden));
            let second = match given[1] {
                _ if same => hidden,
                Some(second) => second,
                None => sum.apply(tape, state.second, Block::Second),
            };
            let randomness =
                state.randomness.map(|values| sum.apply(tape, values, Block::Randomness));
            let y = first.activated(tape, &State { hidden, second, randomness }, activation);
            known = match known {
                // In the next step it is the second state's.
                Some((_, kept)) if !same => Some((state.hidden, tape.kept_in(kept, hidden))),
                _ => {
                    for sum in [hidden, second] {
                        tape.release(sum);
                    }
                    None
                }
            };
            let normed = |tape: &mut Tape, y, norm: &BatchNorm, activation| match folded {
                true => y,
                false => tape.replaced(y, |tape, y| norm.apply(tape, y, activation)),
            };
            let y = normed(tape, y, &self.first_norm, Activation::Relu);
            let y = tape.replaced(y, |tape, y| second_layer.apply(tape, y));
            let y = normed(tape, y, &self.second_norm, Activation::None);
            let y = tape.replaced(y, |tape, y| self.norm.apply(tape, y));
            tape.replaced(y, |tape, y| self.gru.apply(tape, y, state.hidden))
        })
    }
}
