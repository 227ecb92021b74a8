//! AdamW with a limit on the norm of all gradients together.

use crate::device::AdamStep;
use crate::tape::Tape;

/// How parameters are updated; the paper's values by default, but for the learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamW {
    /// Learning rate.
    pub learning_rate: f64,
    /// Decay of the two moments.
    pub betas: (f64, f64),
    /// Keeps the division finite.
    pub epsilon: f64,
    /// Decoupled weight decay, on all parameters.
    pub weight_decay: f64,
    /// Gradients whose norm is larger are scaled down to it.
    pub clip: f64,
}

impl Default for AdamW {
    fn default() -> Self {
        Self {
            learning_rate: 0.000_423_9,
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            weight_decay: 0.01,
            clip: 1.0,
        }
    }
}

impl AdamW {
    /// Updates all parameters that have a gradient, whose norm is `norm`, and forgets the
    /// gradients. `step` is 1 for the first update.
    pub fn update(&self, tape: &mut Tape, step: u64, norm: f64) {
        let scale = if norm > self.clip { self.clip / (norm + 1e-6) } else { 1.0 };
        tape.update(AdamStep {
            learning_rate: self.learning_rate,
            betas: self.betas,
            epsilon: self.epsilon,
            weight_decay: self.weight_decay,
            scale,
            step,
        });
    }
}

impl Tape {
    /// The Euclidean norm of the gradients of all parameters together.
    pub fn gradient_norm(&self) -> f64 {
        let slots = &self.slots[..self.kept];
        let squares = slots.iter().filter_map(|slot| slot.gradient.as_ref());
        squares.map(|gradient| self.device.sum_of_squares(gradient)).sum::<f64>().sqrt()
    }

    fn update(&mut self, step: AdamStep) {
        for parameter in &mut self.parameters {
            let slot = &mut self.slots[parameter.tensor.index()];
            let (Some(gradient), Some(moments)) = (slot.gradient.take(), &mut parameter.moments)
            else {
                continue;
            };
            let moments = (&mut moments.0, &mut moments.1);
            self.device.adam(step, &gradient, &mut slot.value, moments);
            self.pool.give(gradient);
            if let Some(stale) = slot.transposed.take() {
                self.pool.give(stale);
            }
        }
    }
}
