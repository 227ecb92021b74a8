//! Every kernel on widths that fill its vectors and on those that do not.

use super::*;
use crate::cpu::lanes::{Instructions, run};

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
            for instructions in Instructions::all() {
                let mut dx = before.clone();
                let (dy, origin, weight) = (&dy[..], &origin[..], &weight[..]);
                instructions.run(Spread { dy, origin, first, weight, width, dx: &mut dx });
                assert_eq!(dx, expected, "{instructions:?}, {columns} columns of {width}");
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
                for instructions in Instructions::all() {
                    let mut dw = before.clone();
                    let (dy, origin, x) = (&dy[..], &origin[..], &x[..]);
                    let dw_of = &mut dw;
                    instructions.run(Collect { dy, origin, columns, from, x, width, dw: dw_of });
                    assert_eq!(dw, expected, "{instructions:?}, {n_nodes} nodes, width {width}");
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
            let before = whole(width, 9);
            let mut expected = before.clone();
            for &(factor, row) in &terms {
                for (to, x) in expected.iter_mut().zip(&x[row * width..]) {
                    *to += factor * x;
                }
            }
            for instructions in Instructions::all() {
                let (terms, mut sum) = (terms.iter().copied(), before.clone());
                instructions.run(AddRows { terms, x: &x, to: &mut sum });
                assert_eq!(sum, expected, "{instructions:?}, {n} rows of {width}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn an_origin_that_is_no_row_is_refused() {
    let (columns, from, width) = (1, 0, 2);
    let (dy, origin, x, dw) = (&[1.0], &[4], &[0.0; 6], &mut [0.0; 2]);
    run(Collect { dy, origin, columns, from, x, width, dw });
}
