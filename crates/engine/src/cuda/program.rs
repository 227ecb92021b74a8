//! Operators waiting to be launched together, in the order that lets most of them run at once.
//!
//! An operator can run from the first phase on in which everything it reads is there and nobody still
//! needs what it overwrites, up to the last before somebody needs its result or overwrites what it
//! reads. Between phases blocks wait for each other; within one, operators run side by side. Which
//! words of which block an operator touches decides; which of its phases it runs in is decided by
//! where blocks are idle.
//! An operator whose tiles need only what the same tiles of another write follows it on its blocks,
//! in the same phase.

use std::cmp::Reverse;
use std::ops::Range;

use super::draft::{Access, Code, Draft, Op};
use super::history::History;
use super::product::BOTH_OUTER;
use super::values::RELU;

mod joined;
mod levels;
mod turns;

use joined::join;
use levels::{Levels, When};
pub(super) use turns::Turn;
use turns::{Stretch, Turns};

/// Tiles of a program, at most.
pub(super) const MOST_TILES: usize = 1 << 16;
/// Parts of a product.
const MAX_PARTS: usize = 4;
/// About as many cycles are between the phases of a training step that are long.
const LONG: u32 = 6000;
/// As many phases are not worth a product of its own.
const SOON: u32 = 2;

/// Operators and when they run.
#[derive(Debug, Default)]
pub(super) struct Program {
    ops: Vec<Scheduled>,
    n_ops: usize,
    n_phases: u32,
    n_tiles: usize,
    turns: Turns,
    histories: Vec<History>,
    number: u64,
}

/// An operator and when it can run.
#[derive(Debug)]
struct Scheduled {
    draft: Draft,
    /// What each of its tiles goes on with on the same block.
    followers: Vec<Draft>,
    /// The first phase in which it can.
    phase: u32,
    /// The last one: what comes later needs its result, or overwrites what it reads.
    latest: u32,
}

impl Scheduled {
    /// With those of its followers.
    fn n_tiles(&self) -> usize {
        (1 + self.followers.len()) * self.draft.n_tiles()
    }
}

impl Program {
    pub(super) fn push(&mut self, mut draft: Draft) {
        self.note_what_is_there(&mut draft);
        if self.pass(&draft) || self.merge(&draft) {
            return;
        }
        self.n_ops += 1;
        let phase = self.earliest(&draft.accesses);
        if let Some(leader) = self.leader(&draft, phase) {
            return self.follow(leader, draft);
        }
        self.remember(&draft.accesses, phase, self.ops.len());
        self.n_tiles += draft.n_tiles();
        self.ops.push(Scheduled { draft, followers: Vec::new(), phase, latest: u32::MAX });
    }

    /// Adds operators that need nothing of each other, and read more than they say themselves. They run
    /// in one phase: where another operator takes long.
    pub(super) fn push_together(&mut self, drafts: Vec<Draft>, reads: &[Access]) {
        let said = drafts.iter().flat_map(|draft| &draft.accesses).chain(reads);
        let earliest = self.earliest(&said.copied().collect::<Vec<_>>());
        let later = self.ops.iter().filter(|op| op.phase >= earliest);
        let longest = later.max_by_key(|op| (op.draft.cycles, Reverse(op.phase)));
        let phase = longest.map_or(earliest, |op| op.phase);
        let first = self.ops.len();
        // The first stands for all of them: none runs later than the others.
        self.remember(reads, phase, first);
        for (op, draft) in (first..).zip(drafts) {
            self.n_ops += 1;
            self.n_tiles += draft.n_tiles();
            self.remember(&draft.accesses, phase, op);
            // Nobody follows one of them, who would have to wait for all.
            let draft = Draft { grain: None, ..draft };
            self.ops.push(Scheduled { draft, followers: Vec::new(), phase, latest: phase });
        }
    }

    /// Which second operands of a product are there when the program begins, as weights are: it can
    /// read them before it waits.
    fn note_what_is_there(&mut self, draft: &mut Draft) {
        let parts = if draft.op.code.is_product() { draft.op.numbers[24] } else { 0 };
        for part in 0..parts as usize {
            let b = draft.accesses[2 * part + 1];
            let there = self.history(b.block).before(&b).next().is_none();
            draft.op.numbers[17] |= u32::from(there) << part;
        }
    }

