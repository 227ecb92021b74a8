//! The operators, forward: shapes are checked here, values are computed by the device.
//!
//! # Panics
//! Every operator panics when shapes do not fit: that is a mistake in a model, not in data.

use std::ops::Range;
use std::sync::Arc;

use super::operation::{GruCell, LayerPart, MAX_PARTS, Operation, Piece};
use super::{Tape, Tensor};
use crate::buffer::{Buffer, Indices};
use crate::device::{
    Activation, Addend, BatchNormState, Binary, Gradient, GruWeights, Loss, MessageTerms, Part,
    PartShape, Reduction, Unary,
};
use crate::graph::{Edges, Segments};

/// A linear layer: `activation(sum of input · weightᵀ + bias + addend)`.
///
/// Several parts stand for one layer on concatenated inputs, without the copy: parts that follow
/// each other with the same weight take its columns one after the other. The addend is what was
/// computed before: as many rows, or any of which each row of the layer takes one.
#[derive(Debug, Clone, Copy)]
pub struct Linear<'a> {
    /// Inputs `[rows, width]` with their weights `[columns, widths of its parts]`, at most four.
    pub parts: &'a [(Tensor, Tensor)],
    /// The first column that counts of the first part's weight.
    pub start: usize,
    /// [columns, 1].
    pub bias: Option<Tensor>,
    /// `[rows, columns]`, or `[any, columns]` and the row that each row takes.
    pub addend: Option<(Tensor, Option<&'a Arc<Indices>>)>,
    /// Applied last.
    pub activation: Activation,
}

impl<'a> Linear<'a> {
    /// Just the products.
    pub fn new(parts: &'a [(Tensor, Tensor)]) -> Self {
        Self { parts, start: 0, bias: None, addend: None, activation: Activation::None }
    }

    /// From a column of the weight on.
    pub fn from_column(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// With a bias.
    pub fn bias(self, bias: Tensor) -> Self {
        Self { bias: Some(bias), ..self }
    }

    /// With something added.
    #[expect(clippy::should_implement_trait, reason = "a part of the layer, not a sum of layers")]
    pub fn add(self, addend: Tensor) -> Self {
        Self { addend: Some((addend, None)), ..self }
    }

    /// With one of the rows of something added to each row.
    pub fn add_rows(self, addend: Tensor, rows: &'a Arc<Indices>) -> Self {
        Self { addend: Some((addend, Some(rows))), ..self }
    }

    /// With max(x, 0) applied.
    pub fn relu(self) -> Self {
        Self { activation: Activation::Relu, ..self }
    }
}

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

impl Tape {
    /// A linear layer: [rows, columns].
    pub fn linear(&mut self, linear: Linear<'_>) -> Tensor {
        assert!((1..=MAX_PARTS).contains(&linear.parts.len()), "one to four parts of a layer");
        let rows = self.rows(linear.parts[0].0);
        let columns = self.rows(linear.parts[0].1);
        let mut parts = [None; MAX_PARTS];
        let mut next: Option<(Tensor, usize)> = None;
        for (slot, &(input, weight)) in parts.iter_mut().zip(linear.parts) {
            let width = self.columns(input);
            let start = match next {
                Some((before, column)) if before == weight => column,
                Some(_) => 0,
                None => linear.start,
            };
            next = Some((weight, start + width));
            assert_eq!(self.rows(input), rows, "rows of the parts of a layer");
            assert_eq!(self.rows(weight), columns, "rows of a layer's weight");
            assert!(start + width <= self.columns(weight), "columns of a layer's weight");
            self.prepare_transposed(weight);
            *slot = Some(LayerPart { input, weight, start });
        }
        if let Some(bias) = linear.bias {
            assert_eq!(self.shape(bias), (columns, 1), "a layer's bias");
        }
        if let Some((addend, chosen)) = linear.addend {
            let given = chosen.map_or(self.rows(addend), |chosen| {
                self.assert_rows_of(addend, chosen);
                chosen.len()
            });
            assert_eq!((given, self.columns(addend)), (rows, columns), "a layer's addend");
        }
        let mut out = self.buffer(rows * columns);
        let bias = linear.bias.map(|bias| self.value(bias));
        let addend = linear.addend.map(|(addend, rows)| Addend {
            values: self.value(addend),
            rows: rows.map(|rows| &**rows),
        });
        let activation = linear.activation;
        let device = &self.device;
        let mut run = |parts: &[Part<'_>]| {
            device.linear(parts, bias, addend, activation, rows, columns, &mut out);
        };
        // Arrays, not a vector: a layer allocates nothing.
        match parts.map(|given| given.map(|given| self.part(given))) {
            [Some(a), None, ..] => run(&[a]),
            [Some(a), Some(b), None, _] => run(&[a, b]),
            [Some(a), Some(b), Some(c), None] => run(&[a, b, c]),
            [Some(a), Some(b), Some(c), Some(d)] => run(&[a, b, c, d]),
            [None, ..] => unreachable!("a layer has a part"),
        }
        let inputs = parts.into_iter().flatten().flat_map(|part| [part.input, part.weight]);
        let inputs = inputs.chain(linear.bias).chain(linear.addend.map(|(addend, _)| addend));
        self.result((rows, columns), out, inputs, |out| Operation::Linear {
            parts,
            bias: linear.bias,
            addend: linear.addend.map(|(addend, rows)| (addend, rows.cloned())),
            activation,
            out,
        })
    }

