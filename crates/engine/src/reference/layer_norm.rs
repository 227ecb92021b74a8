//! Layer norm: each row to mean 0 and variance 1, then `gain * x + bias`.
//!
//! The variance is the biased one. With the normalised row h and g = gain * dy, the gradient is
//! `dx = (g - mean(g) - h * mean(g * h)) / deviation`. (Ba, Kiros and Hinton 2016.)

use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Gradient, LayerNorms};

impl LayerNorms for Reference {
    fn layer_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        layer_norm(
            x.double(),
            gain.double(),
            bias.double(),
            rows,
            columns,
            out.double_mut(),
            saved.double_mut(),
        );
    }

    fn layer_norm_gradient(
        &self,
        x: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        layer_norm_gradient(
            x.double(),
            gain.double(),
            saved.double(),
            dy.double(),
            rows,
            columns,
            dx.map(sum_into),
            sum_into(d_gain),
            sum_into(d_bias),
        );
    }
}

/// Added to the variance.
pub const EPSILON: f64 = 1e-5;

/// `x [rows, columns]`, `gain` and `bias [columns]` -> `out [rows, columns]`, `saved [rows, 2]`.
pub fn layer_norm(
    x: &[f64],
    gain: &[f64],
    bias: &[f64],
    rows: usize,
    columns: usize,
    out: &mut [f64],
    saved: &mut [f64],
) {
    for r in 0..rows {
        let row = &x[r * columns..(r + 1) * columns];
        let mean = row.iter().sum::<f64>() / columns as f64;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / columns as f64;
        let reciprocal = 1.0 / (variance + EPSILON).sqrt();
        for c in 0..columns {
            out[r * columns + c] = gain[c] * (row[c] - mean) * reciprocal + bias[c];
        }
        saved[r * 2] = mean;
        saved[r * 2 + 1] = reciprocal;
    }
}

/// `x` and `dy [rows, columns]`, `gain [columns]`, `saved [rows, 2]` -> adds to
/// `dx [rows, columns]`, `d_gain` and `d_bias [columns]`.
#[expect(clippy::too_many_arguments, reason = "three gradients share the work")]
pub fn layer_norm_gradient(
    x: &[f64],
    gain: &[f64],
    saved: &[f64],
    dy: &[f64],
    rows: usize,
    columns: usize,
    mut dx: Option<&mut [f64]>,
    d_gain: &mut [f64],
    d_bias: &mut [f64],
) {
    for r in 0..rows {
        let (mean, reciprocal) = (saved[r * 2], saved[r * 2 + 1]);
        let normalised = |c: usize| (x[r * columns + c] - mean) * reciprocal;
        let (mut mean_g, mut mean_gh) = (0.0, 0.0);
        for c in 0..columns {
            let dy = dy[r * columns + c];
            d_gain[c] += dy * normalised(c);
            d_bias[c] += dy;
            mean_g += gain[c] * dy / columns as f64;
            mean_gh += gain[c] * dy * normalised(c) / columns as f64;
        }
        if let Some(dx) = dx.as_deref_mut() {
            for c in 0..columns {
                let g = gain[c] * dy[r * columns + c];
                dx[r * columns + c] += reciprocal * (g - mean_g - normalised(c) * mean_gh);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn a_row_gets_mean_zero_and_variance_one_before_the_gain() {
        // mean 3, variance 4
        let (mut out, mut saved) = ([9.0; 2], [9.0; 2]);
        layer_norm(&[1.0, 5.0], &[1.0, 10.0], &[0.0, 100.0], 1, 2, &mut out, &mut saved);
        let reciprocal = 1.0 / 4.00001_f64.sqrt();
        assert_close(&saved, &[3.0, reciprocal]);
        assert_close(&out, &[-2.0 * reciprocal, 20.0 * reciprocal + 100.0]);
    }

    #[test]
    fn the_gradient_has_no_part_along_the_mean_or_the_row() {
        // normalised: -1.5, 0.5, 1 with reciprocal 1/2; g = 6, 0, 3;
        // mean g = 3, mean gh = (-9 + 3) / 3 = -2
        let (x, dy) = ([-3.0, 1.0, 2.0], [6.0, 0.0, 3.0]);
        let (mut dx, mut d_gain, mut d_bias) = ([0.0; 3], [0.0; 3], [1.0; 3]);
        layer_norm_gradient(
            &x,
            &[1.0; 3],
            &[0.0, 0.5],
            &dy,
            1,
            3,
            Some(&mut dx),
            &mut d_gain,
            &mut d_bias,
        );
        assert_close(&dx, &[0.0, -1.0, 1.0]);
        assert_close(&d_gain, &[-9.0, 0.0, 3.0]);
        assert_close(&d_bias, &[7.0, 1.0, 4.0]);
    }
}
