//! Gradients of what many operators share.

use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{DeferredSum, DeferredSums, Gradient, Summand};

impl DeferredSums for Reference {
    fn deferred_sums(&self, gradients: &mut [Gradient<'_>], sums: &[DeferredSum<'_>]) {
        for (to, Gradient { buffer, add }) in gradients.iter_mut().enumerate() {
            let gradient = sum_into(Gradient { buffer, add: *add });
            sums.iter().filter(|sum| sum.to == to).for_each(|sum| add_sum(sum, gradient));
        }
    }
}

/// Adds all summands to their place in `gradient [any, stride]`.
fn add_sum(sum: &DeferredSum<'_>, gradient: &mut [f64]) {
    let DeferredSum { first: [first_row, first_column], stride, columns, width, .. } = *sum;
    for &Summand { dy, dy_start, dy_stride, x, rows } in &sum.summands {
        let (dy, x) = (dy.double(), x.map(Buffer::double));
        for r in 0..rows {
            for c in 0..columns {
                for i in 0..width {
                    let x = x.map_or(1.0, |x| x[r * width + i]);
                    let to = (first_row + c) * stride + first_column + i;
                    gradient[to] += dy[r * dy_stride + dy_start + c] * x;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summands_are_products_of_columns_in_their_place() {
        let (dy, x) = (Buffer::Double(vec![9.0, 1.0, 9.0, 2.0]), Buffer::Double(vec![3.0, 5.0]));
        let summand = |x| Summand { dy: &dy, dy_start: 1, dy_stride: 2, x, rows: 2 };
        let sum = |to, first, stride, summands| DeferredSum {
            to,
            first,
            stride,
            columns: 1,
            width: 1,
            summands,
        };
        let sums = [
            sum(0, [1, 1], 2, vec![summand(Some(&x)), summand(None)]),
            sum(1, [0, 0], 1, vec![summand(None)]),
            sum(0, [0, 0], 2, vec![summand(None)]),
        ];
        let mut weight = Buffer::Double(vec![7.0; 4]);
        let mut bias = Buffer::Double(vec![7.0]);
        Reference.deferred_sums(
            &mut [
                Gradient { buffer: &mut weight, add: false },
                Gradient { buffer: &mut bias, add: true },
            ],
            &sums,
        );
        // 1 * 3 + 2 * 5 + (1 + 2)
        assert_eq!(weight.double(), [3.0, 0.0, 0.0, 16.0]);
        assert_eq!(bias.double(), [10.0]);
    }
}
