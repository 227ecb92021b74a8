//! Phases, merging and passing.

use super::*;
use crate::cuda::arena::Place;

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
    assert_eq!(phases([part(0, 0), part(1, 10), part(2, 30), part(2, 5), all]), [0, 0, 0, 1, 2]);
}

#[test]
fn operators_leave_by_phase_and_are_spread_over_blocks() {
    let mut program = Program::default();
    for draft in [op(&[0], &[1]), op(&[1], &[2]), op(&[0], &[3])] {
        program.push(draft);
    }
    assert_eq!(program.n_tiles(), 6);
    let mut left = Vec::new();
    let turns = program.drain(3, |op| left.push((op.after, op.pointers[8])));
    // The second phase begins when all three blocks have finished the first.
    assert_eq!(left, [(0, 8192), (0, 16384), (3, 12288)]);
    // A thousand values are two tiles; operator, tile, whether the block waits, whether it ends.
    let read = |turn: &u32| (turn >> 22, turn << 10 >> 12, turn & 1 == 1, turn & 2 == 2);
    let turns: Vec<Vec<_>> = turns.iter().map(|turns| turns.iter().map(read).collect()).collect();
    let first = [(0, 0, false, false), (1, 1, false, true), (2, 0, true, true)];
    let second = [(0, 1, false, true), (2, 1, true, true)];
    assert_eq!(turns, [&first[..], &second[..], &[(1, 0, false, true)]]);
    assert_eq!((program.len(), program.n_tiles()), (0, 0));
}

#[test]
fn blocks_without_a_part_in_a_phase_are_not_waited_for() {
    let mut program = Program::default();
    for draft in [op(&[0], &[1]), op(&[1], &[2]), op(&[2], &[3])] {
        program.push(draft);
    }
    let mut afters = Vec::new();
    let turns = program.drain(5, |op| afters.push(op.after));
    assert_eq!(turns.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 0, 0, 0]);
    assert_eq!(afters, [0, 2, 4]);
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
    let found: Vec<_> = program.ops.iter().map(|(phase, draft)| (*phase, draft.op.code)).collect();
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
    let _ = program.drain(1, |_| ());
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
