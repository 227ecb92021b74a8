//! Many rows become one.

use std::ops::Range;

use super::chosen_rows::AddRows;
use super::lanes::run;
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
        origin: Option<&mut Indices>,
    ) {
        let x = x.single();
        let count = segments.count(rows);
        let origin = origin_parts(origin, count * columns);
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
                    let origin = origin.as_ref().map(|origin| unsafe { origin.part(values) });
                    let among = range.start as u32..range.end as u32;
                    let mut largest = Largest::new(out, origin, &among);
                    for row in among {
                        largest.take(&x[row as usize * columns..(row as usize + 1) * columns], row);
                    }
                    continue;
                }
                out.fill(0.0);
                let len = range.len();
                run(AddRows { terms: range.map(|row| (1.0, row)), x, to: out });
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
                        let origin = &origin.values[segment * columns..(segment + 1) * columns];
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

/// Memory of where maxima came from, made to fit.
pub(super) fn origin_parts(origin: Option<&mut Indices>, len: usize) -> Option<Parts<'_, u32>> {
    origin.map(|origin| {
        origin.values.resize(len, u32::MAX);
        Parts::new(origin.values.as_mut_slice())
    })
}

/// The largest of some rows, column by column, and if wanted which it is.
pub(super) struct Largest<'a> {
    values: &'a mut [f32],
    origin: Option<&'a mut [u32]>,
}

impl<'a> Largest<'a> {
    /// Before any of the rows was taken; 0 and no row where there are none.
    pub(super) fn new(
        values: &'a mut [f32],
        mut origin: Option<&'a mut [u32]>,
        among: &Range<u32>,
    ) -> Self {
        values.fill(if among.is_empty() { 0.0 } else { f32::NEG_INFINITY });
        if let Some(origin) = &mut origin {
            origin.fill(if among.is_empty() { u32::MAX } else { among.start });
        }
        Self { values, origin }
    }

    pub(super) fn take(&mut self, x: &[f32], row: u32) {
        match &mut self.origin {
            Some(origin) => rows::take_larger(x, row, self.values, origin),
            None => rows::larger(x, self.values),
        }
    }
}
