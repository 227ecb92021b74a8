//! Messages, one for every entry.

use std::ops::Range;

use super::chosen_rows::AddRows;
use super::lanes::run;
use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{Activation, Gradient, MessageLists, MessageNetworks, MessageTerms};
use crate::graph::Edges;

impl MessageNetworks for Cpu {}

impl MessageLists for Cpu {
    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    ) {
        let entries = edges.entries(&rows);
        let (row_of, neighbours) = (edges.rows.host(), edges.neighbours.host());
        let terms = Terms::new(terms);
        let out = Parts::new(out.single_mut());
        self.by_rows(entries.len(), columns, |piece| {
            // SAFETY: pieces of entries do not overlap.
            let out = unsafe { out.part(piece.start * columns..piece.end * columns) };
            for (i, out) in piece.zip(out.chunks_exact_mut(columns)) {
                let entry = entries.start + i;
                terms.message(entry, row_of[entry] as usize, neighbours[entry] as usize, out);
            }
        });
    }

    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (offsets, reverse) = (edges.offsets.host(), edges.reverse.host());
        let dy = dy.single();
        let add = dx.add;
        let n_nodes = edges.n_nodes();
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            // SAFETY: pieces of nodes do not overlap.
            let dx = unsafe { dx.part(piece.start * columns..piece.end * columns) };
            for (node, dx) in piece.zip(dx.chunks_exact_mut(columns)) {
                if !add {
                    dx.fill(0.0);
                }
                let entries = offsets[node] as usize..offsets[node + 1] as usize;
                let terms = entries.map(|entry| (1.0, reverse[entry] as usize));
                run(AddRows { terms, x: dy, to: dx });
            }
        });
    }
}

/// What one message adds up to, row by row.
pub(super) struct Terms<'a> {
    pub(super) source: Option<&'a [f32]>,
    pub(super) target: Option<&'a [f32]>,
    pub(super) scaled: Option<(&'a [f32], &'a [f32])>,
    pub(super) bias: Option<&'a [f32]>,
    pub(super) relu: bool,
}

impl<'a> Terms<'a> {
    pub(super) fn new(terms: &MessageTerms<'a>) -> Self {
        Self {
            source: terms.source.map(Buffer::single),
            target: terms.target.map(Buffer::single),
            scaled: terms.scaled.map(|(weights, scale)| (weights.single(), scale.single())),
            bias: terms.bias.map(Buffer::single),
            relu: terms.activation == Activation::Relu,
        }
    }

    pub(super) fn message(&self, entry: usize, row: usize, neighbour: usize, out: &mut [f32]) {
        let columns = out.len();
        let at = |x: &'a [f32], i: usize| &x[i * columns..(i + 1) * columns];
        if let (Some(source), Some(target), None, None) =
            (self.source, self.target, self.scaled, self.bias)
        {
            let (source, target) = (at(source, neighbour), at(target, row));
            if self.relu {
                rows::relu_of_two(source, target, out);
            } else {
                rows::sum_of_two(source, target, out);
            }
            return;
        }
        match (self.source, self.target) {
            (Some(source), Some(target)) => {
                rows::sum_of_two(at(source, neighbour), at(target, row), out);
            }
            (Some(source), None) => out.copy_from_slice(at(source, neighbour)),
            (None, Some(target)) => out.copy_from_slice(at(target, row)),
            (None, None) => out.fill(0.0),
        }
        if let Some((weights, scale)) = self.scaled {
            rows::add_scaled(weights[entry], scale, out);
        }
        if let Some(bias) = self.bias {
            rows::add(bias, out);
        }
        if self.relu {
            rows::relu(out);
        }
    }
}