    /// The operator whose results alone keep another from running a phase earlier, if both can be cut
    /// into the same tiles: then each tile needs only what the same one of the other writes.
    fn leader(&self, draft: &Draft, phase: u32) -> Option<usize> {
        let grain = draft.grain?;
        let before = phase.checked_sub(1)?;
        let touches = draft.accesses.iter().flat_map(|access| {
            let history = &self.histories[access.block as usize];
            history.before(access).flat_map(|touch| history.ops(touch))
        });
        let mut in_the_way = touches.filter(|op| self.ops[*op].phase == before);
        let leader = in_the_way.next()?;
        let alone = in_the_way.all(|op| op == leader);
        let first = &self.ops[leader];
        let few = self.n_tiles + (2 + first.followers.len()) * grain.n_tiles() <= MOST_TILES;
        (alone && few && first.draft.grain == Some(grain)).then_some(leader)
    }

    /// Lets an operator run after each tile of another, on the same block and in the same phase.
    fn follow(&mut self, leader: usize, mut draft: Draft) {
        let grain = draft.grain.expect("it has one with its leader");
        self.remember(&draft.accesses, self.ops[leader].phase, leader);
        let first = &mut self.ops[leader];
        self.n_tiles -= first.n_tiles();
        first.draft.cut(grain);
        draft.cut(grain);
        if first.followers.is_empty() && join(&mut first.draft.op, &draft.op) {
            // What it reads and begins with is there.
            first.draft.cycles += draft.cycles / 3;
        } else {
            first.followers.push(draft);
        }
        self.n_tiles += first.n_tiles();
    }

    /// Lets the operator that wrote a gradient also pass it through an activation.
    fn pass(&mut self, draft: &Draft) -> bool {
        let [result, before, gradient] = draft.accesses[..] else { return false };
        if draft.op.code != Code::UnaryGradient
            || draft.op.numbers[1..3] != [RELU as u32, 0]
            || before != (Access { write: false, ..gradient })
        {
            return false;
        }
        let Some(writer) = self.history(gradient.block).only_writer(&gradient) else {
            return false;
        };
        let Scheduled { phase, draft: written, .. } = &self.ops[writer];
        let (phase, op) = (*phase, &written.op);
        // A product's result must fill its rows, as the activated one does.
        let whole = !op.code.is_product() || op.numbers[22] == op.numbers[21];
        let can = op.code.can_pass()
            && op.pointers[12] == 0
            && whole
            && written.accesses.last() == Some(&gradient);
        if !can || self.earliest(&[result]) > phase {
            return false;
        }
        let writer_draft = &mut self.ops[writer].draft;
        writer_draft.op.pointers[12] = draft.op.pointers[0];
        writer_draft.op.numbers[27] = writer_draft.op.numbers[21];
        writer_draft.accesses.push(result);
        self.remember(&[result], phase, writer);
        true
    }

    /// Makes a product that is added to another's result a part of that one. Its sums are still
    /// taken by themselves, so that results do not depend on whether this could be done.
    fn merge(&mut self, draft: &Draft) -> bool {
        let op = &draft.op;
        let parts = op.numbers[24] as usize;
        // Flags: only added, and no bias, addend or activation.
        if !op.code.is_product() || op.numbers[23] != 1 || op.pointers[9..13] != [0; 4] {
            return false;
        }
        let (to, operands) = draft.accesses.split_last().expect("a product has a result");
        let Some(first) = self.history(to.block).only_writer(to) else { return false };
        let Scheduled { phase, latest, draft: other, .. } = &self.ops[first];
        let (phase, latest) = (*phase, *latest);
        let at = other.op.numbers[24] as usize;
        if other.op.code != op.code
            || at + parts > MAX_PARTS
            || other.op.numbers[23] > 1
            || other.op.pointers[9..13] != [0; 4]
            || op.pointers[8] != other.op.pointers[8]
            || op.numbers[16] != other.op.numbers[16]
            || op.numbers[20..23] != other.op.numbers[20..23]
            || op.numbers[26] != other.op.numbers[26]
        {
            return false;
        }
        // If the first has to wait, it must be able to, and what it reads must still be there.
        let (_, theirs) = other.accesses.split_last().expect("a product has a result");
        let theirs = theirs.to_vec();
        let cycles = other.cycles + draft.cycles;
        let later = self.earliest(operands).max(phase);
        // A sum that others wait for is shorter if what was there long before is already in it. One
        // that nobody waits for must not become too long for idle blocks.
        let apart = match op.numbers[16] as usize {
            BOTH_OUTER => cycles > LONG,
            _ => later > phase + SOON,
        };
        if apart {
            return false;
        }
        let kept = |access| self.earliest(&[Access { write: false, ..access }]) <= phase;
        if later > latest || later > phase && !theirs.into_iter().all(kept) {
            return false;
        }
        let Scheduled { phase: now, draft: other, .. } = &mut self.ops[first];
        *now = later;
        other.cycles = cycles;
        other.op.pointers[2 * at..2 * (at + parts)].copy_from_slice(&op.pointers[..2 * parts]);
        other.op.numbers[4 * at..4 * (at + parts)].copy_from_slice(&op.numbers[..4 * parts]);
        other.op.numbers[24] += parts as u32;
        other.op.numbers[17] |= op.numbers[17] << at;
        other.op.numbers[28] |= op.numbers[28] << at | 1 << at;
        // The result stays the last access.
        let end = other.accesses.len() - 1;
        other.accesses.splice(end..end, operands.iter().copied());
        // Where it was, it is already known.
        let moved = if later > phase { &other.accesses } else { operands }.to_vec();
        self.remember(&moved, later, first);
        true
    }

