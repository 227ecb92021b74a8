//! Every kernel on every remainder of a shape.

use super::*;

type Kernel = unsafe fn(Start, *const f32, *const f32, *mut f32, Shape);

unsafe fn portable(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    unsafe { blocks::<Portable, 4, 2>(start, a, b, c, shape) }
}

#[cfg(target_arch = "x86_64")]
unsafe fn avx2(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    unsafe { with_avx2(start, a, b, c, shape) }
}

#[cfg(target_arch = "x86_64")]
unsafe fn avx512(start: Start, a: *const f32, b: *const f32, c: *mut f32, shape: Shape) {
    unsafe { with_avx512(start, a, b, c, shape) }
}

/// Every kernel that this machine can run.
fn kernels() -> Vec<(&'static str, Kernel)> {
    let mut kernels: Vec<(&'static str, Kernel)> = vec![("portable", portable)];
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            kernels.push(("avx2", avx2));
        }
        if std::is_x86_feature_detected!("avx512f") {
            kernels.push(("avx512", avx512));
        }
    }
    kernels
}

/// How `A` lies in memory in the products of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Rows contiguous: the layer itself, and the gradient of its input.
    Rows,
    /// Columns contiguous: the gradient of the weight.
    Columns,
    /// A few columns of a wider matrix: one task of the gradient of the weight.
    Piece,
}

const LAYOUTS: [Layout; 3] = [Layout::Rows, Layout::Columns, Layout::Piece];

/// Whole numbers from -3 to 3: sums of their products are exact in any order.
fn whole(i: usize) -> f32 {
    ((i.wrapping_mul(2_654_435_761) >> 7) % 7) as f32 - 3.0
}

/// Compares all kernels with the definition on one shape; rows of `B` and `C` have two values
/// more than the product needs, which must stay as they are.
fn check(layout: Layout, start: Start, (rows, depth, columns): (usize, usize, usize)) {
    let (a_row, a_column) = match layout {
        Layout::Rows => (depth, 1),
        Layout::Columns => (1, rows),
        Layout::Piece => (1, rows + 3),
    };
    let (b_row, c_row) = (columns + 2, columns + 2);
    let a_len = (rows - 1) * a_row + depth.saturating_sub(1) * a_column + 1;
    let a: Vec<f32> = (0..a_len).map(whole).collect();
    let b_len = depth.saturating_sub(1) * b_row + columns;
    let b: Vec<f32> = (0..b_len).map(|i| whole(i + 17)).collect();
    let before: Vec<f32> = (0..rows * c_row).map(|i| whole(i + 5)).collect();
    let mut expected = before.clone();
    for i in 0..rows {
        for j in 0..columns {
            let sum: f32 = (0..depth).map(|k| a[i * a_row + k * a_column] * b[k * b_row + j]).sum();
            let there = if start == Start::There { before[i * c_row + j] } else { 0.0 };
            expected[i * c_row + j] = there + sum;
        }
    }
    let case = format!("{layout:?} {start:?} {rows} x {depth} x {columns}");
    let mut c = before.clone();
    let left = Left { data: &a, row: a_row, column: a_column };
    product(start, left, (&b, b_row), (&mut c, c_row), (rows, depth, columns));
    assert_eq!(c, expected, "{case}");
    let (bias, relu) = (std::ptr::null(), false);
    let shape = Shape { rows, depth, columns, a_row, a_column, b_row, c_row, bias, relu };
    for (name, kernel) in kernels() {
        // No depth is handled before a kernel is chosen.
        if depth > 0 {
            c.copy_from_slice(&before);
            // SAFETY: the slices fit the shape as in `product`, and the machine was asked.
            unsafe { kernel(start, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), shape) };
            assert_eq!(c, expected, "{name} {case}");
        }
    }
}

#[test]
fn every_remainder_of_rows_and_columns_is_computed() {
    for rows in 1..=14 {
        for columns in 1..=70 {
            let layout = LAYOUTS[(rows + columns) % 3];
            for (start, depth) in [(Start::Zero, 2), (Start::There, 3)] {
                check(layout, start, (rows, depth, columns));
            }
        }
    }
}

#[test]
fn every_depth_is_summed_to_its_end() {
    for depth in (0..=5).chain([511, 512, 513, 1023, 1024, 1025, 1030]) {
        for (rows, columns) in [(1, 1), (3, 4), (4, 8), (5, 70), (6, 64), (7, 33), (14, 17)] {
            for layout in LAYOUTS {
                for start in [Start::Zero, Start::There] {
                    check(layout, start, (rows, depth, columns));
                }
            }
        }
    }
}

#[test]
fn a_bias_is_added_once_and_the_activation_comes_last() {
    for depth in [0, 3, 600, 1030] {
        for (rows, columns) in [(1, 1), (5, 70), (7, 33), (6, 128)] {
            let a: Vec<f32> = (0..rows * depth).map(whole).collect();
            let b: Vec<f32> = (0..depth * columns).map(|i| whole(i + 17)).collect();
            let bias: Vec<f32> = (0..columns).map(|i| whole(i + 3)).collect();
            for start in [Start::Zero, Start::There] {
                let mut plain: Vec<f32> = (0..rows * columns).map(|i| whole(i + 5)).collect();
                let mut c = plain.clone();
                let left = Left { data: &a, row: depth, column: 1 };
                let shape = (rows, depth, columns);
                product(start, left, (&b, columns), (&mut plain, columns), shape);
                for (value, bias) in plain.iter_mut().zip(bias.iter().cycle()) {
                    *value = (*value + bias).max(0.0);
                }
                let finish = Finish { bias: Some(&bias), relu: true };
                let there = (&mut c[..], columns);
                finished_product(start, finish, left, (&b, columns), there, shape);
                assert_eq!(c, plain, "{rows} x {depth} x {columns} {start:?}");
            }
        }
    }
}

#[test]
fn an_element_does_not_depend_on_the_rows_computed_with_it() {
    let (rows, depth, columns) = (13, 700, 70);
    let value = |i: usize| whole(i) / 3.0 + whole(i / 3) / 7.0;
    let a: Vec<f32> = (0..rows * depth).map(value).collect();
    let b: Vec<f32> = (0..depth * columns).map(|i| value(i + 9)).collect();
    let mut together = vec![0.0; rows * columns];
    let left = Left { data: &a, row: depth, column: 1 };
    let shape = (rows, depth, columns);
    product(Start::Zero, left, (&b, columns), (&mut together, columns), shape);
    for row in 0..rows {
        let mut alone = vec![f32::NAN; columns];
        let left = Left { data: &a[row * depth..(row + 1) * depth], ..left };
        let shape = (1, depth, columns);
        product(Start::Zero, left, (&b, columns), (&mut alone, columns), shape);
        assert_eq!(alone, together[row * columns..(row + 1) * columns], "row {row}");
    }
}

#[test]
fn the_activation_keeps_what_is_no_number() {
    for (rows, columns) in [(1, 1), (6, 64), (5, 70)] {
        let mut c = vec![f32::NAN; rows * columns];
        let left = Left { data: &vec![-1.0; rows], row: 1, column: 1 };
        let finish = Finish { bias: None, relu: true };
        let ones = vec![1.0; columns];
        let shape = (rows, 1, columns);
        finished_product(Start::There, finish, left, (&ones, columns), (&mut c, columns), shape);
        assert!(c.iter().all(|value| value.is_nan()), "{rows} x {columns}");
    }
}
