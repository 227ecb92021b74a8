//! Operators over the entries of a graph and over segments.

use std::ops::Range;
use std::sync::Arc;

use super::super::operation::{LayerPart, Operation};
use super::super::{Tape, Tensor};
use super::Linear;
use crate::buffer::{Buffer, Indices};
use crate::device::{Activation, Dense, MessageTerms, Reduction};
use crate::graph::{Edges, Segments};

/// Messages along entries: `activation(source[neighbour] + target[row] + weight * scale + bias)`.
#[derive(Debug, Clone, Copy)]
pub struct Messages {
    /// [n_nodes, columns], of the node a message comes from.
    pub source: Option<Tensor>,
    /// [n_nodes, columns], of the node it goes to.
    pub target: Option<Tensor>,
    /// Weights [n_entries, 1] and what they multiply [columns, 1].
    pub scaled: Option<(Tensor, Tensor)>,
    /// [columns, 1].
    pub bias: Option<Tensor>,
    /// Applied last.
    pub activation: Activation,
}

impl Messages {
    /// Just the value of the node a message comes from.
    pub fn from_source(source: Tensor) -> Self {
        Self {
            source: Some(source),
            target: None,
            scaled: None,
            bias: None,
            activation: Activation::None,
        }
    }

    fn tensors(&self) -> impl Iterator<Item = Tensor> {
        let (weights, scale) = self.scaled.unzip();
        [self.source, self.target, weights, scale, self.bias].into_iter().flatten()
    }
}

/// A linear layer on every message: `activation(x · weightᵀ + bias)`.
#[derive(Debug, Clone, Copy)]
pub struct MessageLayer {
    /// [columns, width].
    pub weight: Tensor,
    /// [columns, 1].
    pub bias: Tensor,
    /// Applied last.
    pub activation: Activation,
}

impl Tape {
    /// Messages over all entries: [n_entries, columns].
    pub fn messages(&mut self, edges: &Arc<Edges>, messages: Messages) -> Tensor {
        self.messages_to(edges, 0..edges.n_nodes(), messages)
    }

    /// Messages over the entries of some rows.
    fn messages_to(
        &mut self,
        edges: &Arc<Edges>,
        rows: Range<usize>,
        messages: Messages,
    ) -> Tensor {
        let columns = self.message_columns(edges, &messages);
        let entries = edges.entries(&rows).len();
        let mut out = self.buffer(entries * columns);
        assert!(!self.recording || rows == (0..edges.n_nodes()), "all messages when recording");
        self.device.messages(edges, rows, &self.terms(&messages), columns, &mut out);
        let Messages { source, target, scaled, bias, activation } = messages;
        self.result((entries, columns), out, messages.tensors(), |out| Operation::Messages {
            edges: Arc::clone(edges),
            source,
            target,
            scaled,
            bias,
            activation,
            out,
        })
    }

    fn message_columns(&self, edges: &Edges, messages: &Messages) -> usize {
        let n_nodes = edges.n_nodes();
        let given = messages.source.or(messages.target);
        let columns = self.columns(given.expect("messages come from a node or go to one"));
        for tensor in [messages.source, messages.target].into_iter().flatten() {
            assert_eq!(self.shape(tensor), (n_nodes, columns), "a term of messages");
        }
        if let Some((weights, scale)) = messages.scaled {
            assert_eq!(self.shape(weights), (edges.n_entries(), 1), "weights of entries");
            assert_eq!(self.shape(scale), (columns, 1), "what weights of entries multiply");
        }
        if let Some(bias) = messages.bias {
            assert_eq!(self.shape(bias), (columns, 1), "the bias of messages");
        }
        columns
    }