    pub(super) fn part(&self, LayerPart { input, weight, start }: LayerPart) -> Part<'_> {
        let weight = &self.slots[weight.index()];
        Part {
            input: self.value(input),
            weight: &weight.value,
            transposed: weight.transposed.as_ref(),
            width: self.columns(input),
            start,
            stride: weight.columns,
        }
    }

    fn assert_rows_of(&self, x: Tensor, indices: &Indices) {
        let rows = self.rows(x);
        assert!(indices.host().iter().all(|&i| (i as usize) < rows), "numbers of rows");
    }

    /// The block of `width` columns from each start, summed: a layer whose input is twice the same
    /// needs only the sum of its weights.
    pub fn sum_of_columns(&mut self, x: Tensor, starts: &[usize], width: usize) -> Tensor {
        let (rows, columns) = self.shape(x);
        assert!(matches!(starts.len(), 1 | 2), "one or two blocks of columns");
        assert!(starts.iter().all(|start| start + width <= columns), "columns of a tensor");
        let mut out = self.buffer(rows * width);
        self.device.columns(self.value(x), rows, columns, starts, width, &mut out);
        let n_starts = starts.len();
        let starts = [starts[0], starts.get(1).copied().unwrap_or_default()];
        self.result((rows, width), out, [x], |out| Operation::Columns { x, starts, n_starts, out })
    }

    /// `width` columns from `start` on.
    pub fn columns_of(&mut self, x: Tensor, start: usize, width: usize) -> Tensor {
        self.sum_of_columns(x, &[start], width)
    }

    /// `count` values of a column [n, 1] from `start` on, again as a column.
    pub fn rows_of(&mut self, x: Tensor, start: usize, count: usize) -> Tensor {
        let (rows, columns) = self.shape(x);
        assert!(columns == 1 && start + count <= rows, "rows of a column");
        let mut out = self.buffer(count);
        self.device.columns(self.value(x), 1, rows, &[start], count, &mut out);
        let starts = [start, 0];
        self.result((count, 1), out, [x], |out| Operation::Columns { x, starts, n_starts: 1, out })
    }

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
        let entries_at_once = if self.recording { usize::MAX } else { ENTRIES_AT_ONCE };
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
                let offsets = Arc::new(Indices(local.collect()));
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
        let mut origin = self.pool.take_indices();
        let terms = self.terms(&messages);
        self.device.gather_max(edges, &terms, columns, &mut out, &mut origin);
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
        let mut origin = (reduction == Reduction::Max).then(|| self.pool.take_indices());
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

    /// Rows by number: an embedding, or a selection.
    pub fn gather_rows(&mut self, x: Tensor, indices: &Arc<Indices>) -> Tensor {
        let columns = self.columns(x);
        self.assert_rows_of(x, indices);
        let mut out = self.buffer(indices.len() * columns);
        self.device.gather_rows(self.value(x), indices, columns, &mut out);
        let indices = Arc::clone(indices);
        let shape = (indices.len(), columns);
        self.result(shape, out, [x], |out| Operation::GatherRows { x, indices, out })
    }

    /// Tensors of equal width below each other.
    pub fn stack(&mut self, inputs: &[Tensor]) -> Tensor {
        self.stack_rows(inputs.iter().map(|&tensor| (tensor, 0..usize::MAX)))
    }

