//! Normalising rows.

use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{Gradient, LayerNorms};

impl LayerNorms for Cpu {
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
        let (x, gain, bias) = (x.single(), gain.single(), bias.single());
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        let saved = Parts::new(&mut saved.single_mut()[..rows * 2]);
        self.by_rows(rows, 2 * columns, |piece| {
            for row in piece {
                let values = row * columns..(row + 1) * columns;
                // SAFETY: rows do not overlap.
                let (out, saved) =
                    unsafe { (out.part(values.clone()), saved.part(row * 2..row * 2 + 2)) };
                let (mean, reciprocal) = rows::layer_norm(&x[values], gain, bias, out);
                saved.copy_from_slice(&[mean, reciprocal]);
            }
        });
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
        let len = rows * columns;
        let (gain, saved) = (gain.single(), saved.single());
        let (x, dy) = (&x.single()[..len], &dy.single()[..len]);
        let (d_gain, d_bias) = (Parts::new(self.added(d_gain)), Parts::new(self.added(d_bias)));
        self.by_columns(2 * rows, columns, |piece| {
            // SAFETY: pieces of columns do not overlap.
            let (d_gain, d_bias) =
                unsafe { (d_gain.part(piece.clone()), d_bias.part(piece.clone())) };
            rows::layer_norm_parameters(x, saved, dy, columns, piece.start, d_gain, d_bias);
        });
        if let Some(dx) = dx {
            let add = dx.add;
            let dx = Parts::new(&mut dx.buffer.single_mut()[..len]);
            self.by_rows(rows, 2 * columns, |piece| {
                for row in piece {
                    let values = row * columns..(row + 1) * columns;
                    // SAFETY: rows do not overlap.
                    let dx = unsafe { dx.part(values.clone()) };
                    let saved = (saved[row * 2], saved[row * 2 + 1]);
                    let (x, dy) = (&x[values.clone()], &dy[values]);
                    rows::layer_norm_gradient(x, gain, saved, dy, dx, add);
                }
            });
        }
    }
}