    fn terms(&self, messages: &Messages) -> MessageTerms<'_> {
        MessageTerms {
            source: messages.source.map(|tensor| self.value(tensor)),
            target: messages.target.map(|tensor| self.value(tensor)),
            scaled: messages.scaled.map(|(w, scale)| (self.value(w), self.value(scale))),
            bias: messages.bias.map(|tensor| self.value(tensor)),
            activation: messages.activation,
        }
    }

    /// Builds messages, transforms them and reduces those that enter each node:
    /// [n_nodes, columns of what `transform` gives].
    ///
    /// When the tape does not record, a block of nodes is done at a time, so the messages of a
    /// large graph are never all there at once. `transform` must treat every entry by itself.
    pub fn aggregate(
        &mut self,
        edges: &Arc<Edges>,
        reduction: Reduction,
        messages: Messages,
        mut transform: impl FnMut(&mut Self, Tensor) -> Tensor,
    ) -> Tensor {
        let n_nodes = edges.n_nodes();
        let entries_at_once = if self.recording { usize::MAX } else { self.device.rows_at_once() };
        if edges.n_entries() <= entries_at_once {
            return self.scope(|tape| {
                let made = tape.messages(edges, messages);
                let transformed = transform(tape, made);
                let segments = Segments::Rows(Arc::clone(edges));
                tape.segment_reduce(reduction, transformed, &segments)
            });
        }
        let offsets = edges.offsets.host();
        let mut out: Option<(Buffer, usize)> = None;
        let mut first = 0;
        while first < n_nodes {
            // As many whole rows as fit, at least one.
            let limit = offsets[first] as usize + entries_at_once;
            let fitting = offsets[first + 1..].partition_point(|&end| end as usize <= limit);
            let rows = first..first + fitting.max(1);
            let block = self.scope(|tape| {
                let made = tape.messages_to(edges, rows.clone(), messages);
                let transformed = transform(tape, made);
                let local = offsets[rows.start..=rows.end].iter().map(|end| end - offsets[first]);
                let offsets = Arc::new(local.collect::<Indices>());
                tape.segment_reduce(reduction, transformed, &Segments::Offsets(offsets))
            });
            let columns = self.columns(block);
            let (mut whole, _) = match out.take() {
                Some(out) => out,
                None => (self.buffer(n_nodes * columns), columns),
            };
            let block_value = self.value(block);
            let all = 0..block_value.len();
            self.device.place(block_value, all, &mut whole, first * columns);
            out = Some((whole, columns));
            self.truncate(block.index());
            first = rows.end;
        }
        let (whole, columns) = out.expect("a large graph has nodes");
        self.push(n_nodes, columns, whole, false)
    }

    /// The same with linear layers in the place of any transformation. Where the tape does not record,
    /// a device may have a way to do it without ever storing a message.
    pub fn aggregate_through(
        &mut self,
        edges: &Arc<Edges>,
        reduction: Reduction,
        messages: Messages,
        layers: &[MessageLayer],
    ) -> Tensor {
        if !self.recording
            && reduction == Reduction::Max
            && let Some(maxima) = self.network_max(edges, &messages, layers)
        {
            return maxima;
        }
        self.aggregate(edges, reduction, messages, |tape, message| {
            layers.iter().fold(message, |x, layer| {
                let parts = [(x, layer.weight)];
                let linear = Linear { activation: layer.activation, ..Linear::new(&parts) };
                tape.replaced(x, |tape, _| tape.linear(linear.bias(layer.bias)))
            })
        })
    }

    fn network_max(
        &mut self,
        edges: &Arc<Edges>,
        messages: &Messages,
        layers: &[MessageLayer],
    ) -> Option<Tensor> {
        let width = self.message_columns(edges, messages);
        let mut columns = width;
        for layer in layers {
            assert_eq!(self.columns(layer.weight), columns, "columns of a layer's weight");
            columns = self.rows(layer.weight);
            assert_eq!(self.shape(layer.bias), (columns, 1), "a layer's bias");
        }
        let n_nodes = edges.n_nodes();
        let mut out = self.buffer(n_nodes * columns);
        let dense = |layer: &MessageLayer| Dense {
            weight: self.value(layer.weight),
            bias: self.value(layer.bias),
            columns: self.rows(layer.weight),
            activation: layer.activation,
        };
        let dense: Vec<Dense<'_>> = layers.iter().map(dense).collect();
        let terms = self.terms(messages);
        if self.device.network_max(edges, &terms, width, &dense, &mut out) {
            return Some(self.push(n_nodes, columns, out, false));
        }
        self.pool.give(out);
        None
    }

    /// A linear layer on every entry and the maximum of each row's: `x [n_entries, width]` ->
    /// `[n_nodes, columns]`.
    ///
    /// Only one entry of a row has a gradient in a column, so the way back costs products of as
    /// many rows as there are nodes, not entries; and the layer's result is not kept.
    pub fn linear_max(
        &mut self,
        edges: &Arc<Edges>,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
    ) -> Tensor {
        let segments = Segments::Rows(Arc::clone(edges));
        if !self.recording {
            return self.scope(|tape| {
                let y = tape.linear(Linear::new(&[(x, weight)]).bias(bias));
                tape.segment_reduce(Reduction::Max, y, &segments)
            });
        }
        let (rows, width) = self.shape(x);
        let (columns, n_nodes) = (self.rows(weight), edges.n_nodes());
        assert_eq!(rows, edges.n_entries(), "a row for every entry");
        assert_eq!(self.columns(weight), width, "columns of a layer's weight");
        assert_eq!(self.shape(bias), (columns, 1), "a layer's bias");
        self.prepare_transposed(weight);
        let mut y = self.buffer(rows * columns);
        let mut out = self.buffer(n_nodes * columns);
        let mut origin = self.pool.take_indices();
        let part = self.part(LayerPart { input: x, weight, start: 0 });
        let (device, bias_value) = (&self.device, Some(self.value(bias)));
        device.linear(&[part], bias_value, None, Activation::None, rows, columns, &mut y);
        device.segment_reduce(
            Reduction::Max,
            &y,
            &segments,
            rows,
            columns,
            &mut out,
            Some(&mut origin),
        );
        self.pool.give(y);
        let edges = Arc::clone(edges);
        self.result((n_nodes, columns), out, [x, weight, bias], |out| Operation::LinearMax {
            x,
            weight,
            bias,
            edges,
            origin,
            out,
        })
    }

    /// The maximum of the messages that enter each node, without storing them: [n_nodes, columns].
    pub fn gather_max(&mut self, edges: &Arc<Edges>, messages: Messages) -> Tensor {
        assert!(messages.target.is_none(), "the target's term can be added after a maximum");
        let source = messages.source.expect("messages come from a node");
        let columns = self.message_columns(edges, &messages);
        let n_nodes = edges.n_nodes();
        let mut out = self.buffer(n_nodes * columns);
        let mut origin = self.recording.then(|| self.pool.take_indices());
        let terms = self.terms(&messages);
        self.device.gather_max(edges, &terms, columns, &mut out, origin.as_mut());
        let Messages { scaled, bias, activation, .. } = messages;
        self.result((n_nodes, columns), out, messages.tensors(), |out| Operation::GatherMax {
            edges: Arc::clone(edges),
            source,
            scaled,
            bias,
            activation,
            origin,
            out,
        })
    }

    /// One row for each segment of rows: [segments, columns].
    pub fn segment_reduce(
        &mut self,
        reduction: Reduction,
        x: Tensor,
        segments: &Segments,
    ) -> Tensor {
        let (rows, columns) = self.shape(x);
        let count = segments.count(rows);
        assert!(count == 0 || segments.range(count - 1).end == rows, "segments cover all rows");
        let mut out = self.buffer(count * columns);
        let wanted = self.recording && reduction == Reduction::Max;
        let mut origin = wanted.then(|| self.pool.take_indices());
        let x_value = &self.slots[x.index()].value;
        let device = &self.device;
        device.segment_reduce(
            reduction,
            x_value,
            segments,
            rows,
            columns,
            &mut out,
            origin.as_mut(),
        );
        self.result((count, columns), out, [x], |out| Operation::SegmentReduce {
            reduction,
            x,
            segments: segments.clone(),
            origin,
            out,
        })
    }

    /// Log-probabilities within each segment of rows, column by column.
    pub fn log_softmax(&mut self, x: Tensor, segments: &Segments) -> Tensor {
        let (rows, columns) = self.shape(x);
        let mut out = self.buffer(rows * columns);
        self.device.log_softmax(self.value(x), segments, columns, &mut out);
        let segments = segments.clone();
        self.result((rows, columns), out, [x], |out| Operation::LogSoftmax { x, segments, out })
    }

    /// Log-probabilities within each row.
    pub fn log_softmax_of_rows(&mut self, x: Tensor) -> Tensor {
        let (rows, columns) = self.shape(x);
        let mut out = self.buffer(rows * columns);
        let segments = Segments::Every(columns);
        self.device.log_softmax(self.value(x), &segments, 1, &mut out);
        self.result((rows, columns), out, [x], |out| Operation::LogSoftmax { x, segments, out })
    }

    /// `source[row] · target[neighbour]` for every entry: [n_entries, 1].
    pub fn edge_dot(&mut self, edges: &Arc<Edges>, source: Tensor, target: Tensor) -> Tensor {
        let (rows, columns) = self.shape(source);
        assert_eq!(self.shape(target), (rows, columns), "both ends of entries");
        assert_eq!(rows, edges.n_nodes(), "a row for every node");
        let count = edges.n_entries();
        let mut out = self.buffer(count);
        self.device.edge_dot(edges, self.value(source), self.value(target), columns, &mut out);
        let edges = Arc::clone(edges);
        self.result((count, 1), out, [source, target], |out| Operation::EdgeDot {
            edges,
            source,
            target,
            out,
        })
    }
}
