//! Linear layers, `x · wᵀ`, and the sums over rows that their gradients need.
//!
//! A layer may have several inputs with a weight each, which is the same as one input with all
//! their columns side by side, but without making it. The addend is the share of an input that
//! stays the same while the others change; rows may share a row of it.

use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Activation, Addend, Gradient, LinearLayers, Part, PartShape};

impl LinearLayers for Reference {
    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer) {
        transpose(from.double(), rows, columns, to.double_mut());
    }

    fn linear(
        &self,
        parts: &[Part<'_>],
        bias: Option<&Buffer>,
        addend: Option<Addend<'_>>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        linear(
            parts,
            bias.map(Buffer::double),
            addend,
            activation,
            rows,
            columns,
            out.double_mut(),
        );
    }

    fn linear_gradient(
        &self,
        dy: &Buffer,
        x: &Buffer,
        weight: &Buffer,
        shape: PartShape,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        if let Some(dx) = dx {
            input_gradient(dy.double(), weight.double(), shape, sum_into(dx));
        }
        if let Some(dw) = dw {
            weight_gradient(dy.double(), x.double(), shape, sum_into(dw));
        }
    }

    fn column_sums(
        &self,
        x: &Buffer,
        factors: Option<&Buffer>,
        rows: usize,
        columns: usize,
        out: Gradient<'_>,
    ) {
        column_sums(x.double(), factors.map(Buffer::double), rows, columns, sum_into(out));
    }

    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer) {
        relu_gradient(y.double(), dy.double_mut());
    }
}

/// `from [rows, columns]` -> `to [columns, rows]`.
pub fn transpose(from: &[f64], rows: usize, columns: usize, to: &mut [f64]) {
    for r in 0..rows {
        for c in 0..columns {
            to[c * rows + r] = from[r * columns + c];
        }
    }
}

/// Parts of `input [rows, width]` and `weight [columns, stride]`, `bias [columns]` and an addend ->
/// `out [rows, columns]`.
pub fn linear(
    parts: &[Part<'_>],
    bias: Option<&[f64]>,
    addend: Option<Addend<'_>>,
    activation: Activation,
    rows: usize,
    columns: usize,
    out: &mut [f64],
) {
    for r in 0..rows {
        for c in 0..columns {
            let mut sum = 0.0;
            for part in parts {
                let (input, weight) = (part.input.double(), part.weight.double());
                for i in 0..part.width {
                    sum += input[r * part.width + i] * weight[c * part.stride + part.start + i];
                }
            }
            if let Some(bias) = bias {
                sum += bias[c];
            }
            if let Some(Addend { values, rows }) = addend {
                let row = rows.map_or(r, |rows| rows.host()[r] as usize);
                sum += values.double()[row * columns + c];
            }
            out[r * columns + c] = activate(activation, sum);
        }
    }
}

/// The activation of one value.
pub fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::None => x,
        // What is no number stays so.
        Activation::Relu if x < 0.0 => 0.0,
        Activation::Relu => x,
    }
}

/// `dy [rows, columns]`, `weight [columns, stride]` -> adds to `dx [rows, width]`.
pub fn input_gradient(dy: &[f64], weight: &[f64], shape: PartShape, dx: &mut [f64]) {
    let PartShape { rows, columns, width, start, stride } = shape;
    for r in 0..rows {
        for c in 0..columns {
            for i in 0..width {
                dx[r * width + i] += dy[r * columns + c] * weight[c * stride + start + i];
            }
        }
    }
}

/// `dy [rows, columns]`, `x [rows, width]` -> adds to `dw [columns, stride]`.
pub fn weight_gradient(dy: &[f64], x: &[f64], shape: PartShape, dw: &mut [f64]) {
    let PartShape { rows, columns, width, start, stride } = shape;
    for r in 0..rows {
        for c in 0..columns {
            for i in 0..width {
                dw[c * stride + start + i] += dy[r * columns + c] * x[r * width + i];
            }
        }
    }
}

