//! Layers with learned values.

use std::sync::Arc;

use super::super::operation::{GruCell, LayerPart, MAX_PARTS, Operation};
use super::super::{Tape, Tensor};
use crate::buffer::{Buffer, Indices};
use crate::device::{Activation, Addend, BatchNormState, Gradient, GruWeights, Part, PartShape};

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

    pub(super) fn assert_rows_of(&self, x: Tensor, indices: &Indices) {
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
        if rows == 0 {
            // No rows have no mean; running ones stay.
            device.fill(&mut saved, 0.0);
        } else {
            device.batch_norm(
                x_value, gain_value, bias_value, state, activation, rows, columns, &mut out,
                &mut saved,
            );
        }
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

    /// A linear layer and the batch norm after it, by its running statistics, as one layer: its
    /// weight and bias. `layer` = (weight [columns, inputs], bias [columns, 1]), the others as for
    /// [`Self::batch_norm`]. When the tape records, statistics are the batch's, and no layer does.
    pub fn folded_batch_norm(
        &mut self,
        layer: (Tensor, Tensor),
        learned: (Tensor, Tensor),
        running: (Tensor, Tensor),
    ) -> (Tensor, Tensor) {
        assert!(!self.recording, "a norm is folded by its running statistics");
        let (columns, inputs) = self.shape(layer.0);
        for (gain, bias) in [learned, running, (layer.1, layer.1)] {
            self.assert_affine(columns, gain, bias);
        }
        let [mut weight, mut work] = [(); 2].map(|()| self.buffer(columns * inputs));
        let [mut bias, mut zeros] = [(); 2].map(|()| self.buffer(columns));
        let [gain, shift, mean, variance] =
            [learned.0, learned.1, running.0, running.1].map(|tensor| self.value(tensor));
        let (device, none) = (&self.device, Activation::None);
        let statistics = (mean, variance);
        let given = self.value(layer.1);
        device.batch_norm_running(given, gain, shift, statistics, none, 1, columns, &mut bias);
        // Of the weight only the scale: as if every mean and every bias were zero.
        device.fill(&mut zeros, 0.0);
        let statistics = (&zeros, variance);
        device.transpose(self.value(layer.0), columns, inputs, &mut work);
        device.batch_norm_running(
            &work,
            gain,
            &zeros,
            statistics,
            none,
            inputs,
            columns,
            &mut weight,
        );
        device.transpose(&weight, inputs, columns, &mut work);
        self.pool.give(weight);
        self.pool.give(zeros);
        (self.push(columns, inputs, work, false), self.push(columns, 1, bias, false))
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
        let at_once = if self.recording { rows } else { rows.min(self.device.rows_at_once() / 2) };
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

    pub(in crate::tape) fn gru_weights(
        &self,
        cell: GruCell,
        x: Tensor,
        state: Tensor,
    ) -> GruWeights<'_> {
        GruWeights {
            input: self.part(LayerPart { input: x, weight: cell.weight_ih, start: 0 }),
            state: self.part(LayerPart { input: state, weight: cell.weight_hh, start: 0 }),
            biases: [self.value(cell.bias_ih), self.value(cell.bias_hh)],
        }
    }
}
