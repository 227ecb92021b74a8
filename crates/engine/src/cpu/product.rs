//! The dense product behind every linear layer: `C = start + A · B`, rows of `B` and `C` contiguous.
//!
//! One kernel serves the three products of a linear layer, because none of them needs packing when
//! `A` may have any strides: the layer itself (`B` is the transposed weight), the gradient of its
//! input (`B` is the weight as stored) and the gradient of its weight (`A` is the output's gradient
//! read by columns). Small products gain most: at these sizes a library spends its time packing.
//! `benchmarks/products` compares it with the libraries.

use super::lanes::{Lanes, Portable};
use super::math::relu;

/// `A`: element (i, k) is `data[i * row + k * column]`.
#[derive(Clone, Copy)]
pub struct Left<'a> {
    /// The values.
    pub data: &'a [f32],
    /// Distance between rows.
    pub row: usize,
    /// Distance between columns.
    pub column: usize,
}

/// What the accumulators start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Zero: the product replaces what is there.
    Zero,
    /// What is in `C`: the product is added.
    There,
}

/// What is done to a finished element before it is stored.
#[derive(Clone, Copy, Default)]
pub struct Finish<'a> {
    /// Added, `[columns]`.
    pub bias: Option<&'a [f32]>,
    /// max(x, 0), after everything was added.
    pub relu: bool,
}

/// `c[rows, columns] = start + a[rows, depth] · b[depth, columns]`.
pub fn product(
    start: Start,
    a: Left<'_>,
    b: (&[f32], usize),
    c: (&mut [f32], usize),
    shape: (usize, usize, usize),
) {
    finished_product(start, Finish::default(), a, b, c, shape);
}

/// `c[rows, columns] = finish(start + a[rows, depth] · b[depth, columns])`.
///
/// Every element is summed over `depth` in ascending order, in blocks that depend on `depth`
/// alone, so an element does not depend on which other rows are computed with it.
pub fn finished_product(
    start: Start,
    finish: Finish<'_>,
    a: Left<'_>,
    (b, b_row): (&[f32], usize),
    (c, c_row): (&mut [f32], usize),
    (rows, depth, columns): (usize, usize, usize),
) {
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(c.len() >= (rows - 1) * c_row + columns && c_row >= columns);
    assert!(finish.bias.is_none_or(|bias| bias.len() >= columns));
    if depth == 0 {
        for row in c.chunks_mut(c_row).take(rows) {
            for (column, value) in row[..columns].iter_mut().enumerate() {
                let there = if start == Start::There { *value } else { 0.0 };
                let sum = there + finish.bias.map_or(0.0, |bias| bias[column]);
                *value = if finish.relu { relu(sum) } else { sum };
            }
        }
        return;
    }
    assert!(a.data.len() > (rows - 1) * a.row + (depth - 1) * a.column);
    assert!(b.len() >= (depth - 1) * b_row + columns && b_row >= columns);
    let shape = Shape {
        rows,
        depth,
        columns,
        a_row: a.row,
        a_column: a.column,
        b_row,
        c_row,
        bias: finish.bias.map_or(std::ptr::null(), <[f32]>::as_ptr),
        relu: finish.relu,
    };
    // SAFETY: the assertions above keep every access of the kernels inside the slices, and
    // each instruction set is used only where it was found.
    unsafe { dispatch(start, a.data.as_ptr(), b.as_ptr(), c.as_mut_ptr(), shape) }
}

#[derive(Clone, Copy)]
struct Shape {
    rows: usize,
    depth: usize,
    columns: usize,
    a_row: usize,
    a_column: usize,
    b_row: usize,
    c_row: usize,
    /// Null for none.
    bias: *const f32,
    relu: bool,
}

