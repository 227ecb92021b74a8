//! Parameters and other values that stay on the tape from step to step.

use super::{Tape, Tensor};
use crate::buffer::Buffer;

/// A named tensor at the bottom of the tape.
#[derive(Debug)]
pub struct Parameter {
    /// Its name, for checkpoints.
    pub name: String,
    /// Where it is.
    pub tensor: Tensor,
    /// Whether it is learned; if not, it is a running statistic.
    pub learned: bool,
    pub(crate) moments: Option<(Buffer, Buffer)>,
}

impl Tape {
    /// Adds a learned tensor.
    ///
    /// # Panics
    /// If something other than parameters is on the tape, or the values do not fill the shape.
    pub fn parameter(&mut self, name: &str, rows: usize, columns: usize, values: &[f32]) -> Tensor {
        self.keep(name, rows, columns, values, true)
    }

    /// Adds a tensor that stays but is not learned, such as a running mean.
    ///
    /// # Panics
    /// As [`Tape::parameter`].
    pub fn statistic(&mut self, name: &str, rows: usize, columns: usize, values: &[f32]) -> Tensor {
        self.keep(name, rows, columns, values, false)
    }

    fn keep(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
        values: &[f32],
        learned: bool,
    ) -> Tensor {
        assert_eq!(self.slots.len(), self.kept, "parameters come before everything else");
        let tensor = self.constant(rows, columns, values);
        self.slots[tensor.index()].tracked = learned;
        let moments = learned.then(|| {
            let len = rows * columns;
            (self.device.zeros(len), self.device.zeros(len))
        });
        self.parameters.push(Parameter { name: name.to_owned(), tensor, learned, moments });
        self.kept = self.slots.len();
        tensor
    }

    /// All kept tensors, in the order they were added.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The optimiser's two moments of a parameter, in single precision.
    pub fn moments(&self, index: usize) -> Option<(Vec<f32>, Vec<f32>)> {
        let read = |buffer: &Buffer| {
            let mut values = vec![0.0; buffer.len()];
            self.device.read(buffer, &mut values);
            values
        };
        self.parameters[index].moments.as_ref().map(|(first, second)| (read(first), read(second)))
    }

    /// Replaces the values of a kept tensor.
    ///
    /// # Panics
    /// If the number of values is another.
    pub fn set(&mut self, tensor: Tensor, values: &[f32]) {
        let slot = &mut self.slots[tensor.index()];
        assert_eq!(slot.value.len(), values.len(), "values of a parameter");
        self.device.write(values, &mut slot.value);
        if let Some(stale) = slot.transposed.take() {
            self.pool.give(stale);
        }
    }

    /// Replaces the optimiser's moments of a parameter.
    ///
    /// # Panics
    /// If the number of values is another, or the tensor is not learned.
    pub fn set_moments(&mut self, index: usize, first: &[f32], second: &[f32]) {
        let Some(moments) = &mut self.parameters[index].moments else {
            panic!("moments of a tensor that is not learned");
        };
        self.device.write(first, &mut moments.0);
        self.device.write(second, &mut moments.1);
    }

    /// Forgets the gradients of parameters.
    pub fn clear_gradients(&mut self) {
        for slot in &mut self.slots[..self.kept] {
            if let Some(gradient) = slot.gradient.take() {
                self.pool.give(gradient);
            }
        }
    }
}
