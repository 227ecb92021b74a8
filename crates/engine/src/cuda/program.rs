//! Operators waiting to be launched together, in the order that lets most of them run at once.
//!
//! An operator is put into the first phase in which everything it reads is there and nobody still
//! needs what it overwrites. Between phases the GPU waits for all its blocks; within one, operators
//! run side by side. Which words of which block an operator touches decides, nothing else.

use super::arena::Place;
use crate::buffer::Buffer;

/// What a GPU can do; the order is that of `program.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Code {
    Copy,
    ProductSmall,
    ProductLarge,
    ProductMasked,
    ColumnSums,
    LayerNorm,
    LayerNormInput,
    LayerNormLearned,
    BatchNorm,
    BatchNormRunning,
    BatchNormGradient,
    GruGates,
    GruGatesGradient,
    Messages,
    MessagesSource,
    GatherMax,
    GatherMaxSource,
    GatherMaxScale,
    EdgeDot,
    EdgeDotGradient,
    SegmentReduce,
    SegmentReduceGradient,
    LogSoftmax,
    LogSoftmaxGradient,
    Fill,
    Unary,
    UnaryGradient,
    Binary,
    BinaryGradient,
    ScaledSum,
    Move,
    Transpose,
    GatherRows,
    ScatterRows,
    Dot,
    Picked,
    Loss,
    LossGradient,
    RowNorms,
    Mean,
    MeanNormGradient,
    Squares,
    Clip,
    Adam,
}

/// An operator as the kernels read it (`prelude.cu`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Op {
    code: u32,
    tiles: u32,
    first: u32,
    barrier: u32,
    pointers: [u64; 14],
    numbers: [u32; 32],
}

/// Words of a block that an operator touches.
#[derive(Debug, Clone, Copy)]
struct Access {
    block: u32,
    start: u64,
    end: u64,
    write: bool,
}

/// An operator being described.
#[derive(Debug)]
pub(super) struct Draft {
    op: Op,
    accesses: [Access; MAX_ACCESSES],
    n_accesses: usize,
}

const MAX_ACCESSES: usize = 16;

/// Values of a tile of simple work, when there is little or much of it.
const SPANS: [usize; 2] = [256, 1024];
/// Much.
const MANY_VALUES: usize = 1 << 18;

impl Draft {
    pub(super) fn new(code: Code) -> Self {
        let op = Op {
            code: code as u32,
            tiles: 1,
            first: 0,
            barrier: 0,
            pointers: [0; 14],
            numbers: [0; 32],
        };
        let none = Access { block: 0, start: 0, end: 0, write: false };
        Self { op, accesses: [none; MAX_ACCESSES], n_accesses: 0 }
    }

    /// Reads words of a block through pointer `i`, which points to the first of them.
    pub(super) fn reads(self, i: usize, place: Place, words: std::ops::Range<usize>) -> Self {
        self.touches(i, place, words, false)
    }

    /// Writes, or adds to, words of a block.
    pub(super) fn writes(self, i: usize, place: Place, words: std::ops::Range<usize>) -> Self {
        self.touches(i, place, words, true)
    }

    fn touches(
        mut self,
        i: usize,
        place: Place,
        words: std::ops::Range<usize>,
        write: bool,
    ) -> Self {
        self.op.pointers[i] = place.address + 4 * words.start as u64;
        let (start, end) = (words.start as u64, words.end as u64);
        self.accesses[self.n_accesses] = Access { block: place.number, start, end, write };
        self.n_accesses += 1;
        self
    }

    /// Reads a whole buffer.
    pub(super) fn input(self, i: usize, buffer: &Buffer) -> Self {
        let block = buffer.cuda();
        self.reads(i, block.place(), 0..block.len())
    }

    /// The same, if it is given.
    pub(super) fn any_input(self, i: usize, buffer: Option<&Buffer>) -> Self {
        match buffer {
            Some(buffer) => self.input(i, buffer),
            None => self,
        }
    }

