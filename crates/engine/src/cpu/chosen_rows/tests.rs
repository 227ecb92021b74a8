//! Every kernel on widths that fill its vectors and on those that do not.

use super::*;

type Spread = unsafe fn(&[f32], &[u32], u32, &[f32], usize, &mut [f32]);
type Collect = unsafe fn(&[f32], &[u32], (usize, usize), &[f32], usize, &mut [f32]);

/// Every kernel that this machine can run.
fn kernels() -> Vec<(&'static str, Spread, Collect)> {
    let mut kernels: Vec<(&'static str, Spread, Collect)> =
        vec![("portable", spread_by::<Portable, 4>, collect_by::<Portable>)];
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            kernels.push(("avx2", spread_avx2, collect_avx2));
        }
        if std::is_x86_feature_detected!("avx512f") {
            kernels.push(("avx512", spread_avx512, collect_avx512));
        }
    }
    kernels
}

/// Whole numbers from -3 to 3: sums of their products are exact in any order.
fn whole(len: usize, from: usize) -> Vec<f32> {
    let number = |i: usize| ((i.wrapping_mul(2_654_435_761) >> 7) % 7) as f32 - 3.0;
    (from..from + len).map(number).collect()
}

const WIDTHS: [usize; 9] = [1, 3, 8, 16, 17, 64, 127, 128, 150];

#[test]
fn a_value_goes_to_the_entry_it_came_from_for_every_width() {
    let first = 7;
    for width in WIDTHS {
        for (columns, n_entries) in [(1, 1), (5, 3), (64, 2), (100, 9), (130, 1)] {
            let dy = whole(columns, 1);
            // The last entry gets nothing, unless it is the only one.
            let origin: Vec<u32> =
                (0..columns).map(|c| first + (c * c % (n_entries - 1).max(1)) as u32).collect();
            let weight = whole(columns * width, 2);
            let before = whole(n_entries * width, 3);
            let mut expected = before.clone();
            for column in 0..columns {
                let entry = (origin[column] - first) as usize;
                for k in 0..width {
                    expected[entry * width + k] += dy[column] * weight[column * width + k];
                }
            }
            for (name, spread, _) in kernels() {
                let mut dx = before.clone();
                // SAFETY: the slices fit each other, and the machine was asked.
                unsafe { spread(&dy, &origin, first, &weight, width, &mut dx) };
                assert_eq!(dx, expected, "{name}, {columns} columns of {width}");
            }
        }
    }
}

#[test]
fn nodes_are_added_in_any_number_and_those_without_an_entry_left_out() {
    let (columns, n_entries) = (6, 5);
    for width in WIDTHS {
        for n_nodes in 0..=9 {
            let dy = whole(n_nodes * columns, 4);
            let origin: Vec<u32> = (0..n_nodes * columns)
                .map(|i| if i % 5 == 3 { u32::MAX } else { (i * i % n_entries) as u32 })
                .collect();
            let x = whole(n_entries * width, 5);
            for (from, n) in [(0, 6), (2, 3), (5, 1)] {
                let before = whole(n * width, 6);
                let mut expected = before.clone();
                for i in (0..n_nodes * columns).filter(|&i| origin[i] != u32::MAX) {
                    let column = i % columns;
                    if (from..from + n).contains(&column) {
                        for k in 0..width {
                            expected[(column - from) * width + k] +=
                                dy[i] * x[origin[i] as usize * width + k];
                        }
                    }
                }
                for (name, _, collect) in kernels() {
                    let mut dw = before.clone();
                    // SAFETY: the slices fit each other, and the machine was asked.
                    unsafe { collect(&dy, &origin, (columns, from), &x, width, &mut dw) };
                    assert_eq!(dw, expected, "{name}, {n_nodes} nodes, width {width}");
                }
            }
        }
    }
}

#[test]
fn rows_are_added_in_any_number() {
    for width in WIDTHS {
        let x = whole(5 * width, 7);
        for n in 0..=9 {
            let terms: Vec<(f32, usize)> =
                whole(n, 8).into_iter().enumerate().map(|(i, it)| (it, i * i % 5)).collect();
            let mut sum = whole(width, 9);
            let mut expected = sum.clone();
            for &(factor, row) in &terms {
                for (to, x) in expected.iter_mut().zip(&x[row * width..]) {
                    *to += factor * x;
                }
            }
            add_rows(terms.into_iter(), &x, &mut sum);
            assert_eq!(sum, expected, "{n} rows of {width}");
        }
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn an_origin_that_is_no_row_is_refused() {
    collect(&[1.0], &[4], (1, 0), &[0.0; 6], 2, &mut [0.0; 2]);
}
