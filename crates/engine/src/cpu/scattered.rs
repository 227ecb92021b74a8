//! Products with the gradient of a maximum, which has one value a column for each node.
//!
//! Written out, that gradient would have a row for every entry, nearly all of it zeros. Here each
//! value meets the one row it concerns, a row of the weight or of the layer's input, so there is a
//! fraction of the dense product's arithmetic, and what it takes is reading and writing. Therefore
//! [`spread`] keeps the row that it adds to in registers, and [`collect`] adds four rows at a time.

use super::lanes::{Lanes, Portable};

/// One node's share of the gradient of the layer's input: `dx[entry] += dy[c] * weight[c]` for the
/// entry that each column `c` came from.
///
/// `dy [columns]`, `origin [columns]` counted from `first`, `weight [columns, width]`,
/// `dx [entries, width]`. What came from outside of the node's entries is left out.
pub fn spread(
    dy: &[f32],
    origin: &[u32],
    first: u32,
    weight: &[f32],
    width: usize,
    dx: &mut [f32],
) {
    assert!(origin.len() == dy.len() && weight.len() >= dy.len() * width);
    // SAFETY: a weight's row for every column, and each instruction set only where it was found.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                return spread_avx512(dy, origin, first, weight, width, dx);
            }
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                return spread_avx2(dy, origin, first, weight, width, dx);
            }
        }
        spread_by::<Portable, 4>(dy, origin, first, weight, width, dx);
    }
}

