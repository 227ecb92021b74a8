//! AdamW with a limit on the norm of all gradients together.

use crate::device::AdamStep;
use crate::tape::{Tape, Tensor};

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
    /// Updates all parameters that have a gradient and forgets the gradients; `step` is 1 for the
    /// first update. Gives [the norm of all gradients, what they were multiplied by]: NaN for the
    /// second says that the norm or the loss is not finite, and that nothing was updated.
    pub fn update(&self, tape: &mut Tape, step: u64, loss: Tensor) -> Tensor {
        let clipping = tape.clipping(loss, self.clip);
        tape.update(
            AdamStep {
                learning_rate: self.learning_rate,
                betas: self.betas,
                epsilon: self.epsilon,
                weight_decay: self.weight_decay,
                step,
            },
            clipping,
        );
        clipping
    }
}

impl Tape {
    fn clipping(&mut self, loss: Tensor, clip: f64) -> Tensor {
        let mut out = self.buffer(2);
        let mut gradients =
            self.slots[..self.kept].iter().filter_map(|slot| slot.gradient.as_ref());
        self.device.clipping(&mut gradients, self.value(loss), clip, &mut out);
        self.push(2, 1, out, false)
    }

    fn update(&mut self, step: AdamStep, clipping: Tensor) {
        let (kept, others) = self.slots.split_at_mut(self.kept);
        let clipping = &others[clipping.index() - self.kept].value;
        for parameter in &mut self.parameters {
            let slot = &mut kept[parameter.tensor.index()];
            let (Some(gradient), Some(moments)) = (slot.gradient.take(), &mut parameter.moments)
            else {
                continue;
            };
            let moments = (&mut moments.0, &mut moments.1);
            self.device.adam(step, clipping, &gradient, &mut slot.value, moments);
            self.pool.give(gradient);
            if let Some(stale) = slot.transposed.take() {
                self.pool.give(stale);
            }
        }
    }
}
