//! Phases, merging, passing and following.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::cuda::arena::Place;
use crate::cuda::draft::Words;

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
    program.ops.iter().map(|op| op.phase).collect()
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
fn operators_that_are_pushed_together_run_where_another_takes_long() {
    let mut program = Program::default();
    let long = Draft { cycles: 30_000, ..op(&[3], &[4]) };
    [op(&[0], &[1]), op(&[1], &[2]), op(&[2], &[3]), long, op(&[4], &[5])]
        .into_iter()
        .for_each(|draft| program.push(draft));
    let sums = vec![op(&[0], &[6]), op(&[0], &[7])];
    let read = |block| Access { block, words: Words::all(0..1000), write: false };
    program.push_together(sums.clone(), &[read(2)]);
    // What they read is overwritten later, and what they wrote is read.
    program.push(op(&[8], &[2]));
    program.push(op(&[7], &[9]));
    let found: Vec<_> = program.ops.iter().map(|op| op.phase).collect();
    assert_eq!(found, [0, 1, 2, 3, 4, 3, 3, 4, 4]);
    // They wait for what they read in any case.
    program.push_together(sums, &[read(5)]);
    assert_eq!(program.ops.last().map(|op| op.phase), Some(5));
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
fn columns_of_a_matrix_are_written_side_by_side() {
    let columns = |from: u32, first: usize, n: usize| {
        let words = Words::of_rows(first, 10, n, 40);
        Draft::new(Code::ProductSmall).reads(0, block(from), 0..10).touches(
            8,
            block(9),
            words,
            true,
        )
    };
    let drafts = [columns(0, 0, 20), columns(1, 20, 10), columns(2, 30, 10), columns(2, 10, 20)];
    let elsewhere = Draft::new(Code::Move).reads(0, block(9), 41..50).writes(1, block(3), 0..9);
    assert_eq!(phases(drafts.into_iter().chain([elsewhere])), [0, 0, 0, 1, 2]);
}

#[test]
fn operators_leave_by_phase_and_are_spread_over_blocks() {
    let mut program = Program::default();
    for draft in [op(&[0], &[1]), op(&[1], &[2]), op(&[0], &[3])] {
        program.push(draft);
    }
    assert_eq!(program.n_tiles(), 6);
    let mut left = Vec::new();
    let turns = read(program.drain(3, |op| left.push(op.pointers[8])));
    assert_eq!(left, [8192, 16384, 12288]);
    // A thousand values are two tiles; operator, tile, and after how many blocks have finished a
    // phase. The second phase begins when all three have finished the first. Nobody needs the second
    // operator, so what has no room in the first phase is done later.
    assert_eq!(turns, [[(0, 0, 0), (1, 1, 3)], [(0, 1, 0), (2, 0, 3)], [(1, 0, 0), (2, 1, 3)]]);
    assert_eq!((program.len(), program.n_tiles()), (0, 0));
}

#[test]
fn long_tiles_are_shared_out_first_and_short_ones_go_where_there_is_least_to_do() {
    let mut program = Program::default();
    let short = op(&[0], &[1]).tiles(3, 1);
    let long = Draft { cycles: 4 * short.cycles, ..op(&[0], &[2]).tiles(2, 1) };
    for draft in [short, long, op(&[1, 2], &[3]).tiles(1, 1)] {
        program.push(draft);
    }
    let turns = read(program.drain(3, |_| ()));
    // Which of the three has the turn of the last phase does not matter here.
    let of_first_phase = |turns: &Vec<(usize, u32, u32)>| {
        let turns = turns.iter().filter(|(.., after)| *after == 0);
        turns.map(|&(op, tile, _)| (op, tile)).collect::<Vec<_>>()
    };
    let found: Vec<_> = turns.iter().map(of_first_phase).collect();
    assert_eq!(found, [&[(1, 0)][..], &[(1, 1)], &[(0, 0), (0, 1), (0, 2)]]);
}

#[test]
fn blocks_without_a_part_in_a_phase_are_not_waited_for() {
    let mut program = Program::default();
    for draft in [op(&[0], &[1]), op(&[1], &[2]), op(&[2], &[3])] {
        program.push(draft);
    }
    let turns = read(program.drain(5, |_| ()));
    assert_eq!(turns.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 0, 0, 0]);
    assert_eq!(turns[0].iter().map(|(.., after)| *after).collect::<Vec<_>>(), [0, 2, 4]);
}

