//! Operators that are one with the one before them: what that one writes, they need not read.
//!
//! A layer norm and the gates of a unit share rows (`rows.cu`); a batch norm shares columns with what
//! makes its rows and with what takes them (`columns.cu`).

use super::super::draft::{Code, FEW_ROWS, Op};

/// Columns of which a warp has a row, a pack each thread.
const COLUMNS: u32 = 128;
/// What else a batch norm does, as the kernels count.
const BEFORE: u32 = 1;
const BEHIND: u32 = 2;
/// The reduction that can be joined.
const MAX: u32 = 0;

/// Makes an operator do what the next one does with its result too, if it can.
pub(super) fn join(op: &mut Op, next: &Op) -> bool {
    let joined = match (op.code, next.code) {
        (Code::GruGates, Code::LayerNorm) => gates_and_norm(op, next),
        (Code::LayerNormInput, Code::GruGatesGradient) => norm_and_gates(op, next),
        (Code::Messages, Code::BatchNorm) => messages_and_norm(op, next),
        (Code::BatchNorm, Code::SegmentReduce) => norm_and_maxima(op, next),
        (Code::SegmentReduceGradient, Code::BatchNormGradient) => maxima_and_norm(op, next),
        (Code::BatchNormGradient, Code::MessagesEnds) => norm_and_ends(op, next),
        _ => None,
    };
    if let Some(joined) = joined {
        *op = joined;
    }
    joined.is_some()
}

/// With pointers of another operator from `from` on in the places from `to` on, which must be free.
fn with(op: &Op, other: &Op, moved: &[(usize, usize)]) -> Option<Op> {
    let free = moved.iter().all(|(_, to)| op.pointers[*to] == 0);
    let mut joined = *op;
    for &(from, to) in moved {
        joined.pointers[to] = other.pointers[from];
    }
    free.then_some(joined)
}

/// Whether rows of a warp are the same in both.
fn same_rows(op: &Op, next: &Op) -> bool {
    op.numbers[..2] == next.numbers[..2] && op.numbers[1] == COLUMNS
}

fn gates_and_norm(op: &Op, next: &Op) -> Option<Op> {
    let can = same_rows(op, next) && op.pointers[2] == next.pointers[0];
    can.then(|| with(op, next, &[(1, 4), (2, 5), (3, 6), (4, 7)]))?
}

fn norm_and_gates(op: &Op, next: &Op) -> Option<Op> {
    let can = same_rows(op, next) && op.pointers[4] == next.pointers[2];
    let mut joined = can.then(|| with(op, next, &[(0, 5), (1, 6), (3, 7), (4, 8)]))??;
    // Whether what the gates give is added.
    joined.numbers[3] = next.numbers[2];
    Some(joined)
}

/// A norm that does `what` else for so many nodes, in the tiles of both.
fn norm_with(mut norm: Op, tiles: u32, nodes: u32, what: u32) -> Option<Op> {
    let few = [norm.numbers[0], nodes].into_iter().all(|count| count as usize <= FEW_ROWS);
    let can = few && norm.numbers[7] == 0;
    norm.tiles = tiles;
    norm.numbers[6] = nodes;
    norm.numbers[7] = what;
    can.then_some(norm)
}

fn messages_and_norm(op: &Op, next: &Op) -> Option<Op> {
    let [first, entries, columns, relu] = [0, 1, 2, 3].map(|i| op.numbers[i]);
    let [source, target, bias] = [0, 1, 4].map(|i| op.pointers[i]);
    let can = [entries, columns] == next.numbers[..2]
        && op.pointers[7] == next.pointers[0]
        && source != 0
        && target != 0
        && bias == 0;
    let moved = [(0, 7), (1, 8), (2, 9), (3, 10), (5, 11), (6, 12)];
    let mut joined = can.then(|| with(next, op, &moved))??;
    joined.numbers[3..5].copy_from_slice(&[relu, first]);
    norm_with(joined, op.tiles, 0, BEFORE)
}

fn norm_and_maxima(op: &Op, next: &Op) -> Option<Op> {
    let can = op.numbers[1] == next.numbers[1]
        && op.pointers[5] == next.pointers[0]
        && next.pointers[1] != 0
        && next.numbers[3] == MAX;
    let joined = can.then(|| with(op, next, &[(1, 7), (2, 8), (3, 9)]))??;
    norm_with(joined, op.tiles, next.numbers[0], BEHIND)
}

fn maxima_and_norm(op: &Op, next: &Op) -> Option<Op> {
    let [nodes, columns, _, reduction, add] = [0, 1, 2, 3, 4].map(|i| op.numbers[i]);
    let can = columns == next.numbers[1]
        && op.pointers[3] == next.pointers[4]
        && op.pointers[1] != 0
        && [reduction, add] == [MAX, 0];
    let joined = can.then(|| with(next, op, &[(0, 8), (1, 9), (2, 10)]))??;
    norm_with(joined, op.tiles, nodes, BEFORE)
}

