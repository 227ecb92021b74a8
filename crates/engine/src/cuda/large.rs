//! Layers on many rows: by tensor cores in single precision where the GPU has those that can, else by
//! the library.

use super::library::LargeProduct;
use super::split::Split;
use super::together::{LargeLayer, LargePart};
use super::{Cuda, Precision};
use crate::buffer::Buffer;
use crate::device::{Activation, Addend, Part};

/// Layers on so many rows are large.
pub(super) const LARGE_ROWS: usize = 4096;

impl Cuda {
    /// A layer by tensor cores or by the library; false if there is none or it cannot do that.
    pub(super) fn large_linear(
        &self,
        parts: &[Part<'_>],
        bias: Option<&Buffer>,
        addend: Option<Addend<'_>>,
        activation: Activation,
        rows: usize,
        out: &Buffer,
    ) -> bool {
        let columns = out.len() / rows;
        if addend.is_some_and(|addend| addend.rows.is_some()) || columns < 16 {
            return false;
        }
        if self.library().is_none() {
            return false;
        }
        let address = |buffer: &Buffer| buffer.cuda().place().address;
        let part = |part: &Part<'_>| LargePart {
            input: address(part.input),
            weight: address(part.weight) + 4 * part.start as u64,
            width: part.width as u32,
            weight_stride: part.stride as u32,
        };
        let layer = LargeLayer {
            parts: parts.iter().map(part).collect(),
            columns,
            addend: addend.map(|addend| address(addend.values)),
            bias: bias.map(address),
            relu: activation == Activation::Relu,
            out: address(out),
            out_stride: columns,
        };
        self.large_layers(&[layer], rows);
        true
    }

    /// Layers on as many rows that need nothing of each other, by tensor cores or by the library,
    /// which must be there.
    pub(super) fn large_layers(&self, layers: &[LargeLayer], rows: usize) {
        for layer in layers {
            let inner: usize = layer.parts.iter().map(|part| part.width as usize).sum();
            self.count(rows, layer.columns, inner);
        }
        if self.split().is_some() && layers.iter().all(Split::suits) {
            return self.attempt(|queue| queue.push_layers(layers, rows));
        }
        let mut library = self.library().expect("somebody looked").borrow_mut();
        for layer in layers {
            let mut sum = layer.addend;
            for (i, part) in layer.parts.iter().enumerate() {
                let last = i + 1 == layer.parts.len();
                let product = LargeProduct {
                    rows,
                    columns: layer.columns,
                    width: part.width as usize,
                    input: part.input,
                    weight: part.weight,
                    weight_stride: part.weight_stride as usize,
                    addend: sum,
                    bias: layer.bias.filter(|_| last),
                    relu: last && layer.relu,
                    out: layer.out,
                    out_stride: layer.out_stride,
                };
                self.attempt(|queue| queue.alone(|stream| library.run(stream, &product)));
                sum = Some(layer.out);
            }
        }
    }

    /// Kernels that compute in single precision by tensor cores, if those are what is wanted.
    pub(super) fn split(&self) -> Option<Split> {
        self.queue.borrow().split().filter(|_| self.precision == Precision::Single)
    }
}
