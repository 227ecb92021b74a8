//! How much each block has to do in a phase, and who gets the next tile.

use std::ops::Range;

/// A phase may take longer by such a part of it for what would take a phase of its own later.
const SLACK: u32 = 8;

/// When an operator runs.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// In this phase.
    Now,
    /// Then or later, where it makes the phase a little longer at most.
    Soon,
    /// Then or later, where it makes the phase no longer.
    Later,
}

/// Blocks by how much they have to do in a phase.
#[derive(Default)]
pub(super) struct Levels {
    all: Vec<Level>,
    /// How much the block has to do that has most.
    most: u32,
    /// The same of what must run, once that is known.
    longest: Option<u32>,
}

/// Blocks that follow each other and have as much to do.
struct Level {
    cycles: u32,
    blocks: Range<usize>,
}

impl Levels {
    /// Nobody has anything to do.
    pub(super) fn begin(&mut self, n_blocks: usize) {
        self.all.clear();
        self.all.push(Level { cycles: 0, blocks: 0..n_blocks });
        (self.most, self.longest) = (0, None);
    }

    /// Gives a tile each to at most so many of the blocks that have least to do, and says whether it
    /// is their first. Unless it runs now, no block gets more to do than the one that has most, but
    /// for a single tile that is a little longer.
    pub(super) fn take(
        &mut self,
        count: usize,
        cycles: u32,
        when: When,
    ) -> Option<(bool, Range<usize>)> {
        let key = |level: &&mut Level| (level.cycles, level.blocks.start);
        let least = self.all.iter_mut().min_by_key(key).expect("there are blocks");
        let (start, before, then) = (least.blocks.start, least.cycles, least.cycles + cycles);
        let most = match when {
            When::Now => u32::MAX,
            When::Soon if before == 0 => {
                let longest = *self.longest.get_or_insert(self.most);
                longest + longest / SLACK
            }
            When::Soon | When::Later => self.most,
        };
        if then > most {
            return None;
        }
        let taken = start..least.blocks.end.min(start + count);
        if taken == least.blocks {
            least.cycles = then;
        } else {
            least.blocks.start = taken.end;
            self.all.push(Level { cycles: then, blocks: taken.clone() });
        }
        self.most = self.most.max(then);
        Some((before == 0, taken))
    }

    /// How many blocks have something to do: the first ones.
    pub(super) fn n_busy(&self) -> usize {
        self.all.iter().filter(|level| level.cycles > 0).map(|level| level.blocks.len()).sum()
    }
}