    /// Some rows of tensors of equal width below each other; ranges end where their tensor does.
    pub fn stack_rows(
        &mut self,
        inputs: impl IntoIterator<Item = (Tensor, Range<usize>)>,
    ) -> Tensor {
        let (pieces, rows) = self.remember(inputs);
        let columns = self.columns(self.pieces[pieces.start].tensor);
        self.stacked(pieces, (rows, columns))
    }

    /// Columns `[n, 1]` as rows: `[columns, n]`.
    pub fn rows_from_columns(&mut self, inputs: &[Tensor]) -> Tensor {
        let whole = inputs.iter().map(|&tensor| (tensor, 0..usize::MAX));
        let (pieces, values) = self.remember(whole);
        self.stacked(pieces, (inputs.len(), values / inputs.len()))
    }

    fn stacked(&mut self, pieces: Range<usize>, shape: (usize, usize)) -> Tensor {
        let mut out = self.buffer(shape.0 * shape.1);
        let mut at = 0;
        let columns = self.columns(self.pieces[pieces.start].tensor);
        for Piece { tensor, rows } in &self.pieces[pieces.clone()] {
            assert_eq!(self.columns(*tensor), columns, "tensors to stack");
            let values = rows.start * columns..rows.end * columns;
            let len = values.len();
            self.device.place(self.value(*tensor), values, &mut out, at);
            at += len;
        }
        self.of_pieces(shape, out, pieces, |pieces, out| Operation::Stack { pieces, out })
    }

    /// Tensors of as many rows side by side.
    pub fn join(&mut self, inputs: &[Tensor]) -> Tensor {
        let rows = self.rows(inputs[0]);
        let columns: usize = inputs.iter().map(|&input| self.columns(input)).sum();
        let mut out = self.buffer(rows * columns);
        let mut start = 0;
        for &input in inputs {
            let (own_rows, width) = self.shape(input);
            assert_eq!(own_rows, rows, "tensors to join");
            self.device.place_columns(self.value(input), width, start, columns, &mut out);
            start += width;
        }
        let (pieces, _) = self.remember(inputs.iter().map(|&tensor| (tensor, 0..rows)));
        self.of_pieces((rows, columns), out, pieces, |pieces, out| Operation::Join { pieces, out })
    }

    /// Keeps a list of inputs, also for the way back: where they are, and how many rows in all.
    fn remember(
        &mut self,
        inputs: impl IntoIterator<Item = (Tensor, Range<usize>)>,
    ) -> (Range<usize>, usize) {
        let first = self.pieces.len();
        let mut all = 0;
        for (tensor, rows) in inputs {
            let rows = rows.start..rows.end.min(self.rows(tensor));
            assert!(rows.start <= rows.end, "rows of a tensor");
            all += rows.len();
            self.pieces.push(Piece { tensor, rows });
        }
        (first..self.pieces.len(), all)
    }

    fn of_pieces(
        &mut self,
        shape: (usize, usize),
        out: Buffer,
        pieces: Range<usize>,
        operation: impl FnOnce(Range<usize>, Tensor) -> Operation,
    ) -> Tensor {
        // One that wants a gradient stands for all.
        let wanting = self.pieces[pieces.clone()].iter().map(|piece| piece.tensor);
        let wanting = wanting.into_iter().find(|&tensor| self.is_tracked(tensor));
        if !self.recording {
            self.pieces.truncate(pieces.start);
        }
        self.result(shape, out, wanting, |out| operation(pieces, out))
    }