    /// Writes, or adds to, a whole buffer.
    pub(super) fn output(self, i: usize, buffer: &Buffer) -> Self {
        let block = buffer.cuda();
        self.writes(i, block.place(), 0..block.len())
    }

    /// A pointer to what nobody writes while programs run.
    pub(super) fn constant(mut self, i: usize, address: u64) -> Self {
        self.op.pointers[i] = address;
        self
    }

    /// Numbers from `i` on.
    pub(super) fn numbers<const N: usize>(mut self, i: usize, values: [usize; N]) -> Self {
        for (at, value) in (i..).zip(values) {
            self.op.numbers[at] = value as u32;
        }
        self
    }

    /// Fractions from `i` on.
    pub(super) fn fractions<const N: usize>(mut self, i: usize, values: [f64; N]) -> Self {
        for (at, value) in (i..).zip(values) {
            self.op.numbers[at] = (value as f32).to_bits();
        }
        self
    }

    /// In tiles of `size` of `count` things.
    pub(super) fn tiles(mut self, count: usize, size: usize) -> Self {
        self.op.tiles = count.div_ceil(size) as u32;
        self
    }

    /// Simple work on so many values.
    pub(super) fn values(mut self, count: usize) -> Self {
        let span = SPANS[usize::from(count > MANY_VALUES)];
        self.op.numbers[31] = span as u32;
        self.tiles(count, span)
    }

    pub(super) fn n_tiles(&self) -> usize {
        self.op.tiles as usize
    }

    pub(super) fn op(&self) -> &Op {
        &self.op
    }
}

/// When the words of a block were last touched in this program.
#[derive(Debug, Default)]
struct History {
    program: u64,
    touched: Vec<Touch>,
}

#[derive(Debug, Clone, Copy)]
struct Touch {
    start: u64,
    end: u64,
    phase: u32,
    write: bool,
}

impl History {
    /// The first phase in which an access is right.
    fn earliest(&self, access: &Access) -> u32 {
        let conflicts = self.touched.iter().filter(|touch| {
            (touch.write || access.write) && touch.start < access.end && access.start < touch.end
        });
        conflicts.map(|touch| touch.phase + 1).max().unwrap_or(0)
    }

    fn remember(&mut self, access: &Access, phase: u32) {
        let Access { start, end, write, .. } = *access;
        if write {
            // Whoever comes later and conflicts with what is covered conflicts with this too.
            self.touched.retain(|touch| touch.start < start || touch.end > end);
        }
        let same = |touch: &&mut Touch| !touch.write && (touch.start, touch.end) == (start, end);
        if !write && let Some(touch) = self.touched.iter_mut().find(same) {
            touch.phase = touch.phase.max(phase);
            return;
        }
        if let Some(last) = self.touched.last_mut()
            && (last.write, last.phase, last.end) == (write, phase, start)
        {
            last.end = end;
            return;
        }
        self.touched.push(Touch { start, end, phase, write });
    }
}

/// Operators and when they run.
#[derive(Debug, Default)]
pub(super) struct Program {
    ops: Vec<(u32, Op)>,
    n_phases: u32,
    histories: Vec<History>,
    number: u64,
}

