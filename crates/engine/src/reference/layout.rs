//! Moving values without computing: rows by index, rows from two tensors, blocks of columns.
//!
//! Their gradients move back what came from a place, and add where several came from one.

/// `x [n, columns]`, `indices [rows]` -> `out [rows, columns]`.
pub fn gather_rows(x: &[f64], indices: &[u32], columns: usize, out: &mut [f64]) {
    for (r, &index) in indices.iter().enumerate() {
        for c in 0..columns {
            out[r * columns + c] = x[index as usize * columns + c];
        }
    }
}

/// `dy [rows, columns]`, `indices [rows]` -> adds to `dx [n, columns]`.
pub fn gather_rows_gradient(dy: &[f64], indices: &[u32], columns: usize, dx: &mut [f64]) {
    for (r, &index) in indices.iter().enumerate() {
        for c in 0..columns {
            dx[index as usize * columns + c] += dy[r * columns + c];
        }
    }
}

/// `a` and `b [rows, columns]`, `from_b [rows]` -> `out [rows, columns]`.
pub fn choose_rows(a: &[f64], b: &[f64], from_b: &[u32], columns: usize, out: &mut [f64]) {
    for (r, &chosen) in from_b.iter().enumerate() {
        let from = if chosen != 0 { b } else { a };
        for c in 0..columns {
            out[r * columns + c] = from[r * columns + c];
        }
    }
}

/// `dy [rows, columns]`, `from_b [rows]` -> adds to `dx [rows, columns]` of `b` or of `a`.
pub fn choose_rows_gradient(
    dy: &[f64],
    from_b: &[u32],
    of_b: bool,
    columns: usize,
    dx: &mut [f64],
) {
    for (r, &chosen) in from_b.iter().enumerate() {
        if (chosen != 0) == of_b {
            for c in 0..columns {
                dx[r * columns + c] += dy[r * columns + c];
            }
        }
    }
}

/// `x [n]` -> `out [at..at + n]`; the rest of `out` stays.
pub fn place(x: &[f64], at: usize, out: &mut [f64]) {
    for (i, &x) in x.iter().enumerate() {
        out[at + i] = x;
    }
}

/// `dy [at..at + n]` -> adds to `dx [n]`.
pub fn place_gradient(dy: &[f64], at: usize, dx: &mut [f64]) {
    for (i, dx) in dx.iter_mut().enumerate() {
        *dx += dy[at + i];
    }
}

/// `x [rows, columns]` -> `out [rows, width]`, the sum of the blocks that begin at `starts`.
pub fn columns(
    x: &[f64],
    rows: usize,
    columns: usize,
    starts: &[usize],
    width: usize,
    out: &mut [f64],
) {
    for r in 0..rows {
        for c in 0..width {
            let mut sum = 0.0;
            for start in starts {
                sum += x[r * columns + start + c];
            }
            out[r * width + c] = sum;
        }
    }
}

/// `dy [rows, width]` -> adds to the blocks of `dx [rows, columns]` that begin at `starts`.
pub fn columns_gradient(
    dy: &[f64],
    rows: usize,
    columns: usize,
    starts: &[usize],
    width: usize,
    dx: &mut [f64],
) {
    for r in 0..rows {
        for start in starts {
            for c in 0..width {
                dx[r * columns + start + c] += dy[r * width + c];
            }
        }
    }
}

/// `x [k, width]` -> columns `start..` of `out [rows, stride]`, row r from row r modulo k.
pub fn place_columns(x: &[f64], width: usize, start: usize, stride: usize, out: &mut [f64]) {
    let k = x.len() / width;
    for (r, out) in out.chunks_exact_mut(stride).enumerate() {
        out[start..start + width].copy_from_slice(&x[r % k * width..(r % k + 1) * width]);
    }
}

/// `dy [rows, stride]` -> adds its columns `start..` of row r to row r modulo k of `dx [k, width]`.
pub fn place_columns_gradient(
    dy: &[f64],
    width: usize,
    start: usize,
    stride: usize,
    dx: &mut [f64],
) {
    let k = dx.len() / width;
    for (r, dy) in dy.chunks_exact(stride).enumerate() {
        for i in 0..width {
            dx[r % k * width + i] += dy[start + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gathered_twice_gets_both_gradients() {
        let mut out = [0.0; 6];
        gather_rows(&[1.0, 2.0, 3.0, 4.0], &[1, 0, 1], 2, &mut out);
        assert_eq!(out, [3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
        let mut dx = [0.0; 4];
        gather_rows_gradient(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1, 0, 1], 2, &mut dx);
        assert_eq!(dx, [3.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn a_chosen_row_gets_the_gradient() {
        let mut out = [0.0; 4];
        choose_rows(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], &[0, 1], 2, &mut out);
        assert_eq!(out, [1.0, 2.0, 7.0, 8.0]);
        let (mut da, mut db) = ([0.0; 4], [0.0; 4]);
        choose_rows_gradient(&out, &[0, 1], false, 2, &mut da);
        choose_rows_gradient(&out, &[0, 1], true, 2, &mut db);
        assert_eq!(da, [1.0, 2.0, 0.0, 0.0]);
        assert_eq!(db, [0.0, 0.0, 7.0, 8.0]);
    }

    #[test]
    fn placing_leaves_the_rest_alone() {
        let mut out = [9.0; 4];
        place(&[1.0, 2.0], 1, &mut out);
        assert_eq!(out, [9.0, 1.0, 2.0, 9.0]);
        let mut dx = [10.0, 10.0];
        place_gradient(&[1.0, 2.0, 3.0, 4.0], 1, &mut dx);
        assert_eq!(dx, [12.0, 13.0]);
    }

    #[test]
    fn blocks_of_columns_are_summed() {
        let mut out = [0.0; 2];
        columns(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, &[0, 2], 1, &mut out);
        assert_eq!(out, [4.0, 10.0]);
        let mut dx = [0.5; 6];
        columns_gradient(&[1.0, 2.0], 2, 3, &[0, 2], 1, &mut dx);
        assert_eq!(dx, [1.5, 0.5, 1.5, 2.5, 0.5, 2.5]);
    }

    #[test]
    fn columns_are_placed_and_repeated() {
        let mut out = [0.0; 9];
        place_columns(&[1.0, 2.0, 3.0], 1, 0, 3, &mut out);
        place_columns(&[7.0, 8.0], 2, 1, 3, &mut out);
        assert_eq!(out, [1.0, 7.0, 8.0, 2.0, 7.0, 8.0, 3.0, 7.0, 8.0]);
        let mut dx = [0.5, 0.0];
        place_columns_gradient(&out, 2, 1, 3, &mut dx);
        assert_eq!(dx, [21.5, 24.0]);
    }
}
