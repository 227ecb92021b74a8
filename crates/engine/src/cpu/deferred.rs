//! Gradients of what many operators share.

use super::product::{Left, Start, product};
use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{DeferredSum, DeferredSums, Gradient, Summand};

impl DeferredSums for Cpu {
    fn deferred_sums(&self, gradients: &mut [Gradient<'_>], sums: &[DeferredSum<'_>]) {
        for (to, Gradient { buffer, add }) in gradients.iter_mut().enumerate() {
            let gradient = self.added(Gradient { buffer, add: *add });
            for sum in sums.iter().filter(|sum| sum.to == to) {
                self.deferred_sum(sum, gradient);
            }
        }
    }
}

impl Cpu {
    fn deferred_sum(&self, sum: &DeferredSum<'_>, gradient: &mut [f32]) {
        let DeferredSum { first: [first_row, first_column], stride, columns, width, .. } = *sum;
        let rows = sum.summands.iter().map(|summand| summand.rows).sum();
        let piece = self.product_piece((columns, rows, width));
        let gradient = Parts::new(gradient);
        self.team.pieces(columns, piece, |piece| {
            let rows = first_row + piece.start..first_row + piece.end;
            // SAFETY: pieces of rows of the gradient do not overlap.
            let to = unsafe { gradient.part(rows.start * stride..rows.end * stride) };
            for &Summand { dy, dy_start, dy_stride, x, rows } in &sum.summands {
                let dy = &dy.single()[..rows * dy_stride];
                let start = dy_start + piece.start;
                match x.map(Buffer::single) {
                    Some(x) => {
                        let dy = dy.get(start..).unwrap_or_default();
                        let dy = Left { data: dy, row: 1, column: dy_stride };
                        let to = (&mut to[first_column..], stride);
                        product(Start::There, dy, (x, width), to, (piece.len(), rows, width));
                    }
                    // A column of ones is that of a bias, which has no other columns.
                    None => rows::column_sums(dy, dy_stride, start, to),
                }
            }
        });
        self.count((columns, rows, width));
    }
}
