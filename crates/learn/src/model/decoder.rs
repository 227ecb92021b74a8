//! Decoders: from hidden states to the features of a spec.
//!
//! All decode z = [encoding | new state | old state], which is rarely put together. A hint and an
//! output of the same name (less `_h`) share a decoder. For hints, all moments are decoded at once:
//! their states lie below each other, and what comes of the encoding is computed once.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::device::Reduction;
use salsa_engine::graph::{Edges, Segments};
use salsa_engine::tape::{Linear, Tape, Tensor};
use salsa_traces::spec::{Field, Kind, Location};

use super::encoder::Encoding;
use super::layers::{Affine, Builder};

/// Decodes one feature.
#[derive(Debug, Clone)]
pub(super) struct Decoder {
    /// The feature's name less `_h`.
    pub(super) base_name: String,
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

/// What is decoded: states with a row for every node, or for every node of some moments.
#[derive(Debug, Clone)]
pub(super) struct Decoded {
    /// Of the nodes.
    pub(super) encoding: Encoding,
    /// The states after a step, `[rows, hidden]`.
    pub(super) new: Tensor,
    /// The states before it.
    pub(super) old: Tensor,
    /// The node of each row, where rows are not nodes.
    pub(super) nodes: Option<Arc<Indices>>,
    /// The edges among the rows.
    pub(super) edges: Arc<Edges>,
    /// The first row of each graph, and the number of rows.
    pub(super) graphs: Arc<Indices>,
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
    /// are: entries `[n_entries, 1]`, nodes `[rows, classes or 1]`, graphs `[n_graphs, 1]`.
    pub(super) fn decode(&self, tape: &mut Tape, z: &Decoded) -> Tensor {
        match self.form {
            Form::Entries { source, target, choose: true } if z.is_long(tape) => {
                let scores = z.bilinear(tape, source, target);
                tape.log_softmax(scores, &Segments::Rows(Arc::clone(&z.edges)))
            }
            Form::Entries { source, target, choose } => {
                let source = z.layer(tape, source);
                let target = z.layer(tape, target);
                let scores = tape.edge_dot(&z.edges, source, target);
                if !choose {
                    return scores;
                }
                tape.log_softmax(scores, &Segments::Rows(Arc::clone(&z.edges)))
            }
            Form::Nodes { layer } => z.layer(tape, layer),
            Form::Classes { layer } => {
                let scores = z.layer(tape, layer);
                tape.log_softmax_of_rows(scores)
            }
            Form::OneNode { layer } => {
                let scores = z.layer(tape, layer);
                tape.log_softmax(scores, &Segments::Offsets(Arc::clone(&z.graphs)))
            }
            Form::Graph { layer } => {
                let numbers = z.layer(tape, layer);
                tape.segment_reduce(
                    Reduction::Mean,
                    numbers,
                    &Segments::Offsets(Arc::clone(&z.graphs)),
                )
            }
        }
    }
}

impl Decoded {
    fn layer(&self, tape: &mut Tape, Affine { weight, bias }: Affine) -> Tensor {
        let states = [(self.new, weight), (self.old, weight)];
        if !tape.is_recording() {
            // One buffer less, which on large graphs counts more than products of the encoding.
            let parts = [(self.encoding.values, weight), states[0], states[1]];
            return tape.linear(Linear::new(&parts).bias(bias));
        }
        let (constant, _) = self.encoding.layer(tape, weight, 0, Some(bias));
        let layer = Linear::new(&states).from_column(tape.columns(self.new));
        tape.linear(match &self.nodes {
            Some(nodes) => layer.add_rows(constant, nodes),
            None => layer.add(constant),
        })
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
        let encoding = match &self.nodes {
            Some(nodes) => tape.gather_rows(self.encoding.values, nodes),
            None => self.encoding.values,
        };
        let z = tape.join(&[encoding, self.new, self.old]);
        tape.edge_dot(&self.edges, source, z)
    }
}
