//! Functions of each value on its own, and of pairs. All operands have one shape.
//!
//! Gradients of one value are computed from the result y, which the tape keeps anyway.

use super::linear::activate;
use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Activation, Binary, Elementwise, Gradient, Unary};

impl Elementwise for Reference {
    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer) {
        unary(function, x.double(), out.double_mut());
    }

    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        unary_gradient(function, y.double(), dy.double(), sum_into(dx));
    }

    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        binary(function, a.double(), b.double(), out.double_mut());
    }

    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    ) {
        binary_gradient(function, a.double(), b.double(), dy.double(), of_a, sum_into(dx));
    }

    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        scaled_sum(scale.double(), a.double(), b.double(), out.double_mut());
    }

    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>) {
        self::scale(dy.double(), 1.0 + scale.double()[0], sum_into(da));
    }

    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>) {
        dot(a.double(), b.double(), sum_into(out));
    }

    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer) {
        add_scaled(a.double(), b.double(), factor, out.double_mut());
    }

    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>) {
        scale(from.double(), factor, sum_into(to));
    }
}

/// `x [n]` -> `out [n]`.
pub fn unary(function: Unary, x: &[f64], out: &mut [f64]) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = match function {
            Unary::Relu => activate(Activation::Relu, x),
            Unary::Sigmoid => sigmoid(x),
            Unary::Tanh => x.tanh(),
        };
    }
}

/// `1 / (1 + exp(-x))`, which is exactly 0 or 1 far out.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `y` and `dy [n]` -> adds to `dx [n]`.
pub fn unary_gradient(function: Unary, y: &[f64], dy: &[f64], dx: &mut [f64]) {
    for i in 0..dx.len() {
        let slope = match function {
            Unary::Relu if y[i] > 0.0 => 1.0,
            Unary::Relu => 0.0,
            Unary::Sigmoid => y[i] * (1.0 - y[i]),
            Unary::Tanh => 1.0 - y[i] * y[i],
        };
        dx[i] += slope * dy[i];
    }
}

/// `a` and `b [n]` -> `out [n]`.
pub fn binary(function: Binary, a: &[f64], b: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = match function {
            Binary::Add => a[i] + b[i],
            Binary::Subtract => a[i] - b[i],
            Binary::Multiply => a[i] * b[i],
            Binary::Max => a[i].max(b[i]),
        };
    }
}

/// `a`, `b` and `dy [n]` -> adds to `dx [n]` of `a` or of `b`.
pub fn binary_gradient(
    function: Binary,
    a: &[f64],
    b: &[f64],
    dy: &[f64],
    of_a: bool,
    dx: &mut [f64],
) {
    for i in 0..dx.len() {
        let slope = match function {
            Binary::Add => 1.0,
            Binary::Subtract if of_a => 1.0,
            Binary::Subtract => -1.0,
            Binary::Multiply if of_a => b[i],
            Binary::Multiply => a[i],
            Binary::Max if of_a == (a[i] >= b[i]) => 1.0,
            Binary::Max => 0.0,
        };
        dx[i] += slope * dy[i];
    }
}

/// `scale [1]`, `a` and `b [n]` -> `out [n]`.
pub fn scaled_sum(scale: &[f64], a: &[f64], b: &[f64], out: &mut [f64]) {
    add_scaled(b, a, 1.0 + scale[0], out);
}

/// `a` and `b [n]` -> `out [n] = a + factor * b`.
pub fn add_scaled(a: &[f64], b: &[f64], factor: f64, out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = a[i] + factor * b[i];
    }
}

/// `from [n]` -> adds `factor * from` to `to [n]`.
pub fn scale(from: &[f64], factor: f64, to: &mut [f64]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// `a` and `b [n]` -> adds to `out [1]`.
pub fn dot(a: &[f64], b: &[f64], out: &mut [f64]) {
    for (a, b) in a.iter().zip(b) {
        out[0] += a * b;
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn functions_of_one_value() {
        let mut out = [9.0; 2];
        unary(Unary::Relu, &[-2.0, 3.0], &mut out);
        assert_close(&out, &[0.0, 3.0]);
        unary(Unary::Sigmoid, &[0.0, 3_f64.ln()], &mut out);
        assert_close(&out, &[0.5, 0.75]);
        unary(Unary::Tanh, &[0.0, 3_f64.ln() / 2.0], &mut out);
        assert_close(&out, &[0.0, 0.5]);
    }

    #[test]
    fn slopes_are_taken_from_the_result() {
        let mut dx = [1.0; 2];
        unary_gradient(Unary::Relu, &[0.0, 3.0], &[5.0, 6.0], &mut dx);
        assert_close(&dx, &[1.0, 7.0]);
        let mut dx = [0.0; 2];
        unary_gradient(Unary::Sigmoid, &[0.5, 0.75], &[4.0, 16.0], &mut dx);
        assert_close(&dx, &[1.0, 3.0]);
        let mut dx = [0.0; 2];
        unary_gradient(Unary::Tanh, &[0.0, 0.5], &[4.0, 16.0], &mut dx);
        assert_close(&dx, &[4.0, 12.0]);
    }

    #[test]
    fn functions_of_two_values_and_their_gradients() {
        let (a, b, dy) = ([1.0, 4.0, 7.0], [2.0, 4.0, 6.0], [1.0, 10.0, 100.0]);
        let cases = [
            (Binary::Add, [3.0, 8.0, 13.0], dy, dy),
            (Binary::Subtract, [-1.0, 0.0, 1.0], dy, [-1.0, -10.0, -100.0]),
            (Binary::Multiply, [2.0, 16.0, 42.0], [2.0, 40.0, 600.0], [1.0, 40.0, 700.0]),
            (Binary::Max, [2.0, 4.0, 7.0], [0.0, 10.0, 100.0], [1.0, 0.0, 0.0]),
        ];
        for (function, expected, expected_da, expected_db) in cases {
            let (mut out, mut da, mut db) = ([9.0; 3], [0.0; 3], [0.0; 3]);
            binary(function, &a, &b, &mut out);
            binary_gradient(function, &a, &b, &dy, true, &mut da);
            binary_gradient(function, &a, &b, &dy, false, &mut db);
            assert_eq!((out, da, db), (expected, expected_da, expected_db), "{function:?}");
        }
    }

    #[test]
    fn sums_with_factors() {
        let mut out = [9.0; 2];
        scaled_sum(&[0.5], &[2.0, 4.0], &[10.0, 20.0], &mut out);
        assert_eq!(out, [13.0, 26.0]);
        add_scaled(&[1.0, 2.0], &[10.0, 20.0], -0.5, &mut out);
        assert_eq!(out, [-4.0, -8.0]);
        scale(&[1.0, 2.0], 3.0, &mut out);
        assert_eq!(out, [-1.0, -2.0]);
        let mut product = [1.0];
        dot(&[1.0, 2.0], &[10.0, 20.0], &mut product);
        assert_eq!(product, [51.0]);
    }
}