/// `x [rows, columns]`, `factors [rows]` -> adds to `out [columns]`.
pub fn column_sums(
    x: &[f64],
    factors: Option<&[f64]>,
    rows: usize,
    columns: usize,
    out: &mut [f64],
) {
    for r in 0..rows {
        let factor = factors.map_or(1.0, |factors| factors[r]);
        for c in 0..columns {
            out[c] += factor * x[r * columns + c];
        }
    }
}

/// `y` and `dy` of one shape: `dy` is 0 where `y` is not positive.
pub fn relu_gradient(y: &[f64], dy: &mut [f64]) {
    for (dy, &y) in dy.iter_mut().zip(y) {
        if y <= 0.0 {
            *dy = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{Buffer, Indices};

    #[test]
    fn transposing_swaps_rows_and_columns() {
        let mut to = [0.0; 6];
        transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, &mut to);
        assert_eq!(to, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn parts_bias_and_addend_are_summed() {
        let input = Buffer::Double(vec![1.0, 2.0, 3.0, 4.0]);
        let weight = Buffer::Double(vec![1.0, 0.0, 1.0, -1.0]);
        let second_input = Buffer::Double(vec![5.0, 6.0]);
        let second_weight = Buffer::Double(vec![2.0, 0.0]);
        let parts = [
            Part {
                input: &input,
                weight: &weight,
                transposed: None,
                width: 2,
                start: 0,
                stride: 2,
            },
            Part {
                input: &second_input,
                weight: &second_weight,
                transposed: None,
                width: 1,
                start: 0,
                stride: 1,
            },
        ];
        let mut out = [9.0; 4];
        linear(&parts, None, None, Activation::None, 2, 2, &mut out);
        assert_eq!(out, [11.0, -1.0, 15.0, -1.0]);
        let (bias, values) = ([0.5, 0.0], Buffer::Double(vec![100.0, 1.5, 0.0, 0.0]));
        let addend = Addend { values: &values, rows: None };
        linear(&parts, Some(&bias), Some(addend), Activation::None, 2, 2, &mut out);
        assert_eq!(out, [111.5, 0.5, 15.5, -1.0]);
        linear(&parts, None, None, Activation::Relu, 2, 2, &mut out);
        assert_eq!(out, [11.0, 0.0, 15.0, 0.0]);
    }

    #[test]
    fn rows_may_share_a_row_of_the_addend() {
        let mut out = [9.0; 3];
        let (values, rows) = (Buffer::Double(vec![1.0, 2.0]), Indices::new(vec![1, 0, 1]));
        let addend = Addend { values: &values, rows: Some(&rows) };
        linear(&[], None, Some(addend), Activation::None, 3, 1, &mut out);
        assert_eq!(out, [2.0, 1.0, 2.0]);
    }

    #[test]
    fn gradients_are_products_with_the_other_operand() {
        // one row, two columns, two inputs
        let shape = PartShape { rows: 1, columns: 2, width: 2, start: 0, stride: 2 };
        let mut dx = [0.0; 2];
        input_gradient(&[1.0, 10.0], &[1.0, 2.0, 3.0, 4.0], shape, &mut dx);
        assert_eq!(dx, [31.0, 42.0]);
        let mut dw = [0.5; 4];
        weight_gradient(&[1.0, 10.0], &[3.0, 4.0], shape, &mut dw);
        assert_eq!(dw, [3.5, 4.5, 30.5, 40.5]);
    }

    #[test]
    fn rows_are_summed() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut sums = [0.0; 2];
        column_sums(&x, None, 3, 2, &mut sums);
        assert_eq!(sums, [9.0, 12.0]);
        column_sums(&x, Some(&[1.0, 0.0, -1.0]), 3, 2, &mut sums);
        assert_eq!(sums, [5.0, 8.0]);
    }

    #[test]
    fn no_gradient_passes_where_the_activation_is_zero() {
        let mut dy = [5.0, 6.0, 7.0];
        relu_gradient(&[0.0, 1.0, -1.0], &mut dy);
        assert_eq!(dy, [0.0, 6.0, 0.0]);
    }
}