    /// aᵀ · b: `[rows, i]`, `[rows, j]` -> `[i, j]`.
    pub fn transposed_product(&mut self, a: Tensor, b: Tensor) -> Tensor {
        let ((rows, i), (others, j)) = (self.shape(a), self.shape(b));
        assert_eq!(rows, others, "rows of a product");
        let mut out = self.buffer(i * j);
        let shape = PartShape { rows, columns: i, width: j, start: 0, stride: j };
        let (a_value, b_value) = (self.value(a), self.value(b));
        let gradient = Gradient { buffer: &mut out, add: false };
        self.device.linear_gradient(a_value, b_value, b_value, shape, None, Some(gradient));
        self.result((i, j), out, [a, b], |out| Operation::TransposedProduct { a, b, out })
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

    /// Normalises each row; gain and bias are [columns, 1].
    pub fn layer_norm(&mut self, x: Tensor, gain: Tensor, bias: Tensor) -> Tensor {
        let (rows, columns) = self.shape(x);
        self.assert_affine(columns, gain, bias);
        let mut out = self.buffer(rows * columns);
        let mut saved = self.buffer(rows * 2);
        let (x_value, gain_value, bias_value) = (self.value(x), self.value(gain), self.value(bias));
        let device = &self.device;
        device.layer_norm(x_value, gain_value, bias_value, rows, columns, &mut out, &mut saved);
        let inputs = [x, gain, bias];
        self.result((rows, columns), out, inputs, |out| Operation::LayerNorm {
            x,
            gain,
            bias,
            saved,
            out,
        })
    }

    /// Normalises each column: by the batch's statistics when the tape records, which also moves
    /// the running ones; by the running ones otherwise. `learned` = (gain, bias), `running` =
    /// (mean, variance), all [columns, 1].
    pub fn batch_norm(
        &mut self,
        x: Tensor,
        learned: (Tensor, Tensor),
        running: (Tensor, Tensor),
        activation: Activation,
    ) -> Tensor {
        let (rows, columns) = self.shape(x);
        let (gain, bias) = learned;
        self.assert_affine(columns, gain, bias);
        self.assert_affine(columns, running.0, running.1);
        let mut out = self.buffer(rows * columns);
        if !self.recording {
            let running = (self.value(running.0), self.value(running.1));
            let (x_value, gain, bias) = (self.value(x), self.value(gain), self.value(bias));
            self.device.batch_norm_running(
                x_value, gain, bias, running, activation, rows, columns, &mut out,
            );
            return self.push(rows, columns, out, false);
        }
        let mut saved = self.buffer(2 * columns);
        let mut mean = self.take_value(running.0);
        let mut variance = self.take_value(running.1);
        let state = BatchNormState { mean: &mut mean, variance: &mut variance };
        let (x_value, gain_value, bias_value) = (self.value(x), self.value(gain), self.value(bias));
        let device = &self.device;
        device.batch_norm(
            x_value, gain_value, bias_value, state, activation, rows, columns, &mut out, &mut saved,
        );
        self.slots[running.0.index()].value = mean;
        self.slots[running.1.index()].value = variance;
        let inputs = [x, gain, bias];
        self.result((rows, columns), out, inputs, |out| Operation::BatchNorm {
            x,
            gain,
            bias,
            activation,
            saved,
            out,
        })
    }

    fn take_value(&mut self, tensor: Tensor) -> Buffer {
        let empty = Buffer::Double(Vec::new());
        std::mem::replace(&mut self.slots[tensor.index()].value, empty)
    }

    fn assert_affine(&self, columns: usize, gain: Tensor, bias: Tensor) {
        for tensor in [gain, bias] {
            assert_eq!(self.shape(tensor), (columns, 1), "values for the columns of a norm");
        }
    }

    /// A gated recurrent unit: the next state from `x [rows, inputs]` and `state [rows, hidden]`.
    pub fn gru(&mut self, cell: GruCell, x: Tensor, state: Tensor) -> Tensor {
        let (rows, columns) = self.shape(state);
        let GruCell { weight_ih, weight_hh, bias_ih, bias_hh } = cell;
        assert_eq!(self.rows(x), rows, "rows of input and state");
        assert_eq!(self.shape(weight_ih), (3 * columns, self.columns(x)), "the input's weight");
        assert_eq!(self.shape(weight_hh), (3 * columns, columns), "the state's weight");
        self.assert_affine(3 * columns, bias_ih, bias_hh);
        assert!(x != state, "input and state are two tensors");
        self.prepare_transposed(weight_ih);
        self.prepare_transposed(weight_hh);
        let mut out = self.buffer(rows * columns);
        // Gates are kept only for the way back.
        let at_once = if self.recording { rows } else { rows.min(ROWS_AT_ONCE) };
        let mut saved = self.buffer(4 * at_once * columns);
        let weights = self.gru_weights(cell, x, state);
        for first in (0..rows).step_by(at_once.max(1)) {
            let block = first..(first + at_once).min(rows);
            self.device.gru(&weights, block, columns, &mut out, &mut saved);
        }
        let inputs = [x, state, weight_ih, weight_hh, bias_ih, bias_hh];
        self.result((rows, columns), out, inputs, |out| Operation::Gru {
            x,
            state,
            cell,
            saved,
            out,
        })
    }

    pub(super) fn gru_weights(&self, cell: GruCell, x: Tensor, state: Tensor) -> GruWeights<'_> {
        GruWeights {
            input: self.part(LayerPart { input: x, weight: cell.weight_ih, start: 0 }),
            state: self.part(LayerPart { input: state, weight: cell.weight_hh, start: 0 }),
            biases: [self.value(cell.bias_ih), self.value(cell.bias_hh)],
        }
    }

