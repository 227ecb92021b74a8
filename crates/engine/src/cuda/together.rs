//! Large layers that run at once: each fills a part of a GPU for a short time, and PGN has three on the
//! same rows.

use std::ops::Range;

use super::split::{COLUMNS, MOST_SLABS};

/// `out = activation(addend + sum of parts + bias)`, by addresses; strides in values.
#[derive(Debug, Clone)]
pub(super) struct LargeLayer {
    pub(super) parts: Vec<LargePart>,
    pub(super) columns: usize,
    pub(super) addend: Option<u64>,
    pub(super) bias: Option<u64>,
    pub(super) relu: bool,
    pub(super) out: u64,
    pub(super) out_stride: usize,
}

impl LargeLayer {
    /// Where it writes, by addresses.
    fn written(&self, rows: usize) -> Range<u64> {
        bytes(self.out, rows, self.columns, self.out_stride)
    }

    /// Where it reads.
    fn read(&self, rows: usize) -> impl Iterator<Item = Range<u64>> {
        let parts = self.parts.iter().flat_map(move |part| {
            let (width, stride) = (part.width as usize, part.weight_stride as usize);
            let input = bytes(part.input, rows, width, width);
            [input, bytes(part.weight, self.columns, width, stride)]
        });
        let addend = self.addend.map(|at| bytes(at, rows, self.columns, self.out_stride));
        parts.chain(addend).chain(self.bias.map(|at| bytes(at, 1, self.columns, 0)))
    }
}

fn bytes(address: u64, rows: usize, columns: usize, stride: usize) -> Range<u64> {
    address..address + 4 * ((rows - 1) * stride + columns) as u64
}

/// Layers on as many rows that need nothing of each other and so run at once.
#[derive(Debug, Default)]
pub(super) struct Together {
    pub(super) layers: Vec<LargeLayer>,
    pub(super) rows: usize,
}

impl Together {
    /// Whether a layer could run with these, in one launch.
    pub(super) fn can_take(&self, layer: &LargeLayer, rows: usize) -> bool {
        let slabs = |layer: &LargeLayer| layer.columns.div_ceil(COLUMNS);
        let meets =
            |one: &Range<u64>, other: &Range<u64>| one.start < other.end && other.start < one.end;
        let independent = |one: &LargeLayer, other: &LargeLayer| {
            let written = one.written(rows);
            !other.read(rows).any(|read| meets(&written, &read))
        };
        let beside = |other: &LargeLayer| {
            independent(layer, other)
                && independent(other, layer)
                && !meets(&layer.written(rows), &other.written(rows))
        };
        self.layers.is_empty()
            || self.rows == rows
                && self.layers.iter().map(slabs).sum::<usize>() + slabs(layer) <= MOST_SLABS
                && self.layers.iter().all(beside)
    }

    pub(super) fn take(&mut self, layers: &[LargeLayer], rows: usize) {
        self.rows = rows;
        self.layers.extend_from_slice(layers);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }
}

/// `input [rows, width] · weightᵀ [columns, width]`; the kernels read it as it is.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct LargePart {
    pub(super) input: u64,
    pub(super) weight: u64,
    pub(super) width: u32,
    pub(super) weight_stride: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 5000;

    /// `out = input · weightᵀ`, all of 128 columns, in blocks of memory by number.
    fn layer(input: u64, weight: u64, out: u64) -> LargeLayer {
        let [input, weight, out] = [input, weight, out].map(|block| block << 32);
        let part = LargePart { input, weight, width: 128, weight_stride: 128 };
        let parts = vec![part];
        LargeLayer {
            parts,
            columns: 128,
            addend: None,
            bias: None,
            relu: false,
            out,
            out_stride: 128,
        }
    }

    fn together(layers: &[LargeLayer]) -> Together {
        Together { layers: layers.to_vec(), rows: ROWS }
    }

    #[test]
    fn layers_that_need_nothing_of_each_other_run_at_once() {
        let first = together(&[layer(1, 2, 3)]);
        assert!(first.can_take(&layer(1, 4, 5), ROWS), "both read the same rows");
        assert!(!first.can_take(&layer(1, 4, 5), ROWS + 1), "it has other rows");
        assert!(Together::default().can_take(&layer(1, 4, 5), ROWS + 1));
    }

    #[test]
    fn a_layer_waits_for_what_it_reads_or_overwrites() {
        let first = together(&[layer(1, 2, 3)]);
        for other in
            [layer(3, 4, 5), layer(4, 3, 5), layer(4, 5, 1), layer(4, 5, 2), layer(4, 5, 3)]
        {
            assert!(!first.can_take(&other, ROWS), "{other:?}");
        }
        for more in [Some(3 << 32), Some((3 << 32) + 4 * 128)] {
            let addend = LargeLayer { addend: more, ..layer(1, 4, 5) };
            assert!(!first.can_take(&addend, ROWS), "{addend:?}");
        }
        let behind = (3 << 32) + 4 * 128 * ROWS as u64;
        assert!(first.can_take(&LargeLayer { bias: Some(behind), ..layer(1, 4, 5) }, ROWS));
    }

    #[test]
    fn so_many_run_at_once_as_a_launch_has_room_for() {
        let all: Vec<_> = (0..MOST_SLABS as u64).map(|i| layer(1, 2, 3 + i)).collect();
        let (last, others) = all.split_last().unwrap();
        assert!(together(others).can_take(last, ROWS));
        let wide = LargeLayer { columns: 129, ..last.clone() };
        assert!(!together(others).can_take(&wide, ROWS));
    }
}
