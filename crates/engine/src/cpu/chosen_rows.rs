//! Sums of rows that are chosen one by one, each times a number.
//!
//! There is little arithmetic in them; what they take is reading and writing. Therefore
//! [`add_rows`] and [`collect`] add four rows at a time to another, and [`spread`] keeps the row
//! that it adds to in registers.
//!
//! The last two are products with the gradient of a maximum, which has one value a column for each
//! node. Written out, it would have a row for every entry, nearly all of it zeros.

use super::lanes::{Lanes, Portable};

/// `to += factor * x[row]` for each of `terms`, one after the other.
///
/// `x [rows, width]`, `to [width]`.
///
/// # Panics
/// If a number is no row of `x`.
pub fn add_rows(terms: impl Iterator<Item = (f32, usize)>, x: &[f32], to: &mut [f32]) {
    // SAFETY: each instruction set is used only where it was found.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx512f") {
                return add_rows_avx512(terms, x, to);
            }
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                return add_rows_avx2(terms, x, to);
            }
        }
        add_rows_by::<Portable>(terms, x, to);
    }
}

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
unsafe fn add_rows_avx512(terms: impl Iterator<Item = (f32, usize)>, x: &[f32], to: &mut [f32]) {
    unsafe { add_rows_by::<super::lanes::Avx512>(terms, x, to) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn add_rows_avx2(terms: impl Iterator<Item = (f32, usize)>, x: &[f32], to: &mut [f32]) {
    unsafe { add_rows_by::<super::lanes::Avx2>(terms, x, to) }
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

#[inline(always)]
unsafe fn collect_by<L: Lanes>(
    dy: &[f32],
    origin: &[u32],
    (columns, from): (usize, usize),
    x: &[f32],
    width: usize,
    dw: &mut [f32],
) {
    // Few nodes at a time, because their rows of `x` are met again in the next column.
    let nodes = AT_ONCE * columns;
    for (dy, origin) in dy.chunks(nodes).zip(origin.chunks(nodes)) {
        for (column, dw) in (from..).zip(dw.chunks_exact_mut(width)) {
            let places = (column..dy.len()).step_by(columns).filter(|&i| origin[i] != u32::MAX);
            // SAFETY: the caller has seen that the machine has the instructions.
            unsafe { add_rows_by::<L>(places.map(|i| (dy[i], origin[i] as usize)), x, dw) };
        }
    }
}

/// Rows that are added at once, so that the row they are added to is read and written a quarter as
/// often.
const AT_ONCE: usize = 4;

#[inline(always)]
unsafe fn add_rows_by<L: Lanes>(
    mut terms: impl Iterator<Item = (f32, usize)>,
    x: &[f32],
    to: &mut [f32],
) {
    let width = to.len();
    loop {
        let mut factors = [0.0; AT_ONCE];
        let mut rows = [std::ptr::null(); AT_ONCE];
        let mut n = 0;
        while n < AT_ONCE {
            let Some((factor, row)) = terms.next() else { break };
            (factors[n], rows[n]) = (factor, x[row * width..(row + 1) * width].as_ptr());
            n += 1;
        }
        // SAFETY: `n` rows as wide as `to`.
        unsafe {
            if n == AT_ONCE {
                add_each::<L, AT_ONCE>(factors, rows, to);
                continue;
            }
            for (factor, row) in factors.into_iter().zip(rows).take(n) {
                add_each::<L, 1>([factor], [row], to);
            }
            return;
        }
    }
}

/// `to += factors[0] * rows[0] + ...`, one row after the other.
#[inline(always)]
unsafe fn add_each<L: Lanes, const N: usize>(
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
mod tests;
