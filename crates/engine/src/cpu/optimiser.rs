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

#[cfg(test)]
mod tests {
    use super::*;

    /// One gradient and then none to speak of, beside double precision that cuts nothing.
    #[test]
    fn moments_that_fade_end_at_zero_and_move_no_weight() {
        let (mut value, mut first, mut second) = ([0.5f32; 17], [0.0f32; 17], [0.0f32; 17]);
        let (mut exact, mut m, mut v) = (0.5f64, 0.0f64, 0.0f64);
        for step in 1..=2000 {
            let (betas, epsilon) = ((0.9, 0.99), 1e-8);
            let update = AdamStep { learning_rate: 1e-3, betas, epsilon, weight_decay: 0.0, step };
            let gradient = if step == 1 { 0.25 } else { 1e-30 };
            rows::adam(update, 1.0, &[gradient; 17], &mut value, &mut first, &mut second);

            let gradient = f64::from(gradient);
            m = betas.0 * m + (1.0 - betas.0) * gradient;
            v = betas.1 * v + (1.0 - betas.1) * gradient * gradient;
            let power = i32::try_from(step).unwrap();
            let corrected = (m / (1.0 - betas.0.powi(power)), v / (1.0 - betas.1.powi(power)));
            exact -= 1e-3 * corrected.0 / (corrected.1.sqrt() + epsilon);
            assert!(first.iter().chain(&second).all(|moment| !moment.is_subnormal()));
        }
        assert_eq!(first, [0.0; 17]);
        assert!(second.iter().all(|second| f64::from(*second) > 0.5 * v));
        assert!(value.iter().all(|value| (f64::from(*value) - exact).abs() < 1e-6));
    }
}
