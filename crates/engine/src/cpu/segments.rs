//! Many rows become one.

use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Reduction, SegmentReductions};
use crate::graph::Segments;

impl SegmentReductions for Cpu {
    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        mut origin: Option<&mut Indices>,
    ) {
        let x = x.single();
        let count = segments.count(rows);
        let mut unused = [];
        let origin = Parts::new(match &mut origin {
            Some(origin) => {
                origin.0.resize(count * columns, u32::MAX);
                origin.0.as_mut_slice()
            }
            None => &mut unused[..],
        });
        let out = Parts::new(&mut out.single_mut()[..count * columns]);
        let work = columns * rows.div_ceil(count.max(1));
        self.by_rows(count, work, |piece| {
            for segment in piece {
                let values = segment * columns..(segment + 1) * columns;
                let range = segments.range(segment);
                // SAFETY: segments have rows of their own.
                let out = unsafe { out.part(values.clone()) };
                if reduction == Reduction::Max {
                    // SAFETY: as above.
                    let origin = unsafe { origin.part(values) };
                    let empty = range.is_empty();
                    out.fill(if empty { 0.0 } else { f32::NEG_INFINITY });
                    origin.fill(if empty { u32::MAX } else { range.start as u32 });
                    for row in range {
                        let x = &x[row * columns..(row + 1) * columns];
                        rows::take_larger(x, row as u32, out, origin);
                    }
                    continue;
                }
                out.fill(0.0);
                let len = range.len();
                for row in range {
                    rows::add(&x[row * columns..(row + 1) * columns], out);
                }
                if reduction == Reduction::Mean && len > 1 {
                    out.iter_mut().for_each(|y| *y /= len as f32);
                }
            }
        });
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
        let dy = dy.single();
        let count = segments.count(rows);
        let add = dx.add;
        let dx = Parts::new(&mut dx.buffer.single_mut()[..rows * columns]);
        let work = columns * rows.div_ceil(count.max(1));
        self.by_rows(count, work, |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let dy = &dy[segment * columns..(segment + 1) * columns];
                // SAFETY: segments have rows of their own.
                let dx = unsafe { dx.part(range.start * columns..range.end * columns) };
                if reduction != Reduction::Max && !add {
                    dx.fill(0.0);
                }
                match (reduction, origin) {
                    (Reduction::Max, Some(origin)) => {
                        let origin = &origin.0[segment * columns..(segment + 1) * columns];
                        for (row, dx) in (range.start as u32..).zip(dx.chunks_exact_mut(columns)) {
                            if add {
                                rows::add_where(origin, row, dy, dx);
                            } else {
                                rows::take_where(origin, row, dy, dx);
                            }
                        }
                    }
                    (Reduction::Max, None) => unreachable!("a maximum notes where it came from"),
                    (Reduction::Sum, _) => {
                        dx.chunks_exact_mut(columns).for_each(|dx| rows::add(dy, dx));
                    }
                    (Reduction::Mean, _) => {
                        let factor = 1.0 / range.len().max(1) as f32;
                        dx.chunks_exact_mut(columns)
                            .for_each(|dx| rows::add_scaled(factor, dy, dx));
                    }
                }
            }
        });
    }
}