    fn history(&mut self, block: u32) -> &mut History {
        let block = block as usize;
        if self.histories.len() <= block {
            self.histories.resize_with(block + 1, History::default);
        }
        self.histories[block].of(self.number)
    }

    /// The first phase in which accesses are right.
    fn earliest(&mut self, accesses: &[Access]) -> u32 {
        let after = |access: &Access| {
            let phases = self.history(access.block).before(access).map(|touch| touch.phase + 1);
            phases.max().unwrap_or(0)
        };
        accesses.iter().map(after).fold(0, u32::max)
    }

    /// Notes the accesses of an operator in a phase: those that must be done before cannot run later.
    fn remember(&mut self, accesses: &[Access], phase: u32, op: usize) {
        for access in accesses {
            // Whoever asked when it can run has made it.
            let history = &mut self.histories[access.block as usize];
            let before = history.before(access).flat_map(|touch| history.ops(touch));
            for other in before.filter(|other| *other != op) {
                let latest = &mut self.ops[other].latest;
                *latest = (*latest).min(phase - 1);
            }
            history.remember(access, phase, op as u32);
        }
        self.n_phases = self.n_phases.max(phase + 1);
    }

    pub(super) fn len(&self) -> usize {
        self.n_ops
    }

    /// How many tiles all operators have.
    pub(super) fn n_tiles(&self) -> usize {
        self.n_tiles
    }

    /// Hands over all operators by phase, and says what each of `n_blocks` does; then it is empty.
    /// Operators that need not run yet fill what the others of a phase leave, tile by tile.
    pub(super) fn drain(&mut self, n_blocks: usize, mut to: impl FnMut(Op)) -> &Turns {
        self.turns.begin(n_blocks);
        let mut order: Vec<(u32, usize)> = self.ops.iter().map(|op| op.phase).zip(0..).collect();
        order.sort_unstable();
        let mut coming = order.into_iter().peekable();
        let mut number = 0;
        let (mut left, mut levels) = (Vec::<Left>::new(), Levels::default());
        // How often blocks have finished phases.
        let mut finished = 0;
        for phase in 0..self.n_phases {
            while let Some((_, i)) = coming.next_if(|(own, _)| *own == phase) {
                let Scheduled { draft, followers, latest, .. } = &self.ops[i];
                let first = number;
                let mut cycles = 0;
                for draft in [draft].into_iter().chain(followers) {
                    to(*draft.op);
                    number += 1;
                    cycles += draft.cycles;
                }
                let tiles = 0..draft.op.tiles;
                left.push(Left {
                    numbers: first..number,
                    first: phase,
                    latest: *latest,
                    cycles,
                    tiles,
                });
            }
            let last = phase + 1 == self.n_phases;
            let must = |op: &Left| last || op.latest == phase;
            // Those that must run now, with the longest tiles first, and then those that must soon.
            left.sort_by_key(|op| (if must(op) { 0 } else { op.latest }, u32::MAX - op.cycles));
            levels.begin(n_blocks);
            for op in &mut left {
                let when = match must(op) {
                    true => When::Now,
                    // In its first phase it does not make others wait.
                    false if op.first == phase => When::Later,
                    false => When::Soon,
                };
                while !op.tiles.is_empty()
                    && let Some((first, blocks)) = levels.take(op.tiles.len(), op.cycles, when)
                {
                    let tile = op.tiles.start;
                    op.tiles.start += blocks.len() as u32;
                    let after = if first { finished } else { 0 };
                    self.turns.push(Stretch { blocks, ops: op.numbers.clone(), tile, after });
                }
            }
            left.retain(|op| !op.tiles.is_empty());
            finished += levels.n_busy() as u32;
        }
        self.turns.end();
        self.ops.clear();
        (self.n_ops, self.n_phases, self.n_tiles) = (0, 0, 0);
        self.number += 1;
        &self.turns
    }
}

/// What is left of an operator.
struct Left {
    /// Its own number and those of its followers.
    numbers: Range<u32>,
    /// The first and the last phase in which it can run.
    first: u32,
    latest: u32,
    /// Of a tile.
    cycles: u32,
    tiles: Range<u32>,
}

#[cfg(test)]
mod tests;
