//! Functions of single values and pairs.

use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{Binary, Elementwise, Gradient, Unary};

impl Elementwise for Cpu {
    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer) {
        rows::unary(function, x.single(), out.single_mut());
    }

    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        rows::unary_gradient(function, y.single(), dy.single(), self.added(dx));
    }

    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        rows::binary(function, a.single(), b.single(), out.single_mut());
    }

    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    ) {
        rows::binary_gradient(function, a.single(), b.single(), dy.single(), of_a, self.added(dx));
    }

    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        let out = out.single_mut();
        out.copy_from_slice(b.single());
        rows::add_scaled(1.0 + scale.single()[0], a.single(), out);
    }

    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>) {
        rows::add_scaled(1.0 + scale.single()[0], dy.single(), self.added(da));
    }

    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>) {
        self.added(out)[0] += rows::dot(a.single(), b.single());
    }

    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer) {
        let out = out.single_mut();
        out.copy_from_slice(a.single());
        rows::add_scaled(factor as f32, b.single(), out);
    }

    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>) {
        if to.add {
            rows::add_scaled(factor as f32, from.single(), to.buffer.single_mut());
        } else {
            rows::scaled(factor as f32, from.single(), to.buffer.single_mut());
        }
    }
}
