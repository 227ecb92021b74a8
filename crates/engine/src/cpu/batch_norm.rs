//! Normalising columns.

use super::team::Parts;
use super::{Cpu, rows, zeros_in};
use crate::buffer::Buffer;
use crate::device::{Activation, BatchNormState, BatchNorms, Gradient};

impl BatchNorms for Cpu {
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
        let x = &x.single()[..rows * columns];
        let (means, reciprocals) = saved.single_mut().split_at_mut(columns);
        let n = rows as f32;
        {
            let (means, reciprocals) = (Parts::new(means), Parts::new(reciprocals));
            let running_mean = Parts::new(running.mean.single_mut());
            let running_variance = Parts::new(running.variance.single_mut());
            self.by_columns(2 * rows, columns, |piece| {
                let from = piece.start;
                // SAFETY: pieces of columns do not overlap.
                let (means, reciprocals, running_mean, running_variance) = unsafe {
                    (
                        means.part(piece.clone()),
                        reciprocals.part(piece.clone()),
                        running_mean.part(piece.clone()),
                        running_variance.part(piece),
                    )
                };
                means.fill(0.0);
                rows::column_sums(x, columns, from, means);
                means.iter_mut().for_each(|mean| *mean /= n);
                reciprocals.fill(0.0);
                rows::squared_distances(x, columns, from, means, reciprocals);
                for (((mean, square), running_mean), running_variance) in
                    means.iter().zip(reciprocals).zip(running_mean).zip(running_variance)
                {
                    let unbiased = *square / (n - 1.0).max(1.0);
                    *running_mean += 0.1 * (mean - *running_mean);
                    *running_variance += 0.1 * (unbiased - *running_variance);
                    *square = 1.0 / (*square / n + 1e-5).sqrt();
                }
            });
        }
        let statistics = (&*means, |column: usize| reciprocals[column]);
        self.normalise(x, statistics, (gain, bias), activation, rows, columns, out);
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
        let reciprocal = |column: usize| 1.0 / (running.1.single()[column] + 1e-5).sqrt();
        let x = &x.single()[..rows * columns];
        let statistics = (running.0.single(), reciprocal);
        self.normalise(x, statistics, (gain, bias), activation, rows, columns, out);
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
        let len = rows * columns;
        let (x, y, dy) = (&x.single()[..len], &y.single()[..len], &dy.single()[..len]);
        let (means, reciprocals) = saved.single().split_at(columns);
        let gain = gain.single();
        let relu = activation == Activation::Relu;
        let n = rows as f32;
        let mut scratch = self.scratch.borrow_mut();
        let [scale, direct, along] = zeros_in(&mut scratch, columns);
        {
            let (scale, direct, along) =
                (Parts::new(&mut *scale), Parts::new(&mut *direct), Parts::new(&mut *along));
            let (d_gain, d_bias) = (Parts::new(self.added(d_gain)), Parts::new(self.added(d_bias)));
            self.by_columns(2 * rows, columns, |piece| {
                // SAFETY: pieces of columns do not overlap.
                let (scale, direct, along, d_gain, d_bias) = unsafe {
                    (
                        scale.part(piece.clone()),
                        direct.part(piece.clone()),
                        along.part(piece.clone()),
                        d_gain.part(piece.clone()),
                        d_bias.part(piece.clone()),
                    )
                };
                let own_means = &means[piece.clone()];
                let from = piece.start;
                rows::batch_norm_sums(x, y, dy, relu, columns, from, own_means, direct, along);
                for (i, column) in piece.enumerate() {
                    let reciprocal = reciprocals[column];
                    d_bias[i] += direct[i];
                    d_gain[i] += along[i] * reciprocal;
                    scale[i] = gain[column] * reciprocal;
                    direct[i] /= n;
                    along[i] *= reciprocal * reciprocal / n;
                }
            });
        }
        if let Some(dx) = dx {
            let add = dx.add;
            let dx = Parts::new(&mut dx.buffer.single_mut()[..len]);
            let (scale, direct, along) = (&*scale, &*direct, &*along);
            self.by_rows(rows, 2 * columns, |piece| {
                for row in piece {
                    let values = row * columns..(row + 1) * columns;
                    // SAFETY: rows do not overlap.
                    let dx = unsafe { dx.part(values.clone()) };
                    let (x, y, dy) = (&x[values.clone()], &y[values.clone()], &dy[values]);
                    rows::batch_norm_gradient(x, y, dy, relu, means, scale, direct, along, add, dx);
                }
            });
        }
    }
}

impl Cpu {
    /// `out = activation((x - mean) * reciprocal * gain + bias)`, column by column.
    #[expect(clippy::too_many_arguments, reason = "the operands of both forms of batch norm")]
    fn normalise(
        &self,
        x: &[f32],
        (means, reciprocal): (&[f32], impl Fn(usize) -> f32),
        (gain, bias): (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let (gain, bias) = (gain.single(), bias.single());
        let mut scratch = self.scratch.borrow_mut();
        let [factor] = zeros_in(&mut scratch, columns);
        for (column, factor) in factor.iter_mut().enumerate() {
            *factor = gain[column] * reciprocal(column);
        }
        let factor = &*factor;
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        self.by_rows(rows, columns, |piece| {
            for row in piece {
                let values = row * columns..(row + 1) * columns;
                // SAFETY: rows do not overlap.
                let out = unsafe { out.part(values.clone()) };
                if activation == Activation::Relu {
                    rows::centred_affine_relu(&x[values], means, factor, bias, out);
                } else {
                    rows::centred_affine(&x[values], means, factor, bias, out);
                }
            }
        });
    }
}
