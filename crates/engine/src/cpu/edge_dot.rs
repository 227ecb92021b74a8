//! A number for each edge from what its two ends say.

use super::chosen_rows::AddRows;
use super::lanes::run;
use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{EdgeProducts, Gradient};
use crate::graph::Edges;

impl EdgeProducts for Cpu {
    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let (source, target) = (source.single(), target.single());
        let (n_nodes, n_entries) = (edges.n_nodes(), edges.n_entries());
        let out = Parts::new(&mut out.single_mut()[..n_entries]);
        let work = columns * n_entries.div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                let range = offsets[node] as usize..offsets[node + 1] as usize;
                let source = &source[node * columns..(node + 1) * columns];
                // SAFETY: nodes have entries of their own.
                let out = unsafe { out.part(range.clone()) };
                for (out, &neighbour) in out.iter_mut().zip(&neighbours[range]) {
                    let at = neighbour as usize * columns;
                    *out = rows::dot(source, &target[at..at + columns]);
                }
            }
        });
    }

    fn edge_dot_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        other: &Buffer,
        of_source: bool,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let reverse = edges.reverse.host();
        let (dy, other) = (dy.single(), other.single());
        let (n_nodes, n_entries) = (edges.n_nodes(), edges.n_entries());
        let add = dx.add;
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * n_entries.div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                // SAFETY: rows do not overlap.
                let dx = unsafe { dx.part(node * columns..(node + 1) * columns) };
                if !add {
                    dx.fill(0.0);
                }
                let entries = offsets[node] as usize..offsets[node + 1] as usize;
                let terms = entries.map(|entry| {
                    let from = if of_source { entry } else { reverse[entry] as usize };
                    (dy[from], neighbours[entry] as usize)
                });
                run(AddRows { terms, x: other, to: dx });
            }
        });
    }
}
