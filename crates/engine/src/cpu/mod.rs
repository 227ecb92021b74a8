//! The CPU: single precision, vectorised, deterministic for any number of threads.
//!
//! Every operator is cut into tasks by its size alone, so results do not depend on how many
//! threads share them. Reductions over rows are cut by columns: each sum is taken in one order.
#![expect(unsafe_code, reason = "vector instructions, and slices shared between threads")]

mod batch_norm;
mod chosen_rows;
mod deferred;
mod edge_dot;
mod elementwise;
mod gather_max;
mod gru;
mod lanes;
mod layer_norm;
mod layout;
mod linear;
mod linear_max;
mod log_softmax;
mod losses;
mod math;
mod memory;
mod messages;
mod optimiser;
pub mod product;
mod rows;
mod segments;
pub mod team;
mod transpose;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::device::Gradient;
use product::Start;
use team::{Parts, Team};

/// The fast CPU device.
#[derive(Debug)]
pub struct Cpu {
    team: Team,
    operations: Cell<u64>,
    /// A few values for each column while one operator runs, kept so that none are allocated.
    scratch: RefCell<Vec<f32>>,
}

impl Cpu {
    /// With `n_threads` threads, the caller's included.
    pub fn new(n_threads: usize) -> Self {
        let scratch = RefCell::new(Vec::new());
        Self { team: Team::new(n_threads), operations: Cell::new(0), scratch }
    }

    /// Equal pieces of `rows` rows of `columns` values, of a size worth handing out: an even number
    /// of them, because most machines have an even number of threads.
    fn by_rows(&self, rows: usize, columns: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = rows * columns / VALUES_A_TASK;
        let pieces = if pieces < 2 { 1 } else { pieces.min(128).next_multiple_of(2) };
        self.team.pieces(rows, rows.div_ceil(pieces).max(1), work);
    }

    /// Pieces of columns, for work over `rows` rows.
    fn by_columns(&self, rows: usize, columns: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = (rows * columns / VALUES_A_TASK).clamp(1, columns.div_ceil(16).max(1));
        self.team.pieces(columns, columns.div_ceil(pieces).next_multiple_of(16), work);
    }

    /// The values to add to: zeros where nothing was there.
    fn added<'a>(&self, gradient: Gradient<'a>) -> &'a mut [f32] {
        let values = gradient.buffer.single_mut();
        if !gradient.add {
            self.set_all(values, 0.0);
        }
        values
    }

    fn set_all(&self, values: &mut [f32], value: f32) {
        let len = values.len();
        let values = Parts::new(values);
        // SAFETY: pieces do not overlap.
        self.by_rows(len, 1, |piece| unsafe { values.part(piece) }.fill(value));
    }

    /// `work` on matching pieces of two slices.
    fn by_pairs(&self, from: &[f32], to: &mut [f32], work: impl Fn(&[f32], &mut [f32]) + Sync) {
        let len = to.len();
        let to = Parts::new(to);
        // SAFETY: pieces do not overlap.
        self.by_rows(len, 1, |piece| work(&from[piece.clone()], unsafe { to.part(piece) }));
    }

    fn count(&self, (m, k, n): (usize, usize, usize)) {
        self.operations.set(self.operations.get() + 2 * (m * k * n) as u64);
    }

    /// Rows of a product that make one task: about a fourteenth, in whole tiles.
    fn product_piece(&self, (m, k, n): (usize, usize, usize)) -> usize {
        if m * k * n < 60_000 {
            return m.max(1);
        }
        m.div_ceil(14).next_multiple_of(product::TILE_ROWS).min(96)
    }
}

/// `N` slices of `columns` zeros.
fn zeros_in<const N: usize>(scratch: &mut Vec<f32>, columns: usize) -> [&mut [f32]; N] {
    scratch.clear();
    scratch.resize(N * columns, 0.0);
    let mut rest = scratch.as_mut_slice();
    std::array::from_fn(|_| {
        let (first, others) = std::mem::take(&mut rest).split_at_mut(columns);
        rest = others;
        first
    })
}

/// About half a microsecond of simple work.
const VALUES_A_TASK: usize = 4_096;

impl<'a> Gradient<'a> {
    fn start(&self) -> Start {
        if self.add { Start::There } else { Start::Zero }
    }
}
