//! Losses: many values become the one that training makes smaller.
//!
//! Weights carry both the mask and the division by how many count, so a loss is a plain weighted
//! sum. The binary cross-entropy of a logit is written so that no exponential overflows:
//! `max(x, 0) - x t + ln(1 + exp(-|x|))`.

use super::elementwise::sigmoid;
use super::{Reference, sum_into};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Loss, Losses};

impl Losses for Reference {
    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    ) {
        picked(log_probabilities.double(), targets.host(), weights.double(), out.double_mut());
    }

    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        picked_gradient(targets.host(), weights.double(), dy.double(), sum_into(dx));
    }

    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer) {
        self::loss(loss, x.double(), targets.double(), weights.double(), out.double_mut());
    }

    fn loss_gradient(
        &self,
        loss: Loss,
        x: &Buffer,
        targets: &Buffer,
        weights: &Buffer,
        dy: &Buffer,
        dx: Gradient<'_>,
    ) {
        loss_gradient(
            loss,
            x.double(),
            targets.double(),
            weights.double(),
            dy.double(),
            sum_into(dx),
        );
    }

    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        mean_norm(x.double(), rows, columns, out.double_mut(), saved.double_mut());
    }

    fn mean_norm_gradient(
        &self,
        x: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        mean_norm_gradient(x.double(), saved.double(), dy.double(), rows, columns, sum_into(dx));
    }
}

/// A target that is none.
const NONE: u32 = u32::MAX;

/// `log_probabilities [n]`, `targets` and `weights [m]` -> `out [1]`.
pub fn picked(log_probabilities: &[f64], targets: &[u32], weights: &[f64], out: &mut [f64]) {
    out[0] = 0.0;
    for (i, &target) in targets.iter().enumerate() {
        if target != NONE {
            out[0] -= weights[i] * log_probabilities[target as usize];
        }
    }
}

/// `targets` and `weights [m]`, `dy [1]` -> adds to `dx [n]`.
pub fn picked_gradient(targets: &[u32], weights: &[f64], dy: &[f64], dx: &mut [f64]) {
    for (i, &target) in targets.iter().enumerate() {
        if target != NONE {
            dx[target as usize] -= weights[i] * dy[0];
        }
    }
}

/// `x`, `targets` and `weights [n]` -> `out [1]`.
pub fn loss(loss: Loss, x: &[f64], targets: &[f64], weights: &[f64], out: &mut [f64]) {
    out[0] = 0.0;
    for i in 0..x.len() {
        let (x, t) = (x[i], targets[i]);
        out[0] += weights[i]
            * match loss {
                Loss::Binary => x.max(0.0) - x * t + (-x.abs()).exp().ln_1p(),
                Loss::Squared => (x - t).powi(2),
            };
    }
}

/// `x`, `targets` and `weights [n]`, `dy [1]` -> adds to `dx [n]`.
pub fn loss_gradient(
    loss: Loss,
    x: &[f64],
    targets: &[f64],
    weights: &[f64],
    dy: &[f64],
    dx: &mut [f64],
) {
    for i in 0..x.len() {
        let slope = match loss {
            Loss::Binary => sigmoid(x[i]) - targets[i],
            Loss::Squared => 2.0 * (x[i] - targets[i]),
        };
        dx[i] += weights[i] * slope * dy[0];
    }
}

/// `x [rows, columns]` -> `out [1]`, `saved [rows]`.
pub fn mean_norm(x: &[f64], rows: usize, columns: usize, out: &mut [f64], saved: &mut [f64]) {
    out[0] = 0.0;
    for r in 0..rows {
        let mut squares = 0.0;
        for c in 0..columns {
            squares += x[r * columns + c].powi(2);
        }
        saved[r] = squares.sqrt();
        out[0] += saved[r] / rows as f64;
    }
}

/// `x [rows, columns]`, `saved [rows]`, `dy [1]` -> adds to `dx [rows, columns]`.
pub fn mean_norm_gradient(
    x: &[f64],
    saved: &[f64],
    dy: &[f64],
    rows: usize,
    columns: usize,
    dx: &mut [f64],
) {
    for r in 0..rows {
        if saved[r] > 0.0 {
            for c in 0..columns {
                dx[r * columns + c] += dy[0] / rows as f64 * x[r * columns + c] / saved[r];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn picked_log_probabilities_are_summed_with_their_weights() {
        let (targets, weights) = ([1, NONE, 0, 1], [0.5, 9.0, 1.0, 2.0]);
        let mut out = [9.0];
        picked(&[-1.0, -2.0, -4.0], &targets, &weights, &mut out);
        assert_eq!(out, [6.0]);
        let mut dx = [0.0; 3];
        picked_gradient(&targets, &weights, &[10.0], &mut dx);
        assert_eq!(dx, [-10.0, -25.0, 0.0]);
    }

    #[test]
    fn binary_loss_is_the_cross_entropy_of_the_sigmoid() {
        // sigmoid 3/4; target 1 then 0
        let (x, targets, weights) = ([3_f64.ln(), 3_f64.ln()], [1.0, 0.0], [1.0, 10.0]);
        let mut out = [9.0];
        loss(Loss::Binary, &x, &targets, &weights, &mut out);
        assert_close(&out, &[-0.75_f64.ln() - 10.0 * 0.25_f64.ln()]);
        let mut dx = [0.0; 2];
        loss_gradient(Loss::Binary, &x, &targets, &weights, &[2.0], &mut dx);
        assert_close(&dx, &[-0.5, 15.0]);
    }

    #[test]
    fn binary_loss_of_a_large_logit_is_finite() {
        let mut out = [9.0];
        loss(Loss::Binary, &[1000.0, -1000.0], &[0.0, 0.0], &[1.0, 1.0], &mut out);
        assert_eq!(out, [1000.0]);
    }

    #[test]
    fn squared_loss() {
        let (x, targets, weights) = ([1.0, 5.0], [3.0, 4.0], [1.0, 10.0]);
        let mut out = [9.0];
        loss(Loss::Squared, &x, &targets, &weights, &mut out);
        assert_eq!(out, [14.0]);
        let mut dx = [0.0; 2];
        loss_gradient(Loss::Squared, &x, &targets, &weights, &[0.5], &mut dx);
        assert_eq!(dx, [-2.0, 10.0]);
    }

    #[test]
    fn the_mean_norm_gives_rows_of_zeros_no_gradient() {
        let x = [3.0, 4.0, 0.0, 0.0];
        let (mut out, mut saved) = ([9.0], [9.0; 2]);
        mean_norm(&x, 2, 2, &mut out, &mut saved);
        assert_eq!((out, saved), ([2.5], [5.0, 0.0]));
        let mut dx = [0.0; 4];
        mean_norm_gradient(&x, &saved, &[10.0], 2, 2, &mut dx);
        assert_close(&dx, &[3.0, 4.0, 0.0, 0.0]);
    }
}
