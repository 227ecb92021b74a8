//! Layers on many rows by tensor cores, as exact as in single precision, and messages through layers
//! to maxima (`kernels/split.cu`, `kernels/network.cu`).
//!
//! Only GPUs of compute capability 9.0 have the instructions; elsewhere, and for shapes that do not
//! fit, the library computes.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, result, sys};

use super::error::CudaError;
use super::together::{LargeLayer, LargePart, Together};

/// As the kernels have it: rows of a tile, columns of a slab, inner indices of a slice, threads.
const ROWS: usize = 64;
pub(super) const COLUMNS: usize = 128;
const SLICE: usize = 32;
const THREADS: u32 = 256;
const MOST_PARTS: usize = 4;
pub(super) const MOST_SLABS: usize = 8;
/// Inner indices of which a block can keep both parts of a weight.
pub(super) const MOST_INNER: usize = 384;
/// Two bytes for each part of a weight's numbers, what is passed on to take maxima of, and what makes
/// operands begin at a multiple of 1024.
const SHARED_BYTES: u32 = (4 * COLUMNS * MOST_INNER + 8 * 4 * 16 * 64 + 1024) as u32;
/// What a block does before its first tile takes as long as so many inner indices of one.
const BEGINNING: usize = 128;

/// The kernels, where a GPU has them.
#[derive(Debug, Clone)]
pub(super) struct Split {
    layers: CudaFunction,
    /// With one and with two layers.
    networks: [CudaFunction; 2],
    n_blocks: usize,
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Slab {
    parts: [LargePart; MOST_PARTS],
    bias: u64,
    addend: u64,
    out: u64,
    n_parts: u32,
    inner: u32,
    columns: u32,
    relu: u32,
    first_block: u32,
    out_stride: u32,
}

/// What `split_layers` takes.
#[repr(C)]
struct Layers {
    slabs: [Slab; MOST_SLABS],
    n_slabs: u32,
    rows: u32,
}

/// What `split_network` takes, by addresses.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Network {
    pub(super) source: u64,
    pub(super) target: u64,
    pub(super) weights: u64,
    pub(super) scale: u64,
    pub(super) bias: u64,
    pub(super) neighbours: u64,
    pub(super) nodes: u64,
    pub(super) out: u64,
    /// Weight and bias of one layer or two.
    pub(super) layers: [[u64; 2]; 2],
    pub(super) entries: u32,
    pub(super) width: u32,
    pub(super) columns: u32,
    pub(super) relu: u32,
    pub(super) last_relu: u32,
    pub(super) unused: u32,
}

