//! One AdamW update, and the norm that gradients are clipped by.
//!
//! Weight decay acts on the value, not on the gradient, and both moments are corrected for their
//! start at zero. (Loshchilov and Hutter 2019, Algorithm 2, with the step as PyTorch computes it.)

use super::Reference;
use crate::buffer::Buffer;
use crate::device::{AdamStep, Optimisers};

impl Optimisers for Reference {
    fn clipping(
        &self,
        gradients: &mut dyn Iterator<Item = &Buffer>,
        loss: &Buffer,
        clip: f64,
        out: &mut Buffer,
    ) {
        let squares = gradients.map(|gradient| sum_of_squares(gradient.double())).sum();
        out.double_mut().copy_from_slice(&clipping(squares, loss.double()[0], clip));
    }

    fn adam(
        &self,
        step: AdamStep,
        clipping: &Buffer,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    ) {
        let moments = (moments.0.double_mut(), moments.1.double_mut());
        let scale = clipping.double()[1];
        if !scale.is_nan() {
            adam(step, scale, gradient.double(), value.double_mut(), moments);
        }
    }
}

/// `x [n]` -> the sum of squares.
pub fn sum_of_squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// The norm, and what gradients are multiplied by so that it is at most `clip`: NaN if the norm or
/// the loss is not finite.
pub fn clipping(squares: f64, loss: f64, clip: f64) -> [f64; 2] {
    let norm = squares.sqrt();
    let scale = match norm.is_finite() && loss.is_finite() {
        false => f64::NAN,
        true if norm > clip => clip / (norm + 1e-6),
        true => 1.0,
    };
    [norm, scale]
}

/// `gradient [n]` -> updates `value`, `first` and `second [n]`.
pub fn adam(
    step: AdamStep,
    scale: f64,
    gradient: &[f64],
    value: &mut [f64],
    (first, second): (&mut [f64], &mut [f64]),
) {
    let (beta1, beta2) = step.betas;
    let correction1 = 1.0 - beta1.powf(step.step as f64);
    let correction2 = 1.0 - beta2.powf(step.step as f64);
    for i in 0..value.len() {
        let g = gradient[i] * scale;
        value[i] *= 1.0 - step.learning_rate * step.weight_decay;
        first[i] = beta1 * first[i] + (1.0 - beta1) * g;
        second[i] = beta2 * second[i] + (1.0 - beta2) * g * g;
        let deviation = second[i].sqrt() / correction2.sqrt() + step.epsilon;
        value[i] -= step.learning_rate / correction1 * first[i] / deviation;
    }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;

    #[test]
    fn squares_are_summed() {
        assert_eq!(sum_of_squares(&[1.0, -2.0, 3.0]), 14.0);
    }

    #[test]
    fn the_first_update_moves_by_the_learning_rate() {
        let step = AdamStep {
            learning_rate: 0.1,
            betas: (0.9, 0.99),
            epsilon: 0.0,
            weight_decay: 0.5,
            step: 1,
        };
        let (mut value, mut first, mut second) = ([2.0, 2.0], [0.0; 2], [0.0; 2]);
        adam(step, 0.5, &[8.0, -2.0], &mut value, (&mut first, &mut second));
        // decayed to 1.9, then a step of 0.1 against the gradient
        assert_close(&value, &[1.8, 2.0]);
        assert_close(&first, &[0.4, -0.1]);
        assert_close(&second, &[0.16, 0.01]);
    }

    #[test]
    fn the_second_update_corrects_both_moments() {
        let step = AdamStep {
            learning_rate: 0.1,
            betas: (0.5, 0.75),
            epsilon: 1.0,
            weight_decay: 0.0,
            step: 2,
        };
        let (mut value, mut first, mut second) = ([1.0], [3.0], [1.0]);
        adam(step, 1.0, &[2.0], &mut value, (&mut first, &mut second));
        // moments 2.5 and 1.75, corrections 0.75 and 0.4375: 0.1 / 0.75 * 2.5 / (2 + 1)
        assert_close(&[first[0], second[0]], &[2.5, 1.75]);
        assert_close(&value, &[1.0 - 1.0 / 9.0]);
    }
}