unsafe fn dispatch(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return unsafe { with_avx512(start, a, b, c, shape) };
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return unsafe { with_avx2(start, a, b, c, shape) };
        }
    }
    unsafe { blocks::<Portable, 4, 2>(start, a, b, c, shape) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn with_avx512(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    unsafe { blocks::<super::lanes::Avx512, 6, 4>(start, a, b, c, shape) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    unsafe { blocks::<super::lanes::Avx2, 4, 3>(start, a, b, c, shape) }
}

/// Rows that the widest kernel takes at a time; tasks are whole multiples.
pub const TILE_ROWS: usize = 6;

/// How much of `depth` is summed before the accumulators go back to `C`: a panel of `B` that deep
/// stays in the second-level cache.
const DEPTH: usize = 512;

#[inline(always)]
unsafe fn blocks<L: Lanes, const R: usize, const V: usize>(
    start: Start,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    shape: Shape,
) {
    unsafe {
        let mut k = 0;
        while k < shape.depth {
            let depth = (shape.depth - k).min(DEPTH);
            let start = if k == 0 { start } else { Start::There };
            let a = a.add(k * shape.a_column);
            let b = b.add(k * shape.b_row);
            let mut column = 0;
            while column < shape.columns {
                let left = shape.columns - column;
                let b = b.add(column);
                let c = c.add(column);
                // The bias joins the first block, and only the last is activated.
                let bias = if k > 0 || shape.bias.is_null() {
                    std::ptr::null()
                } else {
                    shape.bias.add(column)
                };
                let relu = shape.relu && k + depth == shape.depth;
                let block = Shape { depth, bias, relu, ..shape };
                if left >= V * L::N {
                    down::<L, R, V>(start, a, b, c, block, V * L::N);
                    column += V * L::N;
                } else if left >= L::N {
                    down::<L, R, 1>(start, a, b, c, block, L::N);
                    column += L::N;
                } else {
                    down::<L, R, 1>(start, a, b, c, block, left);
                    column += left;
                }
            }
            k += depth;
        }
    }
}

/// All rows of one panel of columns.
#[inline(always)]
unsafe fn down<L: Lanes, const R: usize, const V: usize>(
    start: Start,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    shape: Shape,
    columns: usize,
) {
    unsafe {
        let mut row = 0;
        while row + R <= shape.rows {
            tile::<L, R, V>(
                start,
                a.add(row * shape.a_row),
                b,
                c.add(row * shape.c_row),
                shape,
                columns,
            );
            row += R;
        }
        let (a, c) = (a.add(row * shape.a_row), c.add(row * shape.c_row));
        match shape.rows - row {
            0 => {}
            1 => tile::<L, 1, V>(start, a, b, c, shape, columns),
            2 => tile::<L, 2, V>(start, a, b, c, shape, columns),
            3 => tile::<L, 3, V>(start, a, b, c, shape, columns),
            4 => tile::<L, 4, V>(start, a, b, c, shape, columns),
            _ => tile::<L, 5, V>(start, a, b, c, shape, columns),
        }
    }
}

/// `R` rows by `V` vectors of columns, all in registers.
#[inline(always)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(
    start: Start,
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    shape: Shape,
    columns: usize,
) {
    unsafe {
        let partial = columns < L::N;
        let mut sums = [[L::zero(); V]; R];
        let mut b = b;
        let mut a = a;
        for _ in 0..shape.depth {
            let mut panel = [L::zero(); V];
            for (v, lanes) in panel.iter_mut().enumerate() {
                *lanes = if partial { L::load_first(b, columns) } else { L::load(b.add(v * L::N)) };
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                let factor = L::splat(*a.add(r * shape.a_row));
                for (sum, lanes) in sums.iter_mut().zip(panel) {
                    *sum = sum.add_product(factor, lanes);
                }
            }
            b = b.add(shape.b_row);
            a = a.add(shape.a_column);
        }
        for (r, sums) in sums.iter().enumerate() {
            for (v, &sum) in sums.iter().enumerate() {
                let at = c.add(r * shape.c_row + v * L::N);
                let read = |from: *const f32| {
                    if partial { L::load_first(from, columns) } else { L::load(from) }
                };
                let mut sum = sum;
                if start == Start::There {
                    sum = read(at).plus(sum);
                }
                if !shape.bias.is_null() {
                    sum = sum.plus(read(shape.bias.add(v * L::N)));
                }
                if shape.relu {
                    sum = sum.relu();
                }
                if partial { sum.store_first(at, columns) } else { sum.store(at) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