impl Split {
    pub(super) fn find(context: &CudaContext, module: &Arc<CudaModule>) -> Option<Self> {
        let load = |name| {
            let function = module.load_function(name).ok()?;
            let attribute =
                sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, SHARED_BYTES as i32).ok()?;
            Some(function)
        };
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        Some(Self {
            layers: load("split_layers")?,
            networks: [load("split_network")?, load("split_network_of_two")?],
            n_blocks: context.attribute(attribute).ok()? as usize,
        })
    }

    /// Whether a layer has a shape that the kernels can compute and that fills their tiles.
    pub(super) fn suits(layer: &LargeLayer) -> bool {
        let LargeLayer { parts, columns, addend, out, out_stride, .. } = layer;
        let fits = |part: &LargePart| {
            let (width, stride) = (part.width as usize, part.weight_stride as usize);
            (1..=MOST_INNER).contains(&width)
                && width.is_multiple_of(SLICE)
                && stride.is_multiple_of(4)
                && [part.input, part.weight].iter().all(|address| address.is_multiple_of(16))
        };
        fills(*columns)
            && out_stride.is_multiple_of(2)
            && [*out, addend.unwrap_or(0)].iter().all(|address| address.is_multiple_of(8))
            && parts.iter().all(fits)
    }

    /// Adds layers to a stream, and forgets them.
    pub(super) fn layers(
        &self,
        stream: &CudaStream,
        together: &mut Together,
    ) -> Result<(), CudaError> {
        let Together { layers, rows } = std::mem::take(together);
        let mut turns: Vec<Vec<Slab>> = Vec::new();
        for layer in &layers {
            let groups = in_turns(&layer.parts);
            for (turn, parts) in groups.iter().enumerate() {
                if turns.len() <= turn {
                    turns.push(Vec::new());
                }
                let of_turn = LargeLayer {
                    parts: parts.clone(),
                    addend: if turn == 0 { layer.addend } else { Some(layer.out) },
                    ..layer.clone()
                };
                let last = turn + 1 == groups.len();
                turns[turn].extend(slabs_of(&of_turn, last));
            }
        }
        for slabs in turns.iter().flat_map(|slabs| slabs.chunks(MOST_SLABS)) {
            self.launch_layers(stream, slabs, rows)?;
        }
        Ok(())
    }

    #[expect(unsafe_code, reason = "a launch")]
    fn launch_layers(
        &self,
        stream: &CudaStream,
        given: &[Slab],
        rows: usize,
    ) -> Result<(), CudaError> {
        let mut slabs = [Slab::default(); MOST_SLABS];
        slabs[..given.len()].copy_from_slice(given);
        let inner: Vec<usize> = given.iter().map(|slab| slab.inner as usize).collect();
        let most = rows.div_ceil(2 * ROWS);
        let mut n_blocks = 0;
        for (slab, count) in slabs.iter_mut().zip(shares(self.n_blocks, &inner)) {
            slab.first_block = n_blocks as u32;
            n_blocks += count.min(most);
        }
        let mut job = Layers { slabs, n_slabs: given.len() as u32, rows: rows as u32 };
        // SAFETY: the addresses are those of blocks that are large enough, as the tape checks;
        // parameters are read before a launch returns.
        unsafe { launch(stream, &self.layers, n_blocks, (&raw mut job).cast()) }
    }

    /// Whether messages of so many columns can go through layers of so many.
    pub(super) fn suits_network(width: usize, columns: &[usize]) -> bool {
        let given = (1..=MOST_INNER).contains(&width) && width.is_multiple_of(SLICE);
        match columns {
            [columns] => given && fills(*columns),
            [first, second] => [width, *first, *second] == [COLUMNS; 3],
            _ => false,
        }
    }

    /// Adds messages through layers to maxima to a stream. What is there counts too.
    #[expect(unsafe_code, reason = "a launch")]
    pub(super) fn network(
        &self,
        stream: &CudaStream,
        mut job: Network,
        n_layers: usize,
    ) -> Result<(), CudaError> {
        let n_slabs = (job.columns as usize).div_ceil(COLUMNS);
        let most = n_slabs * (job.entries as usize).div_ceil(2 * ROWS);
        let n_blocks = self.n_blocks.max(n_slabs).min(most);
        // SAFETY: as above.
        unsafe { launch(stream, &self.networks[n_layers - 1], n_blocks, (&raw mut job).cast()) }
    }
}

/// Whether columns fill most of their slabs.
fn fills(columns: usize) -> bool {
    columns.is_multiple_of(2) && 3 * columns.next_multiple_of(COLUMNS) <= 4 * columns
}

/// Parts in as few turns as there is room for their weights.
fn in_turns(parts: &[LargePart]) -> Vec<Vec<LargePart>> {
    let mut turns: Vec<(usize, Vec<LargePart>)> = Vec::new();
    for part in parts {
        let width = part.width as usize;
        match turns.last_mut() {
            Some((inner, turn)) if *inner + width <= MOST_INNER && turn.len() < MOST_PARTS => {
                *inner += width;
                turn.push(*part);
            }
            _ => turns.push((width, vec![*part])),
        }
    }
    turns.into_iter().map(|(_, turn)| turn).collect()
}

