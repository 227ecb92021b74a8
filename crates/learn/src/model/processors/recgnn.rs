//! RecGNN: a wide network on both ends of every edge, the maximum, a GRU.
//!
//! [x_j | x_i (| weight)]: linear, batch norm over edges, ReLU, linear, batch norm; the largest of
//! each node's messages; LayerNorm(GRU). The first layer is split into what comes from x_j and
//! from x_i, computed on nodes; the second, on edges, is where the time goes. On many edges that
//! are only answered about, both norms are folded into their layers.

use salsa_engine::device::Activation;
use salsa_engine::tape::{Messages, Tape};
use salsa_traces::convention::Convention;

use super::{Kind, OnInput, Processor, Sizes, State, Step, Surroundings};
use crate::model::layers::{Affine, BatchNorm, Builder, Gru, LayerNorm};

pub static RECGNN: Kind = Kind {
    name: "recgnn",
    summary: "recurrent graph network: wide edge network, maximum, GRU",
    learning_rate: 0.000_8,
    build: |builder, sizes| Box::new(RecGnn::new(builder, sizes)),
};

struct RecGnn {
    first: Affine,
    first_norm: BatchNorm,
    second: Affine,
    second_norm: BatchNorm,
    gru: Gru,
    norm: LayerNorm,
    input: usize,
}

impl RecGnn {
    fn new(builder: &mut Builder<'_>, sizes: Sizes) -> Self {
        let Sizes { hidden, input, weighted } = sizes;
        let mut processor = builder.under("processor");
        let mut core = processor.under("core");
        Self {
            first: core.affine("mlp_edge.0", 2 * input + usize::from(weighted), input),
            first_norm: core.batch_norm("mlp_edge.bn_input", input),
            second: core.affine("mlp_edge.linear_0", input, input),
            second_norm: core.batch_norm("mlp_edge.bn_0", input),
            gru: core.gru("rnn", input, hidden),
            norm: processor.layer_norm("norm", hidden),
            input,
        }
    }
}

impl Processor for RecGnn {
    fn begin<'a>(&'a self, tape: &mut Tape, surroundings: &Surroundings) -> Step<'a> {
        let Surroundings { edges, weights, encoding, reduction, convention } = surroundings.clone();
        let fold = convention == Convention::Release;
        let norms_folded = surroundings.folds_norms(tape);
        let (first, second, activation) = if norms_folded {
            let first = self.first_norm.folded_into(tape, self.first);
            (first, self.second_norm.folded_into(tape, self.second), Activation::Relu)
        } else {
            (self.first, self.second, Activation::None)
        };
        let Affine { weight, bias } = first;
        let source = OnInput::of_columns(tape, weight, 0, None, encoding, fold);
        let target = OnInput::of_columns(tape, weight, self.input, Some(bias), encoding, fold);
        let scaled = weights.map(|weights| (weights, tape.columns_of(weight, 2 * self.input, 1)));
        Box::new(move |tape: &mut Tape, state: &State| {
            let (source, target) = (source.apply(tape, state), target.apply(tape, state));
            let messages = Messages {
                source: Some(source),
                target: Some(target),
                scaled,
                bias: None,
                activation,
            };
            let aggregate = if norms_folded {
                let layers = [second.on_messages(Activation::None)];
                tape.aggregate_through(&edges, reduction, messages, &layers)
            } else {
                tape.aggregate(&edges, reduction, messages, |tape, message| {
                    let message = self.first_norm.apply(tape, message, Activation::Relu);
                    let message = second.apply(tape, message);
                    self.second_norm.apply(tape, message, Activation::None)
                })
            };
            for part in [source, target] {
                tape.release(part);
            }
            let next = tape.replaced(aggregate, |tape, x| self.gru.apply(tape, x, state.hidden));
            tape.replaced(next, |tape, next| self.norm.apply(tape, next))
        })
    }
}
