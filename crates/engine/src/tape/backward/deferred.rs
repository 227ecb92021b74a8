//! Gradients of layers that are computed for all steps of a rollout at once.
//!
//! Where a device wants it so, undoing a layer whose weight others use too only notes which rows of
//! gradients and inputs belong to it. What is noted is summed when all operators are undone, when
//! somebody needs one of the sums, or when too much of it would be kept.

use super::super::operation::Operation;
use super::super::{Tape, Tensor};
use crate::buffer::Buffer;
use crate::device::{DeferredSum, Gradient, Summand};

/// Gradients of fewer values are computed where they are due, and sums over fewer rows: such products
/// have hardly any work.
const FEW_VALUES: usize = 1 << 10;
const FEW_ROWS: usize = 1 << 4;
/// Sums over more rows too: they keep a device busy, and take memory to keep.
const MANY_ROWS: usize = 1 << 12;
/// So many values are kept at most.
const MOST_KEPT: usize = 1 << 26;

/// What is noted, and what it needs.
#[derive(Debug, Default)]
pub(in crate::tape) struct Deferred {
    on: bool,
    /// How many operators use each tensor as a layer's own.
    uses: Vec<u32>,
    kept: Vec<Buffer>,
    n_kept: usize,
    sums: Vec<Noted>,
}

/// A gradient, or some rows and columns of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) to: Tensor,
    pub(super) first: [usize; 2],
    pub(super) columns: usize,
    pub(super) width: usize,
}

#[derive(Debug)]
struct Noted {
    share: Share,
    summands: Vec<Pair>,
}

/// Rows of a kept gradient, and of a tensor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) kept: usize,
    pub(super) dy_start: usize,
    pub(super) dy_stride: usize,
    pub(super) x: Option<Tensor>,
    pub(super) rows: usize,
}

impl Tape {
    /// Whether gradients of layers are computed at the end of [`Tape::backward`] instead of one by
    /// one, which a tape otherwise leaves to its device. The results differ by rounding.
    pub fn set_deferred(&mut self, on: bool) {
        self.deferred.on = on;
    }

    /// Looks who uses what.
    pub(super) fn begin_deferred(&mut self) {
        let Deferred { on, uses, .. } = &mut self.deferred;
        uses.clear();
        if *on {
            uses.resize(self.slots.len(), 0);
            for operation in &self.operations {
                operation.each_own(|tensor| uses[tensor.index()] += 1);
            }
        }
    }

    /// Whether a gradient of a layer's own waits: one of a product of so many rows with so many
    /// columns and inputs.
    pub(super) fn defers(&self, own: Tensor, rows: usize, columns: usize, width: usize) -> bool {
        let fours = columns.is_multiple_of(4) && width.is_multiple_of(4);
        let uses = self.deferred.uses.get(own.index()).copied();
        let shared = uses.is_some_and(|uses| uses > 1);
        shared && fours && columns * width >= FEW_VALUES && (FEW_ROWS..=MANY_ROWS).contains(&rows)
    }

    /// Keeps a gradient for [`Tape::note`].
    pub(super) fn keep_back(&mut self, dy: Buffer) -> usize {
        self.deferred.n_kept += dy.len();
        self.deferred.kept.push(dy);
        self.deferred.kept.len() - 1
    }

    /// Notes a summand of a gradient, if that is wanted.
    pub(super) fn note(&mut self, share: Share, pair: Pair) {
        if !self.is_tracked(share.to) {
            return;
        }
        let sums = &mut self.deferred.sums;
        match sums.iter_mut().find(|sum| sum.share == share) {
            Some(sum) => sum.summands.push(pair),
            None => sums.push(Noted { share, summands: vec![pair] }),
        }
    }

    /// Computes what is noted if too much is kept.
    pub(super) fn relieve(&mut self) {
        if self.deferred.n_kept > MOST_KEPT {
            self.sum_up();
        }
    }

    /// Whether undoing an operator can wait until everything else is undone: it needs sums that wait,
    /// and makes a gradient that stays out of them.
    pub(super) fn can_wait(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Columns { x, out, .. } if x.index() < self.kept && self.is_noted(*out))
    }

    /// Computes what is noted if some of it goes to `tensor`.
    pub(super) fn sum_up_for(&mut self, tensor: Tensor) {
        if tensor.index() >= self.kept && self.is_noted(tensor) {
            self.sum_up();
        }
    }

    fn is_noted(&self, tensor: Tensor) -> bool {
        self.deferred.sums.iter().any(|sum| sum.share.to == tensor)
    }

    /// Computes what is noted.
    pub(super) fn sum_up(&mut self) {
        let noted = std::mem::take(&mut self.deferred.sums);
        let mut to: Vec<Tensor> = Vec::new();
        for Noted { share, .. } in &noted {
            if !to.contains(&share.to) {
                to.push(share.to);
            }
        }
        let mut taken: Vec<_> = to.iter().map(|&tensor| self.take_gradient(tensor)).collect();
        let mut gradients: Vec<_> =
            taken.iter_mut().map(|(buffer, add)| Gradient { buffer, add: *add }).collect();
        let place = |tensor| to.iter().position(|&other| other == tensor);
        let sums: Vec<_> = noted
            .iter()
            .map(|Noted { share: Share { to, first, columns, width }, summands }| DeferredSum {
                to: place(*to).expect("every gradient has a place"),
                first: *first,
                // One that is a row of sums has one column.
                stride: if *width == 1 { 1 } else { self.columns(*to) },
                columns: *columns,
                width: *width,
                summands: summands.iter().map(|&pair| self.summand(pair)).collect(),
            })
            .collect();
        if !sums.is_empty() {
            self.device.deferred_sums(&mut gradients, &sums);
        }
        for (tensor, (buffer, _)) in to.into_iter().zip(taken) {
            self.slots[tensor.index()].gradient = Some(buffer);
        }
        let Deferred { kept, n_kept, .. } = &mut self.deferred;
        kept.drain(..).for_each(|buffer| self.pool.give(buffer));
        *n_kept = 0;
    }

    fn summand(&self, Pair { kept, dy_start, dy_stride, x, rows }: Pair) -> Summand<'_> {
        let dy = &self.deferred.kept[kept];
        Summand { dy, dy_start, dy_stride, x: x.map(|x| self.value(x)), rows }
    }
}
