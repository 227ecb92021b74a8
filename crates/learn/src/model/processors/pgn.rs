//! PGN: messages from both ends through a small network, their maximum, a gateless update.
//!
//! m = A x_j + B x_i (+ weight); ReLU, linear, ReLU, linear; the largest of each node's messages;
//! LayerNorm(ReLU(O1 x + O2 aggregate)). A, B and O1 work on nodes, before anything is gathered.

use salsa_engine::device::{Activation, Reduction};
use salsa_engine::tape::{Linear, Messages, Tape};

use super::{Kind, OnInput, Processor, Sizes, State, Step, Surroundings};
use crate::model::layers::{Affine, Builder, LayerNorm};

pub static PGN: Kind = Kind {
    name: "pgn",
    summary: "pointer graph network: message network, maximum, update without gates",
    learning_rate: 0.000_423_9,
    build: |builder, sizes| Box::new(Pgn::new(builder, sizes)),
};

struct Pgn {
    source: Affine,
    target: Affine,
    weight: Affine,
    message: [Affine; 2],
    own: Affine,
    aggregate: Affine,
    norm: LayerNorm,
}

impl Pgn {
    fn new(builder: &mut Builder<'_>, sizes: Sizes) -> Self {
        let Sizes { hidden, input, .. } = sizes;
        let mut processor = builder.under("processor");
        let mut core = processor.under("core");
        Self {
            source: core.affine("m_1", input, hidden),
            target: core.affine("m_2", input, hidden),
            weight: core.affine("edge_weight_scaler", 1, hidden),
            message: [
                core.affine("msg_mlp.1", hidden, hidden),
                core.affine("msg_mlp.3", hidden, hidden),
            ],
            own: core.affine("o1", input, hidden),
            aggregate: core.affine("o2", hidden, hidden),
            norm: processor.layer_norm("norm", hidden),
        }
    }
}

impl Processor for Pgn {
    fn begin<'a>(&'a self, tape: &mut Tape, surroundings: &Surroundings) -> Step<'a> {
        let source = OnInput::new(tape, self.source, surroundings);
        let target = OnInput::new(tape, self.target, surroundings);
        let own = OnInput::new(tape, self.own, surroundings);
        let Surroundings { edges, weights, reduction, .. } = surroundings.clone();
        Box::new(move |tape: &mut Tape, state: &State| {
            let (source, target) = (source.apply(tape, state), target.apply(tape, state));
            let messages = Messages {
                source: Some(source),
                target: Some(target),
                scaled: weights.map(|weights| (weights, self.weight.weight)),
                bias: weights.map(|_| self.weight.bias),
                activation: Activation::Relu,
            };
            let [first, last] = self.message;
            let aggregate = if tape.is_recording() && reduction == Reduction::Max {
                let message = tape.messages(&edges, messages);
                let message = first.apply_relu(tape, message);
                tape.linear_max(&edges, message, last.weight, last.bias)
            } else {
                let layers =
                    [first.on_messages(Activation::Relu), last.on_messages(Activation::None)];
                tape.aggregate_through(&edges, reduction, messages, &layers)
            };
            for part in [source, target] {
                tape.release(part);
            }
            let own = own.apply(tape, state);
            let parts = [(aggregate, self.aggregate.weight)];
            let update = Linear::new(&parts).bias(self.aggregate.bias).add(own).relu();
            let update = tape.linear(update);
            for part in [aggregate, own] {
                tape.release(part);
            }
            tape.replaced(update, |tape, update| self.norm.apply(tape, update))
        })
    }
}
