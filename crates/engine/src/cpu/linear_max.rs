//! The gradient of a linear layer whose results were reduced by a maximum.

use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, LinearMaxima};
use crate::graph::Edges;

impl LinearMaxima for Cpu {
    fn linear_max_input_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Gradient<'_>,
    ) {
        let offsets = edges.offsets.host();
        let (dy, weight) = (dy.single(), weight.single());
        let add = dx.add;
        self.count((edges.n_nodes(), columns, width));
        let dx = Parts::new(&mut dx.buffer.single_mut()[..edges.n_entries() * width]);
        self.by_rows(edges.n_nodes(), columns * width / 8, |piece| {
            for node in piece {
                let entries = offsets[node] as usize..offsets[node + 1] as usize;
                let values = node * columns..(node + 1) * columns;
                // SAFETY: nodes have entries of their own.
                let dx = unsafe { dx.part(entries.start * width..entries.end * width) };
                if !add {
                    dx.fill(0.0);
                }
                if !entries.is_empty() {
                    let origin = &origin.values[values.clone()];
                    let first = entries.start as u32;
                    rows::spread(&dy[values], origin, first, weight, width, dx);
                }
            }
        });
    }

    fn linear_max_weight_gradient(
        &self,
        _edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        columns: usize,
        width: usize,
        dw: Gradient<'_>,
    ) {
        let (dy, x) = (dy.single(), x.single());
        self.count((dy.len() / columns.max(1), columns, width));
        let dw = Parts::new(self.added(dw));
        // So many rows of the weight stay in the first-level cache while all of x passes.
        self.team.pieces(columns, (4096 / width.max(1)).clamp(1, 32), |piece| {
            // SAFETY: pieces of rows of the weight do not overlap.
            let dw = unsafe { dw.part(piece.start * width..piece.end * width) };
            rows::collect(dy, &origin.values, columns, piece.start, x, width, dw);
        });
    }
}