/// Some rows of the gradient of the layer's weight: `dw[c] += dy[node][from + c] * x[origin]` over
/// all nodes in ascending order.
///
/// `dy [nodes, columns]`, `origin [nodes, columns]` (`u32::MAX` for none), `x [entries, width]`,
/// `dw [some columns, width]`.
///
/// # Panics
/// If an origin is no row of `x`.
pub fn collect(
    dy: &[f32],
    origin: &[u32],
    (columns, from): (usize, usize),
    x: &[f32],
    width: usize,
    dw: &mut [f32],
) {
    assert!(dy.len() == origin.len() && dw.len().is_multiple_of(width));
    assert!(from + dw.len() / width <= columns && dy.len().is_multiple_of(columns));
    // SAFETY: each instruction set is used only where it was found.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                return collect_avx512(dy, origin, (columns, from), x, width, dw);
            }
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                return collect_avx2(dy, origin, (columns, from), x, width, dw);
            }
        }
        collect_by::<Portable>(dy, origin, (columns, from), x, width, dw);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn spread_avx512(
    dy: &[f32],
    origin: &[u32],
    first: u32,
    weight: &[f32],
    width: usize,
    dx: &mut [f32],
) {
    unsafe { spread_by::<super::lanes::Avx512, 8>(dy, origin, first, weight, width, dx) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn spread_avx2(
    dy: &[f32],
    origin: &[u32],
    first: u32,
    weight: &[f32],
    width: usize,
    dx: &mut [f32],
) {
    unsafe { spread_by::<super::lanes::Avx2, 8>(dy, origin, first, weight, width, dx) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn collect_avx512(
    dy: &[f32],
    origin: &[u32],
    place: (usize, usize),
    x: &[f32],
    width: usize,
    dw: &mut [f32],
) {
    unsafe { collect_by::<super::lanes::Avx512>(dy, origin, place, x, width, dw) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn collect_avx2(
    dy: &[f32],
    origin: &[u32],
    place: (usize, usize),
    x: &[f32],
    width: usize,
    dw: &mut [f32],
) {
    unsafe { collect_by::<super::lanes::Avx2>(dy, origin, place, x, width, dw) }
}

#[inline(always)]
unsafe fn spread_by<L: Lanes, const V: usize>(
    dy: &[f32],
    origin: &[u32],
    first: u32,
    weight: &[f32],
    width: usize,
    dx: &mut [f32],
) {
    for (entry, dx) in (first..).zip(dx.chunks_exact_mut(width)) {
        let mut at = 0;
        while at < width {
            let left = width - at;
            // SAFETY: as many values as are left of the rows of `weight` and `dx`.
            unsafe {
                let (weight, dx) = (weight.as_ptr().add(at), dx.as_mut_ptr().add(at));
                if left >= V * L::N {
                    add_chosen::<L, V>(dy, origin, entry, weight, width, dx, V * L::N);
                    at += V * L::N;
                } else {
                    let count = left.min(L::N);
                    add_chosen::<L, 1>(dy, origin, entry, weight, width, dx, count);
                    at += count;
                }
            }
        }
    }
}

/// Adds to some columns of one entry's row what came from it.
#[inline(always)]
unsafe fn add_chosen<L: Lanes, const V: usize>(
    dy: &[f32],
    origin: &[u32],
    entry: u32,
    weight: *const f32,
    width: usize,
    dx: *mut f32,
    count: usize,
) {
    unsafe {
        let read = |from: *const f32| {
            if count < L::N { L::load_first(from, count) } else { L::load(from) }
        };
        let mut sums = [L::zero(); V];
        for (v, sum) in sums.iter_mut().enumerate() {
            *sum = read(dx.add(v * L::N));
        }
        for (block, origin) in origin.chunks(64).enumerate() {
            let mut chosen = L::equal(origin, entry);
            while chosen != 0 {
                let column = block * 64 + chosen.trailing_zeros() as usize;
                chosen &= chosen - 1;
                let factor = L::splat(*dy.get_unchecked(column));
                let row = weight.add(column * width);
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.add_product(factor, read(row.add(v * L::N)));
                }
            }
        }
        for (v, sum) in sums.into_iter().enumerate() {
            let at = dx.add(v * L::N);
            if count < L::N { sum.store_first(at, count) } else { sum.store(at) }
        }
    }
}

/// Nodes whose rows are added at once, so that a row of the weight's gradient is read and written
/// a quarter as often.
const NODES: usize = 4;

#[inline(always)]
unsafe fn collect_by<L: Lanes>(
    dy: &[f32],
    origin: &[u32],
    (columns, from): (usize, usize),
    x: &[f32],
    width: usize,
    dw: &mut [f32],
) {
    let n_rows = x.len() / width;
    let nodes = dy.chunks(NODES * columns).zip(origin.chunks(NODES * columns));
    for (dy, origin) in nodes {
        for (column, dw) in (from..).zip(dw.chunks_exact_mut(width)) {
            let mut factors = [0.0; NODES];
            let mut rows = [std::ptr::null(); NODES];
            let mut n = 0;
            for at in (column..dy.len()).step_by(columns) {
                if origin[at] != u32::MAX {
                    let row = origin[at] as usize;
                    assert!(row < n_rows, "row {row} of {n_rows}");
                    (factors[n], rows[n]) = (dy[at], x[row * width..].as_ptr());
                    n += 1;
                }
            }
            // SAFETY: `n` rows of `x` that are there, each as wide as the row of `dw`.
            unsafe {
                if n == NODES {
                    add_rows::<L, NODES>(factors, rows, dw);
                } else {
                    for (factor, row) in factors.into_iter().zip(rows).take(n) {
                        add_rows::<L, 1>([factor], [row], dw);
                    }
                }
            }
        }
    }
}

/// `to += factors[0] * rows[0] + ...`, one row after the other.
#[inline(always)]
unsafe fn add_rows<L: Lanes, const N: usize>(
    factors: [f32; N],
    rows: [*const f32; N],
    to: &mut [f32],
) {
    unsafe {
        let factors = factors.map(|factor| L::splat(factor));
        let (start, width) = (to.as_mut_ptr(), to.len());
        let mut at = 0;
        while at + L::N <= width {
            let mut sum = L::load(start.add(at));
            for (factor, row) in factors.iter().zip(rows) {
                sum = sum.add_product(*factor, L::load(row.add(at)));
            }
            sum.store(start.add(at));
            at += L::N;
        }
        let left = width - at;
        if left > 0 {
            let mut sum = L::load_first(start.add(at), left);
            for (factor, row) in factors.iter().zip(rows) {
                sum = sum.add_product(*factor, L::load_first(row.add(at), left));
            }
            sum.store_first(start.add(at), left);
        }
    }
}

#[cfg(test)]
mod tests {
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
    #[should_panic(expected = "row 4 of 3")]
    fn an_origin_that_is_no_row_is_refused() {
        collect(&[1.0], &[4], (1, 0), &[0.0; 6], 2, &mut [0.0; 2]);
    }
}
