//! The maximum of messages that are never stored.

use super::messages::Terms;
use super::segments::{Largest, origin_parts};
use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::{Buffer, Indices};
use crate::device::{GatherMaxima, Gradient, MessageTerms};
use crate::graph::Edges;

impl GatherMaxima for Cpu {
    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let terms = Terms::new(terms);
        let n_nodes = edges.n_nodes();
        let origin = origin_parts(origin, n_nodes * columns);
        let out = Parts::new(&mut out.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            let (mut message, mut wide) = ([0.0f32; GATHER_COLUMNS], Vec::new());
            for node in piece {
                let values = node * columns..(node + 1) * columns;
                // SAFETY: nodes have rows of their own.
                let (out, origin) = unsafe {
                    (out.part(values.clone()), origin.as_ref().map(|origin| origin.part(values)))
                };
                let range = offsets[node]..offsets[node + 1];
                let mut largest = Largest::new(out, origin, &range);
                for entry in range {
                    let neighbour = neighbours[entry as usize] as usize;
                    match (&terms, columns) {
                        (
                            Terms {
                                source: Some(source),
                                target: None,
                                scaled: None,
                                bias: None,
                                relu: false,
                            },
                            _,
                        ) => {
                            let x = &source[neighbour * columns..(neighbour + 1) * columns];
                            largest.take(x, entry);
                        }
                        (_, ..=GATHER_COLUMNS) => {
                            let message = &mut message[..columns];
                            terms.message(entry as usize, node, neighbour, message);
                            largest.take(message, entry);
                        }
                        _ => {
                            wide.resize(columns, 0.0);
                            terms.message(entry as usize, node, neighbour, &mut wide);
                            largest.take(&wide, entry);
                        }
                    }
                }
            }
        });
    }

    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let reverse = edges.reverse.host();
        let (dy, origin) = (dy.single(), &origin.values);
        let add = dx.add;
        let n_nodes = edges.n_nodes();
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                // SAFETY: nodes have rows of their own.
                let dx = unsafe { dx.part(node * columns..(node + 1) * columns) };
                if !add {
                    dx.fill(0.0);
                }
                for entry in offsets[node] as usize..offsets[node + 1] as usize {
                    let first = neighbours[entry] as usize * columns;
                    let values = first..first + columns;
                    rows::add_where(&origin[values.clone()], reverse[entry], &dy[values], dx);
                }
            }
        });
    }

    fn gather_max_scale_gradient(
        &self,
        dy: &Buffer,
        weights: &Buffer,
        rows: usize,
        columns: usize,
        origin: &Indices,
        out: Gradient<'_>,
    ) {
        let (dy, weights) = (dy.single(), weights.single());
        let out = Parts::new(self.added(out));
        self.by_columns(2 * rows, columns, |piece| {
            // SAFETY: pieces of columns do not overlap.
            let out = unsafe { out.part(piece.clone()) };
            for row in 0..rows {
                let values = row * columns + piece.start..row * columns + piece.end;
                let pairs = dy[values.clone()].iter().zip(&origin.values[values]);
                for (out, (dy, origin)) in out.iter_mut().zip(pairs) {
                    if *origin != u32::MAX {
                        *out += weights[*origin as usize] * dy;
                    }
                }
            }
        });
    }
}

/// Messages of up to so many columns are built on the stack.
const GATHER_COLUMNS: usize = 1024;
