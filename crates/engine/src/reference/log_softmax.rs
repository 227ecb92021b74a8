//! Log-probabilities within each segment, column by column: `x - ln(sum of exp(x))`.
//!
//! The largest value is taken out first, so that no exponential overflows. The gradient is
//! `dx = dy - exp(y) * sum of dy`.

use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Gradient, LogProbabilities};
use crate::graph::Segments;

impl LogProbabilities for Reference {
    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer) {
        log_softmax(x.double(), segments, columns, out.double_mut());
    }

    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        log_softmax_gradient(y.double(), dy.double(), segments, columns, sum_into(dx));
    }
}

/// `x [rows, columns]` -> `out [rows, columns]`.
pub fn log_softmax(x: &[f64], segments: &Segments, columns: usize, out: &mut [f64]) {
    for s in 0..segments.count(x.len() / columns) {
        for c in 0..columns {
            let mut largest = f64::NEG_INFINITY;
            for r in segments.range(s) {
                largest = largest.max(x[r * columns + c]);
            }
            let mut sum = 0.0;
            for r in segments.range(s) {
                sum += (x[r * columns + c] - largest).exp();
            }
            for r in segments.range(s) {
                out[r * columns + c] = x[r * columns + c] - largest - sum.ln();
            }
        }
    }
}

/// `y` and `dy [rows, columns]` -> adds to `dx [rows, columns]`.
pub fn log_softmax_gradient(
    y: &[f64],
    dy: &[f64],
    segments: &Segments,
    columns: usize,
    dx: &mut [f64],
) {
    for s in 0..segments.count(y.len() / columns) {
        for c in 0..columns {
            let mut sum = 0.0;
            for r in segments.range(s) {
                sum += dy[r * columns + c];
            }
            for r in segments.range(s) {
                dx[r * columns + c] += dy[r * columns + c] - y[r * columns + c].exp() * sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn each_column_of_a_segment_is_a_distribution() {
        // exp of the first column is 1 and 3, of the second 1 and 1
        let ln = f64::ln;
        let mut out = [9.0; 4];
        log_softmax(&[0.0, 5.0, ln(3.0), 5.0], &Segments::Every(2), 2, &mut out);
        assert_close(&out, &[ln(0.25), ln(0.5), ln(0.75), ln(0.5)]);
    }

    #[test]
    fn large_values_do_not_overflow() {
        let mut out = [9.0; 2];
        log_softmax(&[1000.0, 0.0], &Segments::Every(2), 1, &mut out);
        assert_close(&out, &[0.0, -1000.0]);
    }

    #[test]
    fn the_gradient_takes_the_probability_of_the_sum() {
        let y = [0.25_f64.ln(), 0.75_f64.ln()];
        let mut dx = [0.0; 2];
        log_softmax_gradient(&y, &[1.0, 3.0], &Segments::Every(2), 1, &mut dx);
        assert_close(&dx, &[0.0, 0.0]);
        let mut dx = [10.0; 2];
        log_softmax_gradient(&y, &[1.0, 0.0], &Segments::Every(2), 1, &mut dx);
        assert_close(&dx, &[10.75, 9.25]);
    }
}
