//! Moving values without computing.

use std::ops::Range;

use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, Layout};

impl Layout for Cpu {
    fn columns(
        &self,
        x: &Buffer,
        _rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    ) {
        for (x, out) in
            x.single().chunks_exact(columns).zip(out.single_mut().chunks_exact_mut(width))
        {
            out.copy_from_slice(&x[starts[0]..starts[0] + width]);
            for &start in &starts[1..] {
                rows::add(&x[start..start + width], out);
            }
        }
    }

    fn columns_gradient(
        &self,
        dy: &Buffer,
        _rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    ) {
        for (dy, dx) in
            dy.single().chunks_exact(width).zip(dx.single_mut().chunks_exact_mut(columns))
        {
            for &start in starts {
                rows::add(dy, &mut dx[start..start + width]);
            }
        }
    }

    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer) {
        let x = x.single();
        let out = Parts::new(out.single_mut());
        self.by_rows(indices.len(), columns, |piece| {
            // SAFETY: pieces of rows do not overlap.
            let out = unsafe { out.part(piece.start * columns..piece.end * columns) };
            for (out, &i) in out.chunks_exact_mut(columns).zip(&indices.values[piece]) {
                out.copy_from_slice(&x[i as usize * columns..(i as usize + 1) * columns]);
            }
        });
    }

    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let dy = dy.single();
        let dx = Parts::new(self.added(dx));
        // Rows may meet in one, so threads share columns and not rows.
        self.by_columns(indices.len(), columns, |piece| {
            for (dy, &i) in dy.chunks_exact(columns).zip(&indices.values) {
                let first = i as usize * columns;
                // SAFETY: pieces of columns do not overlap.
                let dx = unsafe { dx.part(first + piece.start..first + piece.end) };
                rows::add(&dy[piece.clone()], dx);
            }
        });
    }

    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        let to = &mut to.single_mut()[at..at + range.len()];
        self.by_pairs(&from.single()[range], to, |from, to| to.copy_from_slice(from));
    }

    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        let to = &mut to.single_mut()[at..at + range.len()];
        self.by_pairs(&from.single()[range], to, rows::add);
    }

    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    ) {
        let x = x.single();
        let out = Parts::new(out.single_mut());
        self.by_rows(x.len() / width, width, |piece| {
            for row in piece {
                let at = row * stride + start;
                // SAFETY: rows do not overlap.
                let out = unsafe { out.part(at..at + width) };
                out.copy_from_slice(&x[row * width..(row + 1) * width]);
            }
        });
    }

    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    ) {
        let dy = dy.single();
        let add = dx.add;
        let dx = Parts::new(dx.buffer.single_mut());
        self.by_rows(dy.len() / stride, width, |piece| {
            for row in piece {
                // SAFETY: rows do not overlap.
                let dx = unsafe { dx.part(row * width..(row + 1) * width) };
                let dy = &dy[row * stride + start..row * stride + start + width];
                if add { rows::add(dy, dx) } else { dx.copy_from_slice(dy) }
            }
        });
    }
}
