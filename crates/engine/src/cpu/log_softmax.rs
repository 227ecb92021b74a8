//! Log-probabilities within segments.

use super::team::Parts;
use super::{Cpu, math, rows};
use crate::buffer::Buffer;
use crate::device::{Gradient, LogProbabilities};
use crate::graph::Segments;

impl LogProbabilities for Cpu {
    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer) {
        let x = x.single();
        let rows = x.len() / columns.max(1);
        let count = segments.count(rows);
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        self.by_rows(count, 8 * columns * rows.div_ceil(count.max(1)), |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let values = range.start * columns..range.end * columns;
                let x = &x[values.clone()];
                // SAFETY: segments have rows of their own.
                let out = unsafe { out.part(values) };
                if columns == 1 {
                    rows::log_softmax(x, out);
                    continue;
                }
                for column in 0..columns {
                    let each = || x.iter().skip(column).step_by(columns);
                    let largest = each().copied().fold(f32::NEG_INFINITY, f32::max);
                    let sum: f32 = each().map(|x| math::exp(x - largest)).sum();
                    let shift = largest + sum.ln();
                    for (y, x) in out.iter_mut().skip(column).step_by(columns).zip(each()) {
                        *y = x - shift;
                    }
                }
            }
        });
    }

    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (y, dy) = (y.single(), dy.single());
        let rows = y.len() / columns.max(1);
        let count = segments.count(rows);
        let dx = Parts::new(&mut self.added(dx)[..rows * columns]);
        self.by_rows(count, 8 * columns * rows.div_ceil(count.max(1)), |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let values = range.start * columns..range.end * columns;
                let (y, dy) = (&y[values.clone()], &dy[values.clone()]);
                // SAFETY: segments have rows of their own.
                let dx = unsafe { dx.part(values) };
                if columns == 1 {
                    rows::log_softmax_gradient(y, dy, dx);
                    continue;
                }
                for column in 0..columns {
                    let total: f32 = dy.iter().skip(column).step_by(columns).sum();
                    let pairs = y.iter().zip(dy).skip(column).step_by(columns);
                    for (dx, (y, dy)) in dx.iter_mut().skip(column).step_by(columns).zip(pairs) {
                        *dx += dy - math::probability(*y) * total;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loss is a mean over many nodes, so each gradient is small already.
    #[test]
    fn sure_answers_have_no_subnormal_gradients() {
        let x: Vec<f32> = (0..40).map(|i| -5.0 * i as f32).collect();
        let (mut y, mut dx) = (vec![0.0; 40], vec![0.0; 40]);
        rows::log_softmax(&x, &mut y);
        let dy: Vec<f32> = (0..40).map(|i| if i == 1 { -1e-3 } else { 0.0 }).collect();
        rows::log_softmax_gradient(&y, &dy, &mut dx);
        assert!(dx.iter().all(|dx| !dx.is_subnormal()));
        for (dx, (y, dy)) in dx.iter().zip(y.iter().zip(&dy)) {
            let exact = f64::from(*dy) + 1e-3 * f64::from(*y).exp();
            assert!((f64::from(*dx) - exact).abs() < 1e-10);
        }
    }
}
