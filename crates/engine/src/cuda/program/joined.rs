//! Operators on rows that are one with the one before them: what that one writes, they need not read.

use super::super::draft::{Code, Op};

/// Columns of which a warp has a row, a pack each thread.
const COLUMNS: u32 = 128;

/// Makes an operator do what the next one does with its result too, if it can (`rows.cu`).
pub(super) fn join(op: &mut Op, next: &Op) -> bool {
    // Where the result is in both, and what else the next one needs, and where that goes.
    let (result, moved): (_, &[(usize, usize)]) = match (op.code, next.code) {
        (Code::GruGates, Code::LayerNorm) => ([2, 0], &[(1, 4), (2, 5), (3, 6), (4, 7)]),
        (Code::LayerNormInput, Code::GruGatesGradient) => {
            ([4, 2], &[(0, 5), (1, 6), (3, 7), (4, 8)])
        }
        _ => return false,
    };
    let can = op.numbers[..2] == next.numbers[..2]
        && op.numbers[1] == COLUMNS
        && op.pointers[result[0]] == next.pointers[result[1]]
        && moved.iter().all(|(_, to)| op.pointers[*to] == 0);
    if can {
        for &(from, to) in moved {
            op.pointers[to] = next.pointers[from];
        }
        // A norm adds to nothing.
        op.numbers[3] = if next.code == Code::GruGatesGradient { next.numbers[2] } else { 0 };
    }
    can
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::draft::Draft;

    fn op(code: Code, columns: usize, pointers: [u64; 5]) -> Op {
        let draft = pointers
            .into_iter()
            .zip(0..)
            .fold(Draft::new(code), |draft, (address, i)| draft.constant(i, address));
        draft.numbers(0, [72, columns, 1]).op
    }

    #[test]
    fn a_unit_norms_its_result() {
        let mut gates = op(Code::GruGates, 128, [10, 11, 12, 13, 0]);
        assert!(join(&mut gates, &op(Code::LayerNorm, 128, [12, 20, 21, 22, 23])));
        assert_eq!(gates.pointers[..9], [10, 11, 12, 13, 20, 21, 22, 23, 0]);
        assert_eq!(gates.numbers[..4], [72, 128, 1, 0]);
    }

    #[test]
    fn a_norm_passes_its_gradient_through_the_gates() {
        let mut norm = op(Code::LayerNormInput, 128, [10, 11, 12, 13, 14]);
        assert!(join(&mut norm, &op(Code::GruGatesGradient, 128, [20, 21, 14, 22, 23])));
        assert_eq!(norm.pointers[..10], [10, 11, 12, 13, 14, 20, 21, 22, 23, 0]);
        assert_eq!(norm.numbers[..4], [72, 128, 1, 1]);
    }

    #[test]
    fn operators_stay_apart_where_a_warp_has_no_whole_row_or_results_are_others() {
        let gates = |columns| op(Code::GruGates, columns, [10, 11, 12, 13, 0]);
        let norm = |columns, x| op(Code::LayerNorm, columns, [x, 20, 21, 22, 23]);
        assert!(!join(&mut gates(64), &norm(64, 12)));
        assert!(!join(&mut gates(128), &norm(128, 10)));
        assert!(!join(&mut norm(128, 12), &gates(128)));
        let mut once = gates(128);
        assert!(join(&mut once, &norm(128, 12)) && !join(&mut once, &norm(128, 12)));
    }
}
