//! Updates of parameters.

use super::team::Parts;
use super::{Cpu, VALUES_A_TASK, rows};
use crate::buffer::Buffer;
use crate::device::{AdamStep, Optimisers};
use crate::reference::clipping;

impl Cpu {
    fn sum_of_squares(&self, x: &[f32]) -> f64 {
        // Partial sums of fixed pieces, added in order.
        let mut sums = [0.0f64; 64];
        let size = x.len().div_ceil(sums.len()).max(VALUES_A_TASK);
        let parts = Parts::new(&mut sums);
        self.team.pieces(x.len(), size, |piece| {
            // SAFETY: every piece has a sum of its own.
            let sum = unsafe { parts.part(piece.start / size..piece.start / size + 1) };
            sum[0] = rows::sum_of_squares(&x[piece]);
        });
        sums.iter().sum()
    }
}

impl Optimisers for Cpu {
    fn clipping(
        &self,
        gradients: &mut dyn Iterator<Item = &Buffer>,
        loss: &Buffer,
        clip: f64,
        out: &mut Buffer,
    ) {
        let squares = gradients.map(|gradient| self.sum_of_squares(gradient.single()));
        let [norm, scale] = clipping(squares.sum(), loss.single()[0].into(), clip);
        out.single_mut().copy_from_slice(&[norm as f32, scale as f32]);
    }

    fn adam(
        &self,
        step: AdamStep,
        clipping: &Buffer,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    ) {
        let scale = clipping.single()[1];
        if scale.is_nan() {
            return;
        }
        let gradient = gradient.single();
        let value = Parts::new(value.single_mut());
        let (first, second) =
            (Parts::new(moments.0.single_mut()), Parts::new(moments.1.single_mut()));
        self.by_rows(gradient.len(), 1, |piece| {
            // SAFETY: pieces do not overlap.
            let (value, first, second) = unsafe {
                (value.part(piece.clone()), first.part(piece.clone()), second.part(piece.clone()))
            };
            rows::adam(step, scale, &gradient[piece], value, first, second);
        });
    }
}
