//! Transposing a matrix, four by four.
//!
//! Weights are transposed once a training step; done value by value that takes as long as a tenth
//! of the step's products. Every x86-64 has the four-lane instructions used here.

use super::team::{Parts, Team};

/// `from [rows, columns]` -> `to [columns, rows]`.
pub fn transpose(team: &Team, from: &[f32], rows: usize, columns: usize, to: &mut [f32]) {
    assert!(from.len() == rows * columns && to.len() == rows * columns);
    let to = Parts::new(to);
    team.pieces(columns, 64, |piece| {
        // SAFETY: pieces of rows of the result do not overlap.
        let to = unsafe { to.part(piece.start * rows..piece.end * rows) };
        let whole = (rows - rows % 4, piece.start + piece.len() - piece.len() % 4);
        // Sixteen values of a result's row, one cache line, are done before the next: rows of
        // weights are a power of two apart and would push each other out of the cache.
        for rows_from in (0..whole.0).step_by(16) {
            for column in (piece.start..whole.1).step_by(4) {
                for row in (rows_from..whole.0.min(rows_from + 16)).step_by(4) {
                    // SAFETY: four rows from `row` and four columns from `column` are inside.
                    unsafe {
                        block(
                            from.as_ptr().add(row * columns + column),
                            columns,
                            to.as_mut_ptr().add((column - piece.start) * rows + row),
                            rows,
                        );
                    }
                }
            }
        }
        for (column, to) in piece.clone().zip(to.chunks_exact_mut(rows.max(1))) {
            let first = if column < whole.1 { whole.0 } else { 0 };
            for row in first..rows {
                to[row] = from[row * columns + column];
            }
        }
    });
}

/// Four by four values, `from` with rows `from_row` apart.
///
/// # Safety
/// Four values at each of four rows must be readable at `from` and writable at `to`.
#[cfg(target_arch = "x86_64")]
unsafe fn block(from: *const f32, from_row: usize, to: *mut f32, to_row: usize) {
    use std::arch::x86_64::*;
    // SAFETY: as the caller promises; these instructions are part of x86-64.
    unsafe {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| _mm_loadu_ps(from.add(i * from_row)));
        let (low_ab, low_cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (high_ab, high_cd) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        _mm_storeu_ps(to, _mm_movelh_ps(low_ab, low_cd));
        _mm_storeu_ps(to.add(to_row), _mm_movehl_ps(low_cd, low_ab));
        _mm_storeu_ps(to.add(2 * to_row), _mm_movelh_ps(high_ab, high_cd));
        _mm_storeu_ps(to.add(3 * to_row), _mm_movehl_ps(high_cd, high_ab));
    }
}

/// As above, for other machines.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn block(from: *const f32, from_row: usize, to: *mut f32, to_row: usize) {
    for i in 0..4 {
        for j in 0..4 {
            // SAFETY: as the caller promises.
            unsafe { *to.add(j * to_row + i) = *from.add(i * from_row + j) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_finds_its_place_for_any_shape() {
        let team = Team::new(2);
        for (rows, columns) in [(1, 1), (4, 4), (3, 7), (5, 130), (130, 5), (66, 67), (0, 3)] {
            let from: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            let mut to = vec![-1.0; rows * columns];
            transpose(&team, &from, rows, columns, &mut to);
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(to[column * rows + row], from[row * columns + column]);
                }
            }
        }
    }
}
