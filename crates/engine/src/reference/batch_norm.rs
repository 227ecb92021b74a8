//! Batch norm: each column to mean 0 and variance 1 over the batch, then `gain * x + bias`.
//!
//! The batch is normalised by its biased variance; the running variance keeps the unbiased one.
//! (Ioffe and Szegedy 2015.) With the normalised column h, the gradient is
//! `dx = gain * (dy - mean(dy) - h * mean(dy * h)) / deviation`.

use super::linear::activate;
use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Activation, BatchNormState, BatchNorms, Gradient};

impl BatchNorms for Reference {
    fn batch_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: BatchNormState<'_>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let running = (running.mean.double_mut(), running.variance.double_mut());
        batch_norm(
            x.double(),
            gain.double(),
            bias.double(),
            running,
            activation,
            rows,
            columns,
            out.double_mut(),
            saved.double_mut(),
        );
    }

    fn batch_norm_running(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let running = (running.0.double(), running.1.double());
        batch_norm_running(
            x.double(),
            gain.double(),
            bias.double(),
            running,
            activation,
            rows,
            columns,
            out.double_mut(),
        );
    }

    fn batch_norm_gradient(
        &self,
        x: &Buffer,
        y: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        activation: Activation,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        batch_norm_gradient(
            x.double(),
            y.double(),
            gain.double(),
            saved.double(),
            activation,
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
/// The share of the newest batch in the running statistics.
pub const MOMENTUM: f64 = 0.1;

/// `x [rows, columns]`, `gain` and `bias [columns]`, running mean and variance `[columns]` ->
/// `out [rows, columns]`, `saved [2, columns]`.
#[expect(clippy::too_many_arguments, reason = "the layer's learned values, result and memory")]
pub fn batch_norm(
    x: &[f64],
    gain: &[f64],
    bias: &[f64],
    running: (&mut [f64], &mut [f64]),
    activation: Activation,
    rows: usize,
    columns: usize,
    out: &mut [f64],
    saved: &mut [f64],
) {
    for c in 0..columns {
        let column = || (0..rows).map(|r| x[r * columns + c]);
        let mean = column().sum::<f64>() / rows as f64;
        let squares = column().map(|x| (x - mean).powi(2)).sum::<f64>();
        let variance = squares / rows as f64;
        let unbiased = squares / rows.saturating_sub(1).max(1) as f64;
        let reciprocal = 1.0 / (variance + EPSILON).sqrt();
        for r in 0..rows {
            let normalised = (x[r * columns + c] - mean) * reciprocal;
            out[r * columns + c] = activate(activation, gain[c] * normalised + bias[c]);
        }
        saved[c] = mean;
        saved[columns + c] = reciprocal;
        running.0[c] = (1.0 - MOMENTUM) * running.0[c] + MOMENTUM * mean;
        running.1[c] = (1.0 - MOMENTUM) * running.1[c] + MOMENTUM * unbiased;
    }
}

/// `x [rows, columns]`, `gain` and `bias [columns]`, running mean and variance `[columns]` ->
/// `out [rows, columns]`.
#[expect(clippy::too_many_arguments, reason = "the layer's learned values and result")]
pub fn batch_norm_running(
    x: &[f64],
    gain: &[f64],
    bias: &[f64],
    (mean, variance): (&[f64], &[f64]),
    activation: Activation,
    rows: usize,
    columns: usize,
    out: &mut [f64],
) {
    for r in 0..rows {
        for c in 0..columns {
            let normalised = (x[r * columns + c] - mean[c]) / (variance[c] + EPSILON).sqrt();
            out[r * columns + c] = activate(activation, gain[c] * normalised + bias[c]);
        }
    }
}

/// `x`, `y` and `dy [rows, columns]`, `gain [columns]`, `saved [2, columns]` -> adds to
/// `dx [rows, columns]`, `d_gain` and `d_bias [columns]`.
#[expect(clippy::too_many_arguments, reason = "three gradients share the work")]
pub fn batch_norm_gradient(
    x: &[f64],
    y: &[f64],
    gain: &[f64],
    saved: &[f64],
    activation: Activation,
    dy: &[f64],
    rows: usize,
    columns: usize,
    mut dx: Option<&mut [f64]>,
    d_gain: &mut [f64],
    d_bias: &mut [f64],
) {
    for c in 0..columns {
        let (mean, reciprocal) = (saved[c], saved[columns + c]);
        let normalised = |r: usize| (x[r * columns + c] - mean) * reciprocal;
        let passed = |r: usize| match activation {
            Activation::Relu if y[r * columns + c] <= 0.0 => 0.0,
            _ => dy[r * columns + c],
        };
        let (mut sum, mut sum_h) = (0.0, 0.0);
        for r in 0..rows {
            sum += passed(r);
            sum_h += passed(r) * normalised(r);
        }
        d_bias[c] += sum;
        d_gain[c] += sum_h;
        if let Some(dx) = dx.as_deref_mut() {
            let n = rows as f64;
            for r in 0..rows {
                let centred = passed(r) - sum / n - normalised(r) * sum_h / n;
                dx[r * columns + c] += gain[c] * reciprocal * centred;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn a_column_is_normalised_and_the_running_values_move_a_tenth() {
        // mean 3, biased variance 4, unbiased 8
        let (mut out, mut saved) = ([9.0; 2], [9.0; 2]);
        let (mut mean, mut variance) = ([10.0], [1.0]);
        batch_norm(
            &[1.0, 5.0],
            &[2.0],
            &[1.0],
            (&mut mean, &mut variance),
            Activation::Relu,
            2,
            1,
            &mut out,
            &mut saved,
        );
        let reciprocal = 1.0 / 4.00001_f64.sqrt();
        assert_close(&out, &[0.0, 4.0 * reciprocal + 1.0]);
        assert_close(&saved, &[3.0, reciprocal]);
        assert_close(&[mean[0], variance[0]], &[9.3, 1.7]);
    }

    #[test]
    fn one_row_has_no_unbiased_variance() {
        let (mut out, mut saved) = ([9.0], [9.0; 2]);
        let (mut mean, mut variance) = ([0.0], [1.0]);
        let running = (&mut mean[..], &mut variance[..]);
        let (gain, bias) = ([1.0], [2.0]);
        batch_norm(&[5.0], &gain, &bias, running, Activation::None, 1, 1, &mut out, &mut saved);
        assert_close(&[out[0], mean[0], variance[0]], &[2.0, 0.5, 0.9]);
    }

    #[test]
    fn running_values_normalise_in_evaluation() {
        let mut out = [9.0; 2];
        let running = (&[1.0][..], &[4.0 - EPSILON][..]);
        batch_norm_running(&[5.0, -5.0], &[3.0], &[1.0], running, Activation::Relu, 2, 1, &mut out);
        assert_close(&out, &[7.0, 0.0]);
    }

    #[test]
    fn the_gradient_has_no_part_along_the_mean_or_the_column() {
        // normalised: -1.5, 0.5, 1 with reciprocal 1/2; passed: 6, 0, 3;
        // mean 3, mean times normalised -2; gain 10
        let (mut dx, mut d_gain, mut d_bias) = ([0.0; 3], [0.0], [1.0]);
        batch_norm_gradient(
            &[-3.0, 1.0, 2.0],
            &[1.0, 0.0, 1.0],
            &[10.0],
            &[0.0, 0.5],
            Activation::Relu,
            &[6.0, 77.0, 3.0],
            3,
            1,
            Some(&mut dx),
            &mut d_gain,
            &mut d_bias,
        );
        assert_close(&dx, &[0.0, -10.0, 10.0]);
        assert_close(&[d_gain[0], d_bias[0]], &[-6.0, 10.0]);
    }
}
