//! The gradient of a linear layer whose results were reduced by a maximum.

use super::Cpu;
use super::chosen_rows::{Collect, Spread};
use super::lanes::run;
use super::team::Parts;
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, LinearMaxima};
use crate::graph::Edges;

impl LinearMaxima for Cpu {
    fn linear_max_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        let (dy, shape) = (dy.single(), (columns, width));
        if let Some(dx) = dx {
            self.linear_max_input_gradient(edges, dy, origin.host(), weight.single(), shape, dx);
        }
        if let Some(dw) = dw {
            self.linear_max_weight_gradient(dy, origin.host(), x.single(), shape, dw);
        }
    }
}

impl Cpu {
    fn linear_max_input_gradient(
        &self,
        edges: &Edges,
        dy: &[f32],
        origin: &[u32],
        weight: &[f32],
        (columns, width): (usize, usize),
        dx: Gradient<'_>,
    ) {
        let offsets = edges.offsets.host();
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
                    let origin = &origin[values.clone()];
                    let first = entries.start as u32;
                    run(Spread { dy: &dy[values], origin, first, weight, width, dx });
                }
            }
        });
    }

    fn linear_max_weight_gradient(
        &self,
        dy: &[f32],
        origin: &[u32],
        x: &[f32],
        (columns, width): (usize, usize),
        dw: Gradient<'_>,
    ) {
        self.count((dy.len() / columns.max(1), columns, width));
        let dw = Parts::new(self.added(dw));
        // So many rows of the weight stay in the first-level cache while all of x passes.
        self.team.pieces(columns, (4096 / width.max(1)).clamp(1, 32), |piece| {
            // SAFETY: pieces of rows of the weight do not overlap.
            let dw = unsafe { dw.part(piece.start * width..piece.end * width) };
            let from = piece.start;
            run(Collect { dy, origin, columns, from, x, width, dw });
        });
    }
}