/// The turns of every block as the kernels read them: operator, tile, and after how many.
fn read(turns: &Turns) -> Vec<Vec<(usize, u32, u32)>> {
    let mut all = vec![Turn::default(); turns.len()];
    turns.write(&mut all);
    let parts = |turn: &Turn| ((turn.tile >> 22) as usize, turn.tile & 0x3f_ffff, turn.after);
    let list = |[start, count]: [u32; 2]| {
        assert!(start.is_multiple_of(2), "two are copied at a time");
        all[start as usize..(start + count) as usize].iter().map(parts).collect()
    };
    turns.lists().map(list).collect()
}

/// What is known when a tile of an operator runs.
struct Seen<'a> {
    op: usize,
    /// Whether another operator has begun, or the same tile of it.
    begun: &'a dyn Fn(usize) -> bool,
    tile_begun: &'a dyn Fn(usize) -> bool,
    /// Whether another's results can be read, or what the same tile of it wrote.
    done: &'a dyn Fn(usize) -> bool,
    tile_done: &'a dyn Fn(usize) -> bool,
}

/// Runs all turns, blocks in any order that they allow.
fn simulate(
    turns: &[Vec<(usize, u32, u32)>],
    ops: &[Op],
    mut random: u64,
    see: impl Fn(&Seen<'_>),
) {
    let mut arrived = 0;
    let mut next = vec![0; turns.len()];
    let (mut begun, mut done) = (vec![false; ops.len()], vec![0; ops.len()]);
    let mut unpublished: Vec<Vec<usize>> = vec![Vec::new(); turns.len()];
    // Blocks, operators and tiles.
    let mut ran = HashSet::new();
    loop {
        let can = |block: &usize| {
            turns[*block].get(next[*block]).is_some_and(|(.., after)| arrived >= *after)
        };
        let able: Vec<usize> = (0..turns.len()).filter(can).collect();
        if able.is_empty() {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let block = able[(random >> 33) as usize % able.len()];
        let (op, tile, _) = turns[block][next[block]];
        next[block] += 1;
        // The block's last one of a phase.
        let ends = turns[block].get(next[block]).is_none_or(|(.., after)| *after > 0);
        assert!(tile < ops[op].tiles);
        see(&Seen {
            op,
            begun: &|other| begun[other],
            tile_begun: &|other| (0..turns.len()).any(|any| ran.contains(&(any, other, tile))),
            done: &|other| done[other] == ops[other].tiles,
            tile_done: &|other| ran.contains(&(block, other, tile)),
        });
        begun[op] = true;
        ran.insert((block, op, tile));
        unpublished[block].push(op);
        if ends {
            unpublished[block].drain(..).for_each(|op| done[op] += 1);
            arrived += 1;
        }
    }
    assert!(done.iter().zip(ops).all(|(done, op)| *done == op.tiles), "nobody waits for ever");
}

/// All words that are touched.
fn words(access: &Access) -> impl Iterator<Item = u32> {
    let Words { start, end, columns: [columns, apart] } = access.words;
    (start..end).filter(move |at| apart == 0 || (at - start) % apart < columns)
}

/// A few words of a few blocks, read and written by all kinds of operators.
fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    let place = || (0u32..6, 0usize..3);
    let one = (0usize..5, place(), place(), (0u32..6, 0usize..5), 1usize..6, any::<bool>());
    let draft = one.prop_map(|(kind, a, b, to, tiles, swap)| {
        let words = |(_, part): (u32, usize)| [0..50, 50..100, 0..100][part].clone();
        let written = match to.1 {
            3 => Words::of_rows(0, 5, 12, 20),
            4 => Words::of_rows(12, 3, 8, 20),
            _ => Words::all(words(to)),
        };
        let codes = [
            Code::Unary,
            Code::ProductSmall,
            Code::ProductMedium,
            Code::BatchNorm,
            Code::LayerNorm,
        ];
        // Half of them read what the others write; products can be merged.
        let [from, target] = if swap { [10, 0] } else { [0, 10] };
        let draft = Draft::new(codes[kind])
            .reads(0, block(from + a.0), words(a))
            .reads(1, block(from + b.0), words(b))
            .touches(8, block(target + to.0), written, true)
            .numbers(0, [30, 30, 30, 1])
            .numbers(20, [10, 20, 20, 1, 1])
            .tiles(tiles, 1);
        match kind {
            3 => draft.by_columns(5, 20),
            4 => draft.by_rows(20),
            _ => draft,
        }
    });
    proptest::collection::vec(draft, 1..40)
}

fn conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|x| {
        let same = |y: &&Access| x.block == y.block && (x.write || y.write);
        b.iter().filter(same).any(|y| words(x).any(|word| words(y).any(|other| word == other)))
    })
}