impl Program {
    pub(super) fn push(&mut self, draft: Draft) {
        let accesses = &draft.accesses[..draft.n_accesses];
        let mut phase = 0;
        for access in accesses {
            let block = access.block as usize;
            if self.histories.len() <= block {
                self.histories.resize_with(block + 1, History::default);
            }
            let history = &mut self.histories[block];
            if history.program != self.number {
                history.program = self.number;
                history.touched.clear();
            }
            phase = phase.max(history.earliest(access));
        }
        for access in accesses {
            self.histories[access.block as usize].remember(access, phase);
        }
        self.n_phases = self.n_phases.max(phase + 1);
        self.ops.push((phase, draft.op));
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Hands over all operators by phase, told which of `n_blocks` begins with each; then it is
    /// empty.
    pub(super) fn drain(&mut self, n_blocks: usize, mut to: impl FnMut(Op)) {
        let mut firsts = vec![0usize; self.n_phases as usize + 1];
        for (phase, _) in &self.ops {
            firsts[*phase as usize + 1] += 1;
        }
        for phase in 0..self.n_phases as usize {
            firsts[phase + 1] += firsts[phase];
        }
        let mut order = vec![0u32; self.ops.len()];
        for (i, (phase, _)) in self.ops.iter().enumerate() {
            let at = &mut firsts[*phase as usize];
            order[*at] = i as u32;
            *at += 1;
        }
        let (mut before, mut tiles) = (0, 0);
        for i in order {
            let (phase, mut op) = self.ops[i as usize];
            if phase != before {
                (before, tiles) = (phase, 0);
                op.barrier = 1;
            }
            op.first = (tiles % n_blocks) as u32;
            tiles += op.tiles as usize;
            to(op);
        }
        self.ops.clear();
        self.n_phases = 0;
        self.number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn block(number: u32) -> Place {
        Place { address: 4096 * (number as u64 + 1), number }
    }

    fn op(reads: &[u32], writes: &[u32]) -> Draft {
        let mut draft = Draft::new(Code::Unary).values(1000);
        for (i, &number) in reads.iter().enumerate() {
            draft = draft.reads(i, block(number), 0..1000);
        }
        for (i, &number) in writes.iter().enumerate() {
            draft = draft.writes(8 + i, block(number), 0..1000);
        }
        draft
    }

    /// The phase of every operator, in the order they were pushed.
    fn phases(drafts: impl IntoIterator<Item = Draft>) -> Vec<u32> {
        let mut program = Program::default();
        drafts.into_iter().for_each(|draft| program.push(draft));
        program.ops.iter().map(|(phase, _)| *phase).collect()
    }

    #[test]
    fn an_operator_waits_for_what_it_reads() {
        assert_eq!(phases([op(&[0], &[1]), op(&[0], &[2]), op(&[1, 2], &[3])]), [0, 0, 1]);
    }

    #[test]
    fn nothing_is_overwritten_while_it_is_read() {
        assert_eq!(phases([op(&[0], &[1]), op(&[2], &[0]), op(&[0], &[3])]), [0, 1, 2]);
    }

    #[test]
    fn sums_into_one_place_come_one_after_the_other() {
        assert_eq!(phases([op(&[0], &[9]), op(&[1], &[9]), op(&[2], &[9])]), [0, 1, 2]);
    }

    #[test]
    fn parts_of_a_block_are_written_side_by_side() {
        let part = |from: u32, start: usize| {
            Draft::new(Code::Move)
                .reads(0, block(from), 0..10)
                .writes(1, block(9), start..start + 10)
                .values(10)
        };
        let all = op(&[9], &[3]);
        assert_eq!(
            phases([part(0, 0), part(1, 10), part(2, 30), part(2, 5), all]),
            [0, 0, 0, 1, 2]
        );
    }

    #[test]
    fn operators_leave_by_phase_and_are_spread_over_blocks() {
        let mut program = Program::default();
        for draft in [op(&[0], &[1]), op(&[1], &[2]), op(&[0], &[3])] {
            program.push(draft);
        }
        let mut left = Vec::new();
        program.drain(3, |op| left.push((op.barrier, op.first, op.pointers[8])));
        // A thousand values are four tiles.
        assert_eq!(left, [(0, 0, 8192), (0, 1, 16384), (1, 0, 12288)]);
        assert_eq!(program.len(), 0);
    }

    #[test]
    fn a_new_program_begins_after_all_of_the_last() {
        let mut program = Program::default();
        program.push(op(&[0], &[1]));
        program.drain(1, |_| ());
        program.push(op(&[1], &[2]));
        assert_eq!(program.ops[0].0, 0);
    }

    #[test]
    fn an_operator_is_as_long_as_the_kernels_think() {
        assert_eq!(size_of::<Op>(), 256);
    }
}