/// A layer's columns, 128 at a time; bias and activation are for the last turn.
fn slabs_of(layer: &LargeLayer, last: bool) -> impl Iterator<Item = Slab> {
    (0..layer.columns).step_by(COLUMNS).map(move |first| {
        let LargeLayer { parts, addend, bias, .. } = layer;
        let at = |address: &u64| address + 4 * first as u64;
        let mut slab = Slab {
            bias: bias.as_ref().filter(|_| last).map_or(0, at),
            addend: addend.as_ref().map_or(0, at),
            out: at(&layer.out),
            n_parts: parts.len() as u32,
            inner: parts.iter().map(|part| part.width).sum(),
            columns: (layer.columns - first).min(COLUMNS) as u32,
            relu: (last && layer.relu).into(),
            out_stride: layer.out_stride as u32,
            ..Slab::default()
        };
        for (to, part) in slab.parts.iter_mut().zip(parts) {
            let weight = part.weight + 4 * (first as u64) * u64::from(part.weight_stride);
            *to = LargePart { weight, ..*part };
        }
        slab
    })
}

/// Blocks for each slab, by how much it has to do; at least one.
fn shares(n_blocks: usize, inner: &[usize]) -> Vec<usize> {
    let work = |inner: &usize| inner + BEGINNING;
    let all: usize = inner.iter().map(work).sum();
    inner.iter().map(|inner| (n_blocks * work(inner) / all).max(1)).collect()
}

/// # Safety
/// The parameter is what the kernel takes, and its addresses are right.
#[expect(unsafe_code, reason = "a launch")]
unsafe fn launch(
    stream: &CudaStream,
    kernel: &CudaFunction,
    n_blocks: usize,
    parameter: *mut std::ffi::c_void,
) -> Result<(), CudaError> {
    // SAFETY: as the caller promises.
    unsafe {
        result::launch_kernel(
            kernel.cu_function(),
            (n_blocks as u32, 1, 1),
            (THREADS, 1, 1),
            SHARED_BYTES,
            stream.cu_stream(),
            &mut [parameter],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::compiler::SOURCE;

    #[test]
    fn the_kernels_have_the_sizes_that_the_host_thinks() {
        let stage = (SHARED_BYTES as usize - 4 * COLUMNS * MOST_INNER - 1024) / (8 * 4 * 16);
        for line in [
            format!("u32 ROWS = {ROWS}, COLUMNS = {COLUMNS}, SLICE = {SLICE};"),
            format!("u32 GROUP = {}, BLOCK = 2 * GROUP;", THREADS / 2),
            format!("u32 MOST_PARTS = {MOST_PARTS}, MOST_SLABS = {MOST_SLABS};"),
            format!("u32 MOST_FOURS = {};", MOST_INNER / 128),
            format!("u32 STAGE_COLUMNS = {stage}, STAGE_FLOATS = 16 * STAGE_COLUMNS;"),
        ] {
            assert!(SOURCE.contains(&format!("constexpr {line}")), "{line}");
        }
    }

    fn part(width: u32) -> LargePart {
        LargePart { width, ..LargePart::default() }
    }

    #[test]
    fn parts_share_a_turn_while_there_is_room() {
        let widths = |given: &[u32]| -> Vec<Vec<u32>> {
            let parts: Vec<_> = given.iter().map(|&width| part(width)).collect();
            let turns = in_turns(&parts);
            turns.iter().map(|turn| turn.iter().map(|part| part.width).collect()).collect()
        };
        assert_eq!(widths(&[128, 128, 128]), [vec![128, 128, 128]]);
        assert_eq!(widths(&[384, 128]), [vec![384], vec![128]]);
        assert_eq!(widths(&[32, 32, 32, 32, 32]), [vec![32; 4], vec![32]]);
    }

    #[test]
    fn slabs_share_blocks_by_their_work() {
        assert_eq!(shares(132, &[384, 384, 384]), [44, 44, 44]);
        let uneven = shares(132, &[256, 256, 128, 128]);
        assert!(uneven[0] > uneven[2] && uneven.iter().sum::<usize>() <= 132, "{uneven:?}");
        assert_eq!(shares(2, &[32, 32, 32]), [1, 1, 1]);
    }

    #[test]
    fn columns_that_leave_a_slab_half_empty_are_for_the_library() {
        assert_eq!([96, 128, 384, 512].map(fills), [true; 4]);
        assert_eq!([31, 64, 94, 130].map(fills), [false; 4]);
    }
}
