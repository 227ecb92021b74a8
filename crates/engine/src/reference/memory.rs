//! Buffers: making, filling, copying.

use super::{Reference, elementwise, sum_into};
use crate::buffer::Buffer;
use crate::device::{Gradient, Memory};

impl Memory for Reference {
    fn name(&self) -> String {
        "reference".to_owned()
    }

    fn zeros(&self, len: usize) -> Buffer {
        Buffer::Double(vec![0.0; len])
    }

    fn write(&self, values: &[f32], to: &mut Buffer) {
        for (to, &value) in to.double_mut().iter_mut().zip(values) {
            *to = f64::from(value);
        }
    }

    fn read(&self, from: &Buffer, to: &mut [f32]) {
        for (to, &value) in to.iter_mut().zip(from.double()) {
            *to = value as f32;
        }
    }

    fn values(&self, from: &Buffer) -> Vec<f64> {
        from.double().to_vec()
    }

    fn fill(&self, to: &mut Buffer, value: f32) {
        to.double_mut().fill(f64::from(value));
    }

    fn copy(&self, from: &Buffer, to: Gradient<'_>) {
        elementwise::scale(from.double(), 1.0, sum_into(to));
    }
}
