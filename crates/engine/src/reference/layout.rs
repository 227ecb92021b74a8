//! Moving values without computing: rows by index, ranges of values, blocks of columns.
//!
//! Their gradients move back what came from a place, and add where several came from one.

use std::ops::Range;

use super::{Reference, sum_into};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Layout};

impl Layout for Reference {
    fn columns(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    ) {
        self::columns(x.double(), rows, columns, starts, width, out.double_mut());
    }

    fn columns_gradient(
        &self,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    ) {
        columns_gradient(dy.double(), rows, columns, starts, width, dx.double_mut());
    }

    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer) {
        gather_rows(x.double(), indices.host(), columns, out.double_mut());
    }

    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        gather_rows_gradient(dy.double(), indices.host(), columns, sum_into(dx));
    }

    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        place(from.double(), range, to.double_mut(), at);
    }

    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        place_added(from.double(), range, to.double_mut(), at);
    }

    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    ) {
        place_columns(x.double(), width, start, stride, out.double_mut());
    }

    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    ) {
        place_columns_gradient(dy.double(), width, start, stride, sum_into(dx));
    }
}

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

/// A range of `from` -> `to [at..]`; the rest of `to` stays.
pub fn place(from: &[f64], range: Range<usize>, to: &mut [f64], at: usize) {
    for (i, from) in from[range].iter().enumerate() {
        to[at + i] = *from;
    }
}

/// A range of `from` -> adds to `to [at..]`.
pub fn place_added(from: &[f64], range: Range<usize>, to: &mut [f64], at: usize) {
    for (i, from) in from[range].iter().enumerate() {
        to[at + i] += from;
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

/// `x [rows, width]` -> columns `start..` of `out [rows, stride]`.
pub fn place_columns(x: &[f64], width: usize, start: usize, stride: usize, out: &mut [f64]) {
    for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(stride)) {
        out[start..start + width].copy_from_slice(x);
    }
}

/// `dy [rows, stride]` -> adds its columns `start..` to `dx [rows, width]`.
pub fn place_columns_gradient(
    dy: &[f64],
    width: usize,
    start: usize,
    stride: usize,
    dx: &mut [f64],
) {
    for (dx, dy) in dx.chunks_exact_mut(width).zip(dy.chunks_exact(stride)) {
        for i in 0..width {
            dx[i] += dy[start + i];
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
    fn placing_leaves_the_rest_alone() {
        let mut to = [9.0; 4];
        place(&[0.0, 1.0, 2.0], 1..3, &mut to, 2);
        assert_eq!(to, [9.0, 9.0, 1.0, 2.0]);
        place_added(&[0.0, 1.0, 2.0], 0..2, &mut to, 1);
        assert_eq!(to, [9.0, 9.0, 2.0, 2.0]);
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
    fn columns_are_placed_side_by_side() {
        let mut out = [0.0; 6];
        place_columns(&[1.0, 2.0], 1, 0, 3, &mut out);
        place_columns(&[5.0, 6.0, 7.0, 8.0], 2, 1, 3, &mut out);
        assert_eq!(out, [1.0, 5.0, 6.0, 2.0, 7.0, 8.0]);
        let mut dx = [0.5, 0.0, 0.0, 0.0];
        place_columns_gradient(&out, 2, 1, 3, &mut dx);
        assert_eq!(dx, [5.5, 6.0, 7.0, 8.0]);
    }
}