/// Which operators are pushed together with the next, if they can, and what both read besides.
fn together() -> impl Strategy<Value = BTreeMap<usize, Vec<Access>>> {
    let read = (0u32..16, 0u32..50).prop_map(|(block, start)| {
        let words = Words::all(start as usize..start as usize + 50);
        Access { block, words, write: false }
    });
    proptest::collection::btree_map(0usize..40, proptest::collection::vec(read, 0..4), 0..4)
}

proptest! {
    #[test]
    fn operators_run_after_what_they_need(
        drafts in drafts(),
        together in together(),
        n_blocks in 1usize..6,
        random: u64,
    ) {
        let mut program = Program::default();
        // All that each draft touches; which operator it became, or became a part of; and whom it
        // follows.
        let mut touched: Vec<Vec<Access>> = drafts.iter().map(|draft| draft.accesses.clone()).collect();
        let (mut became, mut leaders) = (Vec::new(), Vec::new());
        while became.len() < drafts.len() {
            let number = became.len();
            let numbered = |number: usize| drafts[number].clone().constant(13, number as u64);
            if let Some(reads) = together.get(&number) {
                let apart = |next: &usize| *next < drafts.len() && !conflict(&touched[number], &touched[*next]);
                let members: Vec<_> = [number].into_iter().chain(Some(number + 1).filter(apart)).collect();
                let of_others = |read: &&Access| members.iter().all(|&member| !conflict(&touched[member], &[**read]));
                let reads: Vec<_> = reads.iter().filter(of_others).copied().collect();
                leaders.extend((program.ops.len()..).take(members.len()));
                program.push_together(members.iter().map(|&member| numbered(member)).collect(), &reads);
                for member in members {
                    became.push(member as u64);
                    // As if each of them read all of it: the others are not later anyway.
                    touched[member].extend(&reads);
                }
                continue;
            }
            let seen = |op: &Scheduled| (op.draft.op.numbers[24], op.followers.len());
            let before: Vec<_> = program.ops.iter().map(seen).collect();
            program.push(numbered(number));
            let changed = before.iter().zip(&program.ops).position(|(before, op)| *before != seen(op));
            let leader = changed.unwrap_or(before.len());
            let merged = changed.is_some_and(|op| before[op].0 != seen(&program.ops[op]).0);
            let of = |leader: usize| program.ops[leader].draft.op.pointers[13];
            became.push(if merged { of(leader) } else { number as u64 });
            leaders.push(leader);
        }
        prop_assert_eq!(program.n_tiles(), program.ops.iter().map(Scheduled::n_tiles).sum::<usize>());
        let mut ops = Vec::new();
        let turns = read(program.drain(n_blocks, |op| ops.push(op)));
        let place = |draft: usize| {
            ops.iter().position(|op| op.pointers[13] == became[draft]).expect("it is there")
        };
        // Pairs of operators of which the first must be done before the second begins, or the same
        // tile of it.
        let mut before = Vec::new();
        for (j, b) in touched.iter().enumerate() {
            for (i, a) in touched[..j].iter().enumerate() {
                if became[i] != became[j] && conflict(a, b) {
                    before.push((place(i), place(j), leaders[i] == leaders[j]));
                }
            }
        }
        simulate(&turns, &ops, random, |seen| {
            for &(first, second, follows) in &before {
                let (done, begun) =
                    if follows { (seen.tile_done, seen.tile_begun) } else { (seen.done, seen.begun) };
                assert!(second != seen.op || done(first), "{first} is done before {second}");
                assert!(first != seen.op || !begun(second), "{second} has not begun before {first}");
            }
        });
    }
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
        [product([0, 1], 9, false), op(&[4], &[3]), product([2, 3], 9, true), op(&[9], &[5])];
    drafts.into_iter().for_each(|draft| program.push(draft));
    let found: Vec<_> = program.ops.iter().map(|op| (op.phase, op.draft.op.code)).collect();
    // The first waits until the operands of the second are there.
    assert_eq!(found, [(1, Code::ProductSmall), (0, Code::Unary), (2, Code::Unary)]);
    let merged = &program.ops[0].draft.op;
    // Only the first has a second operand that is there when the program begins.
    assert_eq!([17, 24, 28].map(|i| merged.numbers[i]), [0b01, 2, 0b10]);
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
    assert_eq!((program.len(), program.ops[0].draft.op.pointers[12]), (1, block(3).address));
    // Whoever has read the gradient has not seen it passed.
    assert_eq!(phases([product([0, 1], 9, false), op(&[9], &[5]), relu(3, 9)]), [0, 1, 2]);
}

