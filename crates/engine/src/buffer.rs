//! Where the values of tensors and the indices of graphs live.
//!
//! A buffer belongs to the device that made it. Devices are few and all live in this crate, so an
//! enum says which, and asking a buffer for the wrong kind is a bug here, never a user's mistake.
//! Host buffers start at a cache line: a vector load that straddles two lines costs two.

use std::collections::VecDeque;

use crate::cuda::{Block, Copies};

/// The values of one tensor, on one device.
#[derive(Debug)]
pub enum Buffer {
    /// Host memory, single precision: the fast CPU device.
    Single(Lines),
    /// Host memory, double precision: the reference device.
    Double(Vec<f64>),
    /// Memory of a GPU, single precision.
    Cuda(Block),
}

impl Buffer {
    /// How many values it holds.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(lines) => lines.len,
            Self::Double(values) => values.len(),
            Self::Cuda(block) => block.len(),
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn single(&self) -> &[f32] {
        match self {
            Self::Single(lines) => lines.as_slice(),
            _ => panic!("a buffer of another device on the CPU device"),
        }
    }

    pub(crate) fn single_mut(&mut self) -> &mut [f32] {
        match self {
            Self::Single(lines) => lines.as_mut_slice(),
            _ => panic!("a buffer of another device on the CPU device"),
        }
    }

    pub(crate) fn double(&self) -> &[f64] {
        match self {
            Self::Double(values) => values,
            _ => panic!("a buffer of another device on the reference device"),
        }
    }

    pub(crate) fn double_mut(&mut self) -> &mut [f64] {
        match self {
            Self::Double(values) => values,
            _ => panic!("a buffer of another device on the reference device"),
        }
    }

    pub(crate) fn cuda(&self) -> &Block {
        match self {
            Self::Cuda(block) => block,
            _ => panic!("a buffer of another device on a GPU"),
        }
    }
}

/// Sixteen values: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; 16]);

/// A vector of `f32` that starts at a cache line.
#[derive(Debug, Default)]
pub struct Lines {
    lines: Vec<Line>,
    len: usize,
}

