//! What becomes one number.

use super::{Cpu, rows};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Loss, Losses};

impl Losses for Cpu {
    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    ) {
        let log_probabilities = log_probabilities.single();
        let sum: f64 = targets
            .values
            .iter()
            .zip(weights.single())
            .filter(|(target, _)| **target != u32::MAX)
            .map(|(target, weight)| -f64::from(weight * log_probabilities[*target as usize]))
            .sum();
        out.single_mut()[0] = sum as f32;
    }

    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        let dy = dy.single()[0];
        let dx = self.added(dx);
        for (target, weight) in targets.values.iter().zip(weights.single()) {
            if *target != u32::MAX {
                dx[*target as usize] -= weight * dy;
            }
        }
    }

    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer) {
        let sum = rows::loss(loss, x.single(), targets.single(), weights.single());
        out.single_mut()[0] = sum as f32;
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
        let dy = dy.single()[0];
        rows::loss_gradient(
            loss,
            x.single(),
            targets.single(),
            weights.single(),
            dy,
            self.added(dx),
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
        let mut sum = 0.0;
        for (norm, x) in saved.single_mut().iter_mut().zip(x.single().chunks_exact(columns)) {
            *norm = rows::sum_of_squares(x).sqrt() as f32;
            sum += f64::from(*norm);
        }
        out.single_mut()[0] = (sum / rows as f64) as f32;
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
        let dy = dy.single()[0] / rows as f32;
        let x = x.single().chunks_exact(columns);
        for ((dx, x), norm) in self.added(dx).chunks_exact_mut(columns).zip(x).zip(saved.single()) {
            if *norm > 0.0 {
                rows::add_scaled(dy / norm, x, dx);
            }
        }
    }
}
