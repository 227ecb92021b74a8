//! Sums of rows that are chosen one by one, each times a number.
//!
//! There is little arithmetic in them; what they take is reading and writing. Therefore [`AddRows`]
//! and [`Collect`] add four rows at a time to another, and [`Spread`] keeps the row that it adds to
//! in registers.
//!
//! The last two are products with the gradient of a maximum, which has one value a column for each
//! node. Written out, it would have a row for every entry, nearly all of it zeros.

use super::lanes::{Kernel, Lanes};

/// `to += factor * x[row]` for each of `terms`, one after the other. Panics if a number is no row.
pub struct AddRows<'a, T> {
    /// Factors and numbers of rows.
    pub terms: T,
    /// `[rows, width]`.
    pub x: &'a [f32],
    /// `[width]`.
    pub to: &'a mut [f32],
}

/// One node's share of the gradient of the layer's input: `dx[entry] += dy[c] * weight[c]` for the
/// entry that each column `c` came from.
pub struct Spread<'a> {
    /// `[columns]`.
    pub dy: &'a [f32],
    /// `[columns]`; what came from outside of the node's entries is left out.
    pub origin: &'a [u32],
    /// The number of the node's first entry.
    pub first: u32,
    /// `[columns, width]`.
    pub weight: &'a [f32],
    /// How wide rows are.
    pub width: usize,
    /// `[entries of the node, width]`.
    pub dx: &'a mut [f32],
}

/// Some rows of the gradient of the layer's weight: `dw[c] += dy[node][from + c] * x[origin]` over
/// all nodes in ascending order. Panics if an origin is no row of `x`.
pub struct Collect<'a> {
    /// `[nodes, columns]`.
    pub dy: &'a [f32],
    /// `[nodes, columns]`, `u32::MAX` for none.
    pub origin: &'a [u32],
    /// How many columns there are.
    pub columns: usize,
    /// The first column that is wanted.
    pub from: usize,
    /// `[entries, width]`.
    pub x: &'a [f32],
    /// How wide rows are.
    pub width: usize,
    /// `[columns that are wanted, width]`.
    pub dw: &'a mut [f32],
}

/// Vectors of a row that are summed at once.
const VECTORS: usize = 8;

impl Kernel for Spread<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { dy, origin, first, weight, width, dx } = self;
        assert!(origin.len() == dy.len() && weight.len() >= dy.len() * width);
        for (entry, dx) in (first..).zip(dx.chunks_exact_mut(width)) {
            let mut at = 0;
            while at < width {
                let left = width - at;
                // SAFETY: as many values as are left of the rows of `weight` and `dx`.
                unsafe {
                    let (weight, dx) = (weight.as_ptr().add(at), dx.as_mut_ptr().add(at));
                    if left >= VECTORS * L::N {
                        let count = VECTORS * L::N;
                        add_chosen::<L, VECTORS>(dy, origin, entry, weight, width, dx, count);
                        at += count;
                    } else {
                        let count = left.min(L::N);
                        add_chosen::<L, 1>(dy, origin, entry, weight, width, dx, count);
                        at += count;
                    }
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

impl Kernel for Collect<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { dy, origin, columns, from, x, width, dw } = self;
        // Few nodes at a time, because their rows of `x` are met again in the next column.
        let nodes = AT_ONCE * columns;
        for (dy, origin) in dy.chunks(nodes).zip(origin.chunks(nodes)) {
            for (column, to) in (from..).zip(dw.chunks_exact_mut(width)) {
                let places = (column..dy.len()).step_by(columns).filter(|&i| origin[i] != u32::MAX);
                let terms = places.map(|i| (dy[i], origin[i] as usize));
                // SAFETY: as the caller promises.
                unsafe { Kernel::run::<L>(AddRows { terms, x, to }) };
            }
        }
    }
}

/// Rows that are added at once, so that the row they are added to is read and written a quarter as
/// often.
const AT_ONCE: usize = 4;

impl<T: Iterator<Item = (f32, usize)>> Kernel for AddRows<'_, T> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { mut terms, x, to } = self;
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