fn norm_and_ends(op: &Op, next: &Op) -> Option<Op> {
    let can = op.numbers[1] == next.numbers[1] && op.pointers[5] == next.pointers[2];
    let joined = can.then(|| with(op, next, &[(0, 8), (1, 9), (3, 10), (4, 11)]))??;
    norm_with(joined, op.tiles, next.numbers[0], BEHIND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::draft::Draft;

    fn op<const N: usize, const M: usize>(
        code: Code,
        numbers: [usize; N],
        pointers: [u64; M],
    ) -> Op {
        let draft = pointers
            .into_iter()
            .zip(0..)
            .fold(Draft::new(code), |draft, (address, i)| draft.constant(i, address));
        *draft.numbers(0, numbers).tiles(96, 1).op
    }

    #[test]
    fn a_unit_norms_its_result() {
        let mut gates = op(Code::GruGates, [72, 128], [10, 11, 12, 13, 0]);
        assert!(join(&mut gates, &op(Code::LayerNorm, [72, 128], [12, 20, 21, 22, 23])));
        assert_eq!(gates.pointers[..9], [10, 11, 12, 13, 20, 21, 22, 23, 0]);
        assert_eq!(gates.numbers[..4], [72, 128, 0, 0]);
    }

    #[test]
    fn a_norm_passes_its_gradient_through_the_gates() {
        let mut norm = op(Code::LayerNormInput, [72, 128], [10, 11, 12, 13, 14]);
        let gates = op(Code::GruGatesGradient, [72, 128, 1], [20, 21, 14, 22, 23]);
        assert!(join(&mut norm, &gates));
        assert_eq!(norm.pointers[..10], [10, 11, 12, 13, 14, 20, 21, 22, 23, 0]);
        assert_eq!(norm.numbers[..4], [72, 128, 0, 1]);
    }

    #[test]
    fn operators_stay_apart_where_a_warp_has_no_whole_row_or_results_are_others() {
        let gates = |columns| op(Code::GruGates, [72, columns], [10, 11, 12, 13, 0]);
        let norm = |columns, x| op(Code::LayerNorm, [72, columns], [x, 20, 21, 22, 23]);
        assert!(!join(&mut gates(64), &norm(64, 12)));
        assert!(!join(&mut gates(128), &norm(128, 10)));
        assert!(!join(&mut norm(128, 12), &gates(128)));
        let mut once = gates(128);
        assert!(join(&mut once, &norm(128, 12)) && !join(&mut once, &norm(128, 12)));
    }

    /// Of 300 entries and 60 nodes, with 384 columns.
    fn messages(bias: u64) -> Op {
        op(Code::Messages, [7, 300, 384, 1], [10, 11, 12, 13, bias, 15, 16, 17])
    }

    fn norm(rows: usize) -> Op {
        op(Code::BatchNorm, [rows, 384, 1], [17, 21, 22, 23, 24, 25, 26])
    }

    fn maxima(reduction: usize) -> Op {
        op(Code::SegmentReduce, [60, 384, 0, reduction], [25, 31, 32, 33])
    }

    #[test]
    fn a_batch_norm_makes_its_messages_or_takes_maxima() {
        let mut first = messages(0);
        assert!(join(&mut first, &norm(300)));
        assert_eq!((first.code, first.tiles), (Code::BatchNorm, 96));
        assert_eq!(first.pointers[..14], [17, 21, 22, 23, 24, 25, 26, 10, 11, 12, 13, 15, 16, 0]);
        assert_eq!(first.numbers[..8], [300, 384, 1, 1, 7, 0, 0, BEFORE]);
        // Not both.
        assert!(!join(&mut first, &maxima(0)));
        let mut second = norm(300);
        assert!(join(&mut second, &maxima(0)));
        assert_eq!(second.pointers[..11], [17, 21, 22, 23, 24, 25, 26, 31, 32, 33, 0]);
        assert_eq!(second.numbers[..8], [300, 384, 1, 0, 0, 0, 60, BEHIND]);
    }

    #[test]
    fn the_gradient_of_a_batch_norm_begins_with_maxima_or_ends_with_messages() {
        let gradient =
            op(Code::BatchNormGradient, [300, 384, 0, 0, 1, 1], [40, 41, 42, 43, 44, 45, 46, 47]);
        let maxima = |add| op(Code::SegmentReduceGradient, [60, 384, 0, 0, add], [50, 51, 52, 44]);
        let mut first = maxima(0);
        assert!(join(&mut first, &gradient));
        assert_eq!((first.code, first.tiles), (Code::BatchNormGradient, 96));
        assert_eq!(first.pointers[..12], [40, 41, 42, 43, 44, 45, 46, 47, 50, 51, 52, 0]);
        assert_eq!(first.numbers[..8], [300, 384, 0, 0, 1, 1, 60, BEFORE]);
        assert!(!join(&mut maxima(1), &gradient), "something is there already");
        let ends = op(Code::MessagesEnds, [60, 384], [60, 61, 45, 63, 64]);
        assert!(!join(&mut first, &ends));
        let mut second = gradient;
        assert!(join(&mut second, &ends));
        assert_eq!(second.pointers[..13], [40, 41, 42, 43, 44, 45, 46, 47, 60, 61, 63, 64, 0]);
        assert_eq!(second.numbers[..8], [300, 384, 0, 0, 1, 1, 60, BEHIND]);
    }

    #[test]
    fn norms_stay_apart_from_other_messages_sums_and_many_rows() {
        assert!(!join(&mut messages(14), &norm(300)), "a bias");
        assert!(!join(&mut messages(0), &norm(299)), "other rows");
        assert!(!join(&mut norm(300), &maxima(1)), "sums");
        assert!(!join(&mut norm(641), &maxima(0)), "more rows than a block has");
    }
}
