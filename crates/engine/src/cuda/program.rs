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
    ProductMedium,
    ProductLarge,
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
    Spread,
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

impl Code {
    fn is_product(self) -> bool {
        matches!(self, Self::ProductSmall | Self::ProductMedium | Self::ProductLarge)
    }

    /// Whether it can set results to 0 where an activated result is not positive.
    fn can_pass(self) -> bool {
        self.is_product() || self == Self::LayerNormInput
    }
}

/// An operator as the kernels read it (`prelude.cu`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Op {
    code: Code,
    tiles: u32,
    first: u32,
    barrier: u32,
    pointers: [u64; 14],
    numbers: [u32; 32],
}

/// Words of a block that an operator touches.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Access {
    block: u32,
    start: u64,
    end: u64,
    write: bool,
}

/// An operator being described.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    op: Op,
    accesses: [Access; MAX_ACCESSES],
    n_accesses: usize,
}

const MAX_ACCESSES: usize = 18;
/// Parts of a product.
const MAX_PARTS: usize = 4;
/// As the kernels count functions.
const RELU: u32 = 1;

/// Values of a tile of simple work, when there is little or much of it.
const SPANS: [usize; 2] = [512, 2048];
/// Much.
const MANY_VALUES: usize = 1 << 17;

impl Draft {
    pub(super) fn new(code: Code) -> Self {
        let op = Op { code, tiles: 1, first: 0, barrier: 0, pointers: [0; 14], numbers: [0; 32] };
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

    /// The same on rows, of which the kernels find number and column.
    pub(super) fn rows(self, rows: usize, columns: usize) -> Self {
        self.divisor(columns).values(rows * columns)
    }

    /// Lets the kernels divide numbers of 31 bits by a multiplication (Granlund and Montgomery
    /// 1994).
    pub(super) fn divisor(self, divisor: usize) -> Self {
        let divisor = divisor.max(1);
        let shift = divisor.next_power_of_two().ilog2() as usize;
        let factor = (((1 << shift) - divisor) << 32) / divisor + 1;
        self.numbers(29, [factor, shift])
    }

    /// The same in large tiles, however many there are.
    pub(super) fn many_values(mut self, count: usize) -> Self {
        self.op.numbers[31] = SPANS[1] as u32;
        self.tiles(count, SPANS[1])
    }

    fn accesses(&self) -> &[Access] {
        &self.accesses[..self.n_accesses]
    }

    pub(super) fn n_tiles(&self) -> usize {
        self.op.tiles as usize
    }

    pub(super) fn op(&self) -> &Op {
        &self.op
    }
}

/// When the words of a block were last touched in this program, and by which operator.
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
    op: u32,
}

impl History {
    /// The first phase in which an access is right.
    fn earliest(&self, access: &Access) -> u32 {
        let conflicts = self.touched.iter().filter(|touch| {
            (touch.write || access.write) && touch.start < access.end && access.start < touch.end
        });
        conflicts.map(|touch| touch.phase + 1).max().unwrap_or(0)
    }

    fn remember(&mut self, access: &Access, phase: u32, op: u32) {
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
        self.touched.push(Touch { start, end, phase, write, op });
    }

    /// The operator that wrote exactly these words, if nobody has touched the block since.
    fn only_writer(&self, access: &Access) -> Option<usize> {
        match &self.touched[..] {
            [touch] if touch.write && (touch.start, touch.end) == (access.start, access.end) => {
                Some(touch.op as usize)
            }
            _ => None,
        }
    }
}

/// Operators and when they run.
#[derive(Debug, Default)]
pub(super) struct Program {
    ops: Vec<(u32, Draft)>,
    n_phases: u32,
    histories: Vec<History>,
    number: u64,
}

impl Program {
    pub(super) fn push(&mut self, draft: Draft) {
        if self.pass(&draft) || self.merge(&draft) {
            return;
        }
        let phase = self.earliest(draft.accesses());
        self.remember(draft.accesses(), phase, self.ops.len());
        self.ops.push((phase, draft));
    }

    /// Lets the operator that wrote a gradient also pass it through an activation.
    fn pass(&mut self, draft: &Draft) -> bool {
        let [result, before, gradient] = *draft.accesses() else { return false };
        if draft.op.code != Code::UnaryGradient
            || draft.op.numbers[1..3] != [RELU, 0]
            || before != (Access { write: false, ..gradient })
        {
            return false;
        }
        let Some(writer) = self.history(gradient.block).only_writer(&gradient) else {
            return false;
        };
        let (phase, op) = (self.ops[writer].0, &self.ops[writer].1.op);
        // A product's result must fill its rows, as the activated one does.
        let whole = !op.code.is_product() || op.numbers[22] == op.numbers[21];
        let can = op.code.can_pass()
            && op.pointers[12] == 0
            && whole
            && self.ops[writer].1.accesses().last() == Some(&gradient);
        if !can || self.history(result.block).earliest(&result) > phase {
            return false;
        }
        let writer_draft = &mut self.ops[writer].1;
        writer_draft.op.pointers[12] = draft.op.pointers[0];
        writer_draft.op.numbers[27] = writer_draft.op.numbers[21];
        writer_draft.accesses[writer_draft.n_accesses] = result;
        writer_draft.n_accesses += 1;
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
        let (to, operands) = draft.accesses().split_last().expect("a product has a result");
        let Some(first) = self.history(to.block).only_writer(to) else { return false };
        let (phase, other) = (self.ops[first].0, &self.ops[first].1);
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
        // If the first has to wait, what it reads must still be there.
        let theirs = other.accesses[..other.n_accesses - 1].to_vec();
        let later = self.earliest(operands).max(phase);
        let kept = |access: &Access| {
            let history = &self.histories[access.block as usize];
            history.earliest(&Access { write: false, ..*access }) <= phase
        };
        if later > phase && !theirs.iter().all(kept) {
            return false;
        }
        let (phase, other) = &mut self.ops[first];
        *phase = later;
        other.op.pointers[2 * at..2 * (at + parts)].copy_from_slice(&op.pointers[..2 * parts]);
        other.op.numbers[4 * at..4 * (at + parts)].copy_from_slice(&op.numbers[..4 * parts]);
        other.op.numbers[24] += parts as u32;
        other.op.numbers[28] |= op.numbers[28] << at | 1 << at;
        // The result stays the last access.
        let end = other.n_accesses - 1;
        other.accesses[end..end + operands.len()].copy_from_slice(operands);
        other.accesses[end + operands.len()] = *to;
        other.n_accesses += operands.len();
        let all = other.accesses().to_vec();
        self.remember(&all, later, first);
        true
    }

