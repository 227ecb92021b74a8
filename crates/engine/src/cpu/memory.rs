//! Buffers: making, filling, copying.

use super::{Cpu, rows};
use crate::buffer::{Buffer, Lines};
use crate::device::{Gradient, Memory};

impl Memory for Cpu {
    fn name(&self) -> String {
        format!("cpu, {} threads", self.team.n_threads())
    }

    fn zeros(&self, len: usize) -> Buffer {
        Buffer::Single(Lines::zeros(len))
    }

    fn write(&self, values: &[f32], to: &mut Buffer) {
        to.single_mut().copy_from_slice(values);
    }

    fn read(&self, from: &Buffer, to: &mut [f32]) {
        to.copy_from_slice(from.single());
    }

    fn values(&self, from: &Buffer) -> Vec<f64> {
        from.single().iter().copied().map(f64::from).collect()
    }

    fn fill(&self, to: &mut Buffer, value: f32) {
        self.set_all(to.single_mut(), value);
    }

    fn copy(&self, from: &Buffer, to: Gradient<'_>) {
        let add = to.add;
        self.by_pairs(from.single(), to.buffer.single_mut(), |from, to| {
            if add { rows::add(from, to) } else { to.copy_from_slice(from) }
        });
    }

    fn product_operations(&self) -> u64 {
        self.operations.get()
    }
}
