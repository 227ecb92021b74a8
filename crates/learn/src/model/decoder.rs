//! Decoders: from hidden states to the features of a spec.
//!
//! All decode z = [encoding | new state | old state], which is rarely put together. A hint and an
//! output of the same name (less `_h`) share a decoder. For hints, all steps are decoded at once:
//! the states of T steps lie below each other, and what comes of the encoding is computed once.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::device::Reduction;
use salsa_engine::graph::{Edges, Segments};
use salsa_engine::tape::{Linear, Tape, Tensor};
use salsa_traces::spec::{Field, Kind, Location};

use super::layers::{Affine, Builder};

/// Decodes one feature.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// The feature's name less `_h`.
    pub base_name: String,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// A score for each entry, from both ends; log-probabilities over a node's entries if `choose`.
    Entries { source: Affine, target: Affine, choose: bool },
    /// Numbers for each node.
    Nodes { layer: Affine },
    /// Log-probabilities of classes for each node.
    Classes { layer: Affine },
    /// Log-probabilities over the nodes of a graph.
    OneNode { layer: Affine },
    /// The mean over a graph of a number for each node.
    Graph { layer: Affine },
}

/// What is decoded: `copies` moments below each other.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// `[n_nodes, hidden]`, the same for all.
    pub encoding: Tensor,
    /// The states after a step, `[copies * n_nodes, hidden]`.
    pub new: Tensor,
    /// The states before it.
    pub old: Tensor,
    /// How many moments.
    pub copies: usize,
    /// The message-passing graph.
    pub edges: Arc<Edges>,
    /// The first node of each graph, and the number of nodes.
    pub graphs: Arc<Indices>,
}

impl Decoder {
    /// For a feature, or nothing if there is no way to decode such a one.
    pub(super) fn new(builder: &mut Builder<'_>, field: &Field, hidden: usize) -> Option<Self> {
        let width = 3 * hidden;
        let mut own = builder.under(&format!("decoder.decoder.{}", field.base_name()));
        let form = match (field.location, field.kind) {
            (Location::Node, Kind::Pointer) | (Location::Edge, Kind::Mask | Kind::Scalar) => {
                Form::Entries {
                    source: own.affine("source_lin", width, width),
                    target: own.affine("target_lin", width, width),
                    choose: field.kind == Kind::Pointer,
                }
            }
            (Location::Node, Kind::Mask | Kind::Scalar) => {
                Form::Nodes { layer: own.affine("lin", width, 1) }
            }
            (Location::Node, Kind::Categorical { classes }) => {
                Form::Classes { layer: own.affine("lin", width, classes.into()) }
            }
            (Location::Node, Kind::MaskOne) => Form::OneNode { layer: own.affine("lin", width, 1) },
            (Location::Graph, Kind::Mask | Kind::Scalar) => {
                Form::Graph { layer: own.affine("lin", width, 1) }
            }
            _ => return None,
        };
        Some(Self { base_name: field.base_name().to_owned(), form })
    }

    /// Logits of masks, log-probabilities of pointers, classes and marked nodes, scalars as they
    /// are, for every moment:
    /// entries `[copies * n_entries, 1]`, nodes `[copies * n_nodes, classes or 1]`, graphs
    /// `[copies * n_graphs, 1]`.
    pub fn decode(&self, tape: &mut Tape, z: &Decoded) -> Tensor {
        match self.form {
            Form::Entries { source, target, choose: true } if z.is_long(tape) => {
                let scores = z.bilinear(tape, source, target);
                tape.log_softmax(scores, &z.rows())
            }
            Form::Entries { source, target, choose } => {
                let source = z.layer(tape, source);
                let target = z.layer(tape, target);
                let scores = tape.edge_dot(&z.edges, z.copies, source, target);
                if !choose {
                    return scores;
                }
                tape.log_softmax(scores, &z.rows())
            }
            Form::Nodes { layer } => z.layer(tape, layer),
            Form::Classes { layer } => {
                let scores = z.layer(tape, layer);
                tape.log_softmax_of_rows(scores)
            }
            Form::OneNode { layer } => {
                let scores = z.layer(tape, layer);
                tape.log_softmax(scores, &z.graph_segments())
            }
            Form::Graph { layer } => {
                let numbers = z.layer(tape, layer);
                tape.segment_reduce(Reduction::Mean, numbers, &z.graph_segments())
            }
        }
    }
}

impl Decoded {
    fn layer(&self, tape: &mut Tape, Affine { weight, bias }: Affine) -> Tensor {
        let states = [(self.new, weight), (self.old, weight)];
        if self.copies == 1 {
            let parts = [(self.encoding, weight), states[0], states[1]];
            return tape.linear(Linear::new(&parts).bias(bias));
        }
        let constant = tape.linear(Linear::new(&[(self.encoding, weight)]).bias(bias));
        let hidden = tape.columns(self.encoding);
        tape.linear(Linear::new(&states).from_column(hidden).add(constant))
    }

    /// Whether there are so many rows that a product of both weights, `[3 hidden]` cubed, is cheaper
    /// than one more of states, `[rows, 2 hidden, 3 hidden]`.
    fn is_long(&self, tape: &Tape) -> bool {
        2 * tape.rows(self.new) > 9 * tape.columns(self.new)
    }

    /// `(S z + s)[source] · (T z)[target]` as `(Tᵀ S z + Tᵀ s)[source] · z[target]`: one product of
    /// states instead of two. The target's bias adds the same to all choices of a node, so that
    /// log-probabilities do not depend on it.
    fn bilinear(&self, tape: &mut Tape, source: Affine, target: Affine) -> Tensor {
        let both = Affine {
            weight: tape.transposed_product(target.weight, source.weight),
            bias: tape.transposed_product(target.weight, source.bias),
        };
        let source = self.layer(tape, both);
        let z = tape.join(&[self.encoding, self.new, self.old]);
        tape.edge_dot(&self.edges, self.copies, source, z)
    }

    fn rows(&self) -> Segments {
        Segments::Rows { edges: Arc::clone(&self.edges), copies: self.copies }
    }

    fn graph_segments(&self) -> Segments {
        Segments::Offsets { offsets: Arc::clone(&self.graphs), copies: self.copies }
    }
}
