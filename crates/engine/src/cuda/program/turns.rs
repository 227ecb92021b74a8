//! What each block of a program does.

use std::ops::Range;

/// A tile that a block computes, as the kernels read it (`turns.cu`).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub(in crate::cuda) struct Turn {
    /// Which one of which operator.
    pub(super) tile: u32,
    /// How often blocks must have finished phases before, at a block's first turn of a phase but the
    /// first; else 0.
    pub(super) after: u32,
}

/// What blocks do. Tens of thousands of turns are a program, so they are written once, where the GPU
/// gets them from.
#[derive(Debug, Default)]
pub(in crate::cuda) struct Turns {
    stretches: Vec<Stretch>,
    /// How many turns each block has, and between `begin` and `end` how many more than the one
    /// before.
    counts: Vec<i32>,
}

/// Tiles that follow each other, on blocks that do.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) blocks: Range<usize>,
    /// One after the other on each block.
    pub(super) ops: Range<u32>,
    /// The first.
    pub(super) tile: u32,
    pub(super) after: u32,
}

impl Turns {
    pub(super) fn begin(&mut self, n_blocks: usize) {
        self.stretches.clear();
        self.counts.clear();
        self.counts.resize(n_blocks + 1, 0);
    }

    pub(super) fn push(&mut self, stretch: Stretch) {
        let each = stretch.ops.len() as i32;
        self.counts[stretch.blocks.start] += each;
        self.counts[stretch.blocks.end] -= each;
        self.stretches.push(stretch);
    }

    pub(super) fn end(&mut self) {
        self.counts.pop();
        let mut count = 0;
        for more in &mut self.counts {
            count += *more;
            *more = count;
        }
    }

    /// The first turn of each block among all, and how many it has.
    pub(in crate::cuda) fn lists(&self) -> impl Iterator<Item = [u32; 2]> {
        let mut start = 0;
        self.counts.iter().map(move |&count| {
            let list = [start, count as u32];
            // The kernels copy two at a time.
            start = (start + count as u32).next_multiple_of(2);
            list
        })
    }

    /// How much room all take.
    pub(in crate::cuda) fn len(&self) -> usize {
        self.lists().last().map_or(0, |[start, count]| (start + count).next_multiple_of(2) as usize)
    }

    pub(in crate::cuda) fn write(&self, to: &mut [Turn]) {
        let mut next: Vec<u32> = self.lists().map(|[start, _]| start).collect();
        for Stretch { blocks, ops, tile, after } in &self.stretches {
            // One operator after the other, each at all blocks: most stretches have one.
            for number in ops.clone() {
                let after = if number == ops.start { *after } else { 0 };
                for (next, tile) in next[blocks.clone()].iter_mut().zip(number << 22 | tile..) {
                    to[*next as usize] = Turn { tile, after };
                    *next += 1;
                }
            }
        }
    }
}