    /// A function of each value.
    pub fn unary(&mut self, function: Unary, x: Tensor) -> Tensor {
        let shape = self.shape(x);
        let mut out = self.buffer(shape.0 * shape.1);
        self.device.unary(function, self.value(x), &mut out);
        self.result(shape, out, [x], |out| Operation::Unary { function, x, out })
    }

    /// A function of each pair of values.
    pub fn binary(&mut self, function: Binary, a: Tensor, b: Tensor) -> Tensor {
        let shape = self.shape(a);
        assert_eq!(self.shape(b), shape, "tensors of one shape");
        let mut out = self.buffer(shape.0 * shape.1);
        self.device.binary(function, self.value(a), self.value(b), &mut out);
        self.result(shape, out, [a, b], |out| Operation::Binary { function, a, b, out })
    }

    /// a + b.
    pub fn add(&mut self, a: Tensor, b: Tensor) -> Tensor {
        self.binary(Binary::Add, a, b)
    }

    /// The larger of a and b, value by value.
    pub fn max(&mut self, a: Tensor, b: Tensor) -> Tensor {
        self.binary(Binary::Max, a, b)
    }

    /// (1 + scale) a + b, with a scale [1, 1].
    pub fn scaled_sum(&mut self, scale: Tensor, a: Tensor, b: Tensor) -> Tensor {
        let shape = self.shape(a);
        assert_eq!(self.shape(b), shape, "tensors of one shape");
        assert_eq!(self.shape(scale), (1, 1), "a scale");
        let mut out = self.buffer(shape.0 * shape.1);
        self.device.scaled_sum(self.value(scale), self.value(a), self.value(b), &mut out);
        self.result(shape, out, [scale, a, b], |out| Operation::ScaledSum { scale, a, b, out })
    }

    /// a + factor * b.
    pub fn add_scaled(&mut self, a: Tensor, factor: f64, b: Tensor) -> Tensor {
        let shape = self.shape(a);
        assert_eq!(self.shape(b), shape, "tensors of one shape");
        let mut out = self.buffer(shape.0 * shape.1);
        self.device.add_scaled(self.value(a), self.value(b), factor, &mut out);
        self.result(shape, out, [a, b], |out| Operation::AddScaled { a, b, factor, out })
    }

    /// The sum of `-weight * x[target]` over targets (places in `x`; `u32::MAX` for none): a
    /// negative log-likelihood when x holds log-probabilities. Weights are [targets, 1].
    pub fn picked(&mut self, x: Tensor, targets: &Arc<Indices>, weights: Tensor) -> Tensor {
        assert_eq!(self.shape(weights), (targets.len(), 1), "weights of targets");
        let mut out = self.buffer(1);
        self.device.picked(self.value(x), targets, self.value(weights), &mut out);
        let targets = Arc::clone(targets);
        self.result((1, 1), out, [x], |out| Operation::Picked { x, targets, weights, out })
    }

    /// The sum of `weight * loss(x, target)`.
    pub fn loss(&mut self, loss: Loss, x: Tensor, targets: Tensor, weights: Tensor) -> Tensor {
        let len = self.value(x).len();
        assert_eq!(self.value(targets).len(), len, "targets of a loss");
        assert_eq!(self.value(weights).len(), len, "weights of a loss");
        let mut out = self.buffer(1);
        let (x_value, t, w) = (self.value(x), self.value(targets), self.value(weights));
        self.device.loss(loss, x_value, t, w, &mut out);
        self.result((1, 1), out, [x], |out| Operation::Loss { loss, x, targets, weights, out })
    }

    /// The mean over rows of their Euclidean norm: [1, 1].
    pub fn mean_norm(&mut self, x: Tensor) -> Tensor {
        let (rows, columns) = self.shape(x);
        let mut out = self.buffer(1);
        let mut saved = self.buffer(rows);
        self.device.mean_norm(self.value(x), rows, columns, &mut out, &mut saved);
        self.result((1, 1), out, [x], |out| Operation::MeanNorm { x, saved, out })
    }
}

/// How many messages are there at a time when none are kept for gradients.
const ENTRIES_AT_ONCE: usize = 16_384;

/// How many rows of gates are there at a time when none are kept for gradients.
const ROWS_AT_ONCE: usize = 8_192;
