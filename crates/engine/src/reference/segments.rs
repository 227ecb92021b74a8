//! Many rows become one: the maximum, sum or mean of each segment, column by column.
//!
//! An empty segment gives 0. The maximum remembers the row it came from, the first where several
//! are equal, and its gradient goes there alone.

use super::{Reference, resized, sum_into};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Reduction, SegmentReductions};
use crate::graph::Segments;

impl SegmentReductions for Reference {
    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let origin = origin.map(|origin| resized(origin, out.len()));
        segment_reduce(reduction, x.double(), segments, rows, columns, out.double_mut(), origin);
    }

    fn segment_reduce_gradient(
        &self,
        reduction: Reduction,
        dy: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        origin: Option<&Indices>,
        dx: Gradient<'_>,
    ) {
        segment_reduce_gradient(
            reduction,
            dy.double(),
            segments,
            rows,
            columns,
            origin.map(Indices::host),
            sum_into(dx),
        );
    }
}

/// `x [rows, columns]` -> `out [segments, columns]`, and `origin [segments, columns]` of a maximum.
pub fn segment_reduce(
    reduction: Reduction,
    x: &[f64],
    segments: &Segments,
    rows: usize,
    columns: usize,
    out: &mut [f64],
    mut origin: Option<&mut [u32]>,
) {
    for s in 0..segments.count(rows) {
        for c in 0..columns {
            let (mut largest, mut from, mut sum) = (0.0, u32::MAX, 0.0);
            for r in segments.range(s) {
                let value = x[r * columns + c];
                sum += value;
                if from == u32::MAX || value > largest {
                    (largest, from) = (value, r as u32);
                }
            }
            out[s * columns + c] = match reduction {
                Reduction::Max => largest,
                Reduction::Sum => sum,
                Reduction::Mean => sum / segments.range(s).len().max(1) as f64,
            };
            if let Some(origin) = origin.as_deref_mut() {
                origin[s * columns + c] = from;
            }
        }
    }
}

/// `dy [segments, columns]`, `origin [segments, columns]` of a maximum -> adds to
/// `dx [rows, columns]`.
pub fn segment_reduce_gradient(
    reduction: Reduction,
    dy: &[f64],
    segments: &Segments,
    rows: usize,
    columns: usize,
    origin: Option<&[u32]>,
    dx: &mut [f64],
) {
    for s in 0..segments.count(rows) {
        for c in 0..columns {
            let dy = dy[s * columns + c];
            match reduction {
                Reduction::Max => {
                    let origin = origin.expect("the gradient of a maximum is given its origin");
                    let from = origin[s * columns + c];
                    if from != u32::MAX {
                        dx[from as usize * columns + c] += dy;
                    }
                }
                Reduction::Sum => {
                    for r in segments.range(s) {
                        dx[r * columns + c] += dy;
                    }
                }
                Reduction::Mean => {
                    let n = segments.range(s).len() as f64;
                    for r in segments.range(s) {
                        dx[r * columns + c] += dy / n;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::buffer::Indices;

    /// Rows 0 to 2, none, row 3.
    fn segments() -> Segments {
        Segments::Offsets(Arc::new(Indices::new(vec![0, 3, 3, 4])))
    }

    const X: [f64; 8] = [-1.0, 4.0, -1.0, 7.0, -4.0, 7.0, -8.0, 9.0];

    #[test]
    fn the_first_largest_wins() {
        let (mut out, mut origin) = ([9.0; 6], [9; 6]);
        segment_reduce(Reduction::Max, &X, &segments(), 4, 2, &mut out, Some(&mut origin));
        assert_eq!(out, [-1.0, 7.0, 0.0, 0.0, -8.0, 9.0]);
        assert_eq!(origin, [0, 1, u32::MAX, u32::MAX, 3, 3]);
    }

    #[test]
    fn sums_and_means_of_nothing_are_zero() {
        let mut out = [9.0; 6];
        segment_reduce(Reduction::Sum, &X, &segments(), 4, 2, &mut out, None);
        assert_eq!(out, [-6.0, 18.0, 0.0, 0.0, -8.0, 9.0]);
        segment_reduce(Reduction::Mean, &X, &segments(), 4, 2, &mut out, None);
        assert_eq!(out, [-2.0, 6.0, 0.0, 0.0, -8.0, 9.0]);
    }

    #[test]
    fn gradients_go_to_the_origin_or_to_all() {
        let (dy, segments) = ([3.0, 10.0, 20.0], segments());
        let mut dx = [0.0; 4];
        let origin = [1, u32::MAX, 3];
        segment_reduce_gradient(Reduction::Max, &dy, &segments, 4, 1, Some(&origin), &mut dx);
        assert_eq!(dx, [0.0, 3.0, 0.0, 20.0]);
        let mut dx = [0.0; 4];
        segment_reduce_gradient(Reduction::Sum, &dy, &segments, 4, 1, None, &mut dx);
        assert_eq!(dx, [3.0, 3.0, 3.0, 20.0]);
        let mut dx = [0.0; 4];
        segment_reduce_gradient(Reduction::Mean, &dy, &segments, 4, 1, None, &mut dx);
        assert_eq!(dx, [1.0, 1.0, 1.0, 20.0]);
    }

    #[test]
    fn segments_of_one_length_split_the_rows() {
        let mut out = [9.0; 2];
        let x = [1.0, 2.0, 3.0, 4.0];
        segment_reduce(Reduction::Sum, &x, &Segments::Every(2), 4, 1, &mut out, None);
        assert_eq!(out, [3.0, 7.0]);
    }
}
