//! Operators that move values, compute with each, or make one number of all.

use std::ops::Range;
use std::sync::Arc;

use super::super::operation::{Operation, Piece};
use super::super::{Tape, Tensor};
use crate::buffer::{Buffer, Indices};
use crate::device::{Binary, Loss, Unary};

impl Tape {
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