impl Lines {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self { lines: vec![Line([0.0; 16]); len.div_ceil(16)], len }
    }

    /// How many values fit without another allocation.
    pub fn capacity(&self) -> usize {
        self.lines.capacity() * 16
    }

    /// Changes the number of values; new ones are whatever was there before.
    pub fn set_len(&mut self, len: usize) {
        self.lines.resize(len.div_ceil(16), Line([0.0; 16]));
        self.len = len;
    }

    /// The values.
    #[expect(unsafe_code, reason = "a cache line is sixteen values in a row")]
    pub fn as_slice(&self) -> &[f32] {
        // SAFETY: `Line` is `repr(C)` with sixteen f32 and no padding, and `len` values fit.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }

    /// The values, to change.
    #[expect(unsafe_code, reason = "a cache line is sixteen values in a row")]
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// Whole numbers: edges, segments, targets. They are made on the host, and devices with memory of
/// their own keep a copy; or a device makes them and they stay there.
#[derive(Debug, Default)]
pub struct Indices {
    pub(crate) values: Vec<u32>,
    pub(crate) copies: Copies,
}

impl Indices {
    /// These numbers.
    pub fn new(values: Vec<u32>) -> Self {
        Self { values, copies: Copies::default() }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The numbers, where they are on the host.
    pub fn as_slice(&self) -> &[u32] {
        &self.values
    }

    pub(crate) fn host(&self) -> &[u32] {
        &self.values
    }
}

impl PartialEq for Indices {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Eq for Indices {}

impl FromIterator<u32> for Indices {
    fn from_iter<I: IntoIterator<Item = u32>>(values: I) -> Self {
        Self::new(values.into_iter().collect())
    }
}

/// Buffers that were given back, waiting for their next use.
///
/// Sizes are rounded up to three leading bits, so the batches of an epoch share a few sizes and
/// after the first of them nothing is allocated any more.
#[derive(Debug, Default)]
pub struct Pool {
    free: Vec<VecDeque<Buffer>>,
    indices: Vec<Vec<u32>>,
    allocated: usize,
}

impl Pool {
    /// A buffer of `len` values of any content, from the pool or from `make` at a rounded size. On a
    /// CPU one up to twice as large will do, or batches of ever new shapes would fill memory with
    /// buffers that just do not fit, and the newest is the one in the cache. On a GPU, where operators
    /// that use the same buffer wait for each other, the oldest is taken, and some small ones rest.
    pub fn take(&mut self, len: usize, make: impl FnOnce(usize) -> Buffer) -> Buffer {
        let class = class_of(len);
        let mut fitting = self.free.iter_mut().skip(class).take(TWICE + 1);
        let on_gpu = |free: &VecDeque<Buffer>| matches!(free.back(), Some(Buffer::Cuda(_)));
        let own = fitting.next().and_then(|free| match on_gpu(free) {
            true if free.len() > at_rest(class) => free.pop_front(),
            true => None,
            false => free.pop_back(),
        });
        let larger = |free: &mut VecDeque<Buffer>| match on_gpu(free) {
            true => None,
            false => free.pop_back(),
        };
        let mut buffer = match own.or_else(|| fitting.find_map(larger)) {
            Some(buffer) => buffer,
            None => {
                self.allocated += 1;
                make(size_of_class(class))
            }
        };
        match &mut buffer {
            Buffer::Single(lines) => lines.set_len(len),
            Buffer::Double(values) => values.resize(len, 0.0),
            Buffer::Cuda(block) => block.set_len(len),
        }
        buffer
    }

    /// Takes a buffer back.
    pub fn give(&mut self, buffer: Buffer) {
        let capacity = match &buffer {
            Buffer::Single(lines) => lines.capacity(),
            Buffer::Double(values) => values.capacity(),
            Buffer::Cuda(block) => block.capacity(),
        };
        if capacity < SMALLEST {
            return;
        }
        let class = class_below(capacity);
        if self.free.len() <= class {
            self.free.resize_with(class + 1, VecDeque::new);
        }
        self.free[class].push_back(buffer);
    }

    /// Empty indices with whatever room earlier ones had.
    pub fn take_indices(&mut self) -> Indices {
        let mut indices = self.indices.pop().unwrap_or_default();
        indices.clear();
        Indices::new(indices)
    }

    /// Takes indices back.
    pub fn give_indices(&mut self, indices: Indices) {
        self.indices.push(indices.values);
    }

    /// How many buffers were made because none fitted.
    pub fn allocated(&self) -> usize {
        self.allocated
    }
}

/// On a GPU as many buffers of a size stay unused, so that what reads one of them last need not be
/// done before others can go on: one for each message-passing step on the way back.
const AT_REST: usize = 4;
/// Those of up to so many values, of which the pool may have some to spare.
const SMALL: usize = 1 << 19;

/// How many buffers of a class stay unused on a GPU.
pub(crate) fn at_rest(class: usize) -> usize {
    if size_of_class(class) <= SMALL { AT_REST } else { 0 }
}

/// Sizes below this share the first class.
const SMALLEST: usize = 64;
/// As many classes further, sizes are twice as large.
const TWICE: usize = 4;

pub(crate) fn class_of(len: usize) -> usize {
    let len = len.max(SMALLEST);
    let below = class_below(len);
    if size_of_class(below) == len { below } else { below + 1 }
}

/// The largest class whose size is at most `len`.
fn class_below(len: usize) -> usize {
    let len = len.max(SMALLEST);
    let exponent = len.ilog2() as usize;
    (exponent - 6) * 4 + ((len >> (exponent - 2)) & 3)
}

pub(crate) fn size_of_class(class: usize) -> usize {
    (4 + class % 4) << (class / 4 + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_its_length_and_wastes_at_most_a_quarter() {
        for len in 1..100_000 {
            let size = size_of_class(class_of(len));
            assert!(size >= len && (size <= len + len / 4 || size == SMALLEST), "{len} -> {size}");
            assert_eq!(class_below(size), class_of(len));
        }
    }

    #[test]
    fn a_buffer_given_back_is_taken_again() {
        let mut pool = Pool::default();
        let first = pool.take(1000, |len| Buffer::Single(Lines::zeros(len)));
        pool.give(first);
        let second = pool.take(1001, |len| Buffer::Single(Lines::zeros(len)));
        assert_eq!((second.len(), pool.allocated()), (1001, 1));
    }

    #[test]
    fn a_larger_buffer_will_do_but_not_a_huge_one() {
        let mut pool = Pool::default();
        let make = |len| Buffer::Single(Lines::zeros(len));
        let first = pool.take(1024, make);
        pool.give(first);
        let half = pool.take(512, make);
        assert_eq!((half.len(), pool.allocated()), (512, 1));
        pool.give(half);
        let small = pool.take(400, make);
        assert_eq!(pool.allocated(), 2);
        // Whoever needs all of it has it back.
        let whole = pool.take(1024, make);
        assert_eq!((small.len(), whole.len(), pool.allocated()), (400, 1024, 2));
    }
}