    fn history(&mut self, block: u32) -> &mut History {
        let block = block as usize;
        if self.histories.len() <= block {
            self.histories.resize_with(block + 1, History::default);
        }
        let history = &mut self.histories[block];
        if history.program != self.number {
            history.program = self.number;
            history.touched.clear();
        }
        history
    }

    fn earliest(&mut self, accesses: &[Access]) -> u32 {
        accesses.iter().map(|access| self.history(access.block).earliest(access)).max().unwrap_or(0)
    }

    fn remember(&mut self, accesses: &[Access], phase: u32, op: usize) {
        for access in accesses {
            self.history(access.block).remember(access, phase, op as u32);
        }
        self.n_phases = self.n_phases.max(phase + 1);
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
            let (phase, mut op) = (self.ops[i as usize].0, self.ops[i as usize].1.op);
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
        // A thousand values are two tiles.
        assert_eq!(left, [(0, 0, 8192), (0, 2, 16384), (1, 0, 12288)]);
        assert_eq!(program.len(), 0);
    }

    /// A product of 10 x 20 numbers and its result.
    fn product(from: [u32; 2], to: u32, add: bool) -> Draft {
        Draft::new(Code::ProductSmall)
            .reads(0, block(from[0]), 0..300)
            .reads(1, block(from[1]), 0..600)
            .numbers(0, [30, 30, 30, 1])
            .numbers(20, [10, 20, 20, usize::from(add), 1])
            .writes(8, block(to), 0..200)
    }

    #[test]
    fn a_product_added_to_another_becomes_its_part() {
        let mut program = Program::default();
        let drafts =
            [product([0, 1], 9, false), op(&[4], &[2]), product([2, 3], 9, true), op(&[9], &[5])];
        drafts.into_iter().for_each(|draft| program.push(draft));
        let found: Vec<_> =
            program.ops.iter().map(|(phase, draft)| (*phase, draft.op.code)).collect();
        // The first waits until the operands of the second are there.
        assert_eq!(found, [(1, Code::ProductSmall), (0, Code::Unary), (2, Code::Unary)]);
        let merged = &program.ops[0].1.op;
        assert_eq!((merged.numbers[24], merged.numbers[28]), (2, 0b10));
        assert_eq!(merged.pointers[..4], [0, 1, 2, 3].map(|i| block(i).address));
    }

    #[test]
    fn a_product_does_not_wait_for_operands_that_are_overwritten() {
        let overwritten = [product([0, 1], 9, false), op(&[4], &[0]), op(&[0], &[2])];
        let last = product([2, 3], 9, true);
        assert_eq!(phases(overwritten.into_iter().chain([last])), [0, 1, 2, 3]);
    }

    #[test]
    fn an_activation_is_passed_by_who_wrote_the_gradient() {
        let relu = |result: u32, gradient: u32| {
            Draft::new(Code::UnaryGradient)
                .reads(0, block(result), 0..200)
                .reads(1, block(gradient), 0..200)
                .writes(2, block(gradient), 0..200)
                .numbers(0, [200, 1, 0])
        };
        let mut program = Program::default();
        program.push(product([0, 1], 9, false));
        program.push(relu(3, 9));
        assert_eq!((program.len(), program.ops[0].1.op.pointers[12]), (1, block(3).address));
        // Whoever has read the gradient has not seen it passed.
        assert_eq!(phases([product([0, 1], 9, false), op(&[9], &[5]), relu(3, 9)]), [0, 1, 2]);
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
    fn divisions_are_exact() {
        for divisor in [1, 2, 3, 5, 127, 128, 129, 384, 385, 1100, 65_535, 1 << 20] {
            let op = Draft::new(Code::Fill).divisor(divisor).op;
            let (factor, shift) = (u64::from(op.numbers[29]), op.numbers[30]);
            let divided = |i: u64| ((((i * factor) >> 32) + i) >> shift) as usize;
            for i in (0..40_000).chain((1 << 31) - 40_000..1 << 31) {
                assert_eq!(divided(i), i as usize / divisor, "{i} / {divisor}");
            }
        }
    }

    #[test]
    fn an_operator_is_as_long_as_the_kernels_think() {
        assert_eq!(size_of::<Op>(), 256);
    }
}