/// A norm of 40 columns of 10 rows, in tiles that could be its own.
fn norm(from: &[u32], to: u32) -> Draft {
    Draft { grain: None, ..op(from, &[to]) }.numbers(0, [10, 40]).by_columns(10, 40)
}

#[test]
fn tiles_of_the_same_columns_follow_each_other_on_a_block() {
    let mut program = Program::default();
    // What the second reads beside the first one's result was there before.
    let drafts = [op(&[0], &[1]), norm(&[1], 2), norm(&[2, 1], 3), op(&[3], &[4])];
    drafts.into_iter().for_each(|draft| program.push(draft));
    let found: Vec<_> = program.ops.iter().map(|op| (op.phase, op.followers.len())).collect();
    assert_eq!(found, [(0, 0), (1, 1), (2, 0)]);
    assert_eq!((program.len(), program.n_tiles()), (4, 2 + 10 + 10 + 2));
    let turns = read(program.drain(10, |_| ()));
    assert_eq!(turns[9], [(1, 9, 2), (2, 9, 0)]);
}

#[test]
fn tiles_of_other_columns_or_rows_wait_for_the_next_phase() {
    let other = Draft { grain: None, ..norm(&[2], 3) };
    assert_eq!(phases([norm(&[1], 2), other.clone().by_columns(10, 20)]), [0, 1]);
    assert_eq!(phases([norm(&[1], 2), other.clone().by_rows(40)]), [0, 1]);
    assert_eq!(phases([norm(&[1], 2), other.by_columns(641, 40)]), [0, 1]);
    // Of two operators only one could be followed.
    assert_eq!(phases([norm(&[1], 2), norm(&[1], 3), norm(&[2, 3], 4)]), [0, 0, 1]);
    assert_eq!(phases([norm(&[1], 2), op(&[4], &[3]), norm(&[2, 3], 5)]), [0, 0, 1]);
    // Both would be more tiles than a program has.
    let many = |from, to| op(&[from], &[to]).by_rows(8 * MOST_TILES / 2 + 1);
    assert_eq!(phases([many(1, 2), many(2, 3)]), [0, 1]);
    // Somebody may still read what it overwrites.
    assert_eq!(phases([norm(&[1], 2), op(&[3], &[4]), norm(&[2], 3)]), [0, 0, 1]);
}

#[test]
fn a_new_program_begins_after_all_of_the_last() {
    let mut program = Program::default();
    program.push(op(&[0], &[1]));
    program.drain(1, |_| ());
    program.push(op(&[1], &[2]));
    assert_eq!(program.ops[0].phase, 0);
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
