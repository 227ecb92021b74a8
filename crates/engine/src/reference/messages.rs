//! Messages over the entries of a graph: `activation(source + target + weight * scale + bias)`.
//!
//! Row u of the graph gathers: its message over entry e comes from the other end of e (source)
//! to u itself (target).

use std::ops::Range;

use super::linear::activate;
use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Gradient, MessageLists, MessageNetworks, MessageTerms};
use crate::graph::Edges;

impl MessageNetworks for Reference {}

impl MessageLists for Reference {
    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    ) {
        messages(edges, rows, terms, columns, out.double_mut());
    }

    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        source_gradient(edges, dy.double(), columns, sum_into(dx));
    }
}

/// Terms of `[n_nodes, columns]` -> `out [entries of rows, columns]`.
pub fn messages(
    edges: &Edges,
    rows: Range<usize>,
    terms: &MessageTerms<'_>,
    columns: usize,
    out: &mut [f64],
) {
    let entries = edges.entries(&rows);
    let first = entries.start;
    for entry in entries {
        for c in 0..columns {
            out[(entry - first) * columns + c] = message(edges, entry, terms, columns, c);
        }
    }
}

/// Column `c` of the message over one entry.
pub fn message(
    edges: &Edges,
    entry: usize,
    terms: &MessageTerms<'_>,
    columns: usize,
    c: usize,
) -> f64 {
    let mut sum = 0.0;
    if let Some(source) = terms.source {
        let v = edges.neighbours.host()[entry] as usize;
        sum += source.double()[v * columns + c];
    }
    if let Some(target) = terms.target {
        let u = edges.rows.host()[entry] as usize;
        sum += target.double()[u * columns + c];
    }
    if let Some((weights, scale)) = terms.scaled {
        sum += weights.double()[entry] * scale.double()[c];
    }
    if let Some(bias) = terms.bias {
        sum += bias.double()[c];
    }
    activate(terms.activation, sum)
}

/// `dy [n_entries, columns]` -> adds to `dx [n_nodes, columns]`.
pub fn source_gradient(edges: &Edges, dy: &[f64], columns: usize, dx: &mut [f64]) {
    for (entry, &v) in edges.neighbours.host().iter().enumerate() {
        for c in 0..columns {
            dx[v as usize * columns + c] += dy[entry * columns + c];
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::device::Activation;

    /// 0 - 1 - 2 without loops: entries 0-1, 1-0, 1-2, 2-1.
    pub fn path() -> Edges {
        Edges::new(3, vec![0, 1, 1, 2], vec![1, 0, 2, 1]).unwrap()
    }

    #[test]
    fn all_terms_are_summed_and_activated() {
        let source = Buffer::Double(vec![1.0, 2.0, 4.0]);
        let target = Buffer::Double(vec![10.0, 20.0, 40.0]);
        let weights = Buffer::Double(vec![0.1, 0.2, 0.3, 0.4]);
        let scale = Buffer::Double(vec![1000.0]);
        let bias = Buffer::Double(vec![-250.0]);
        let terms = MessageTerms {
            source: Some(&source),
            target: Some(&target),
            scaled: Some((&weights, &scale)),
            bias: Some(&bias),
            activation: Activation::Relu,
        };
        let mut out = [9.0; 4];
        messages(&path(), 0..3, &terms, 1, &mut out);
        assert_eq!(out, [0.0, 0.0, 74.0, 192.0]);
    }

    #[test]
    fn some_rows_give_their_entries_only() {
        let source = Buffer::Double(vec![1.0, -1.0, 2.0, -2.0, 4.0, -4.0]);
        let terms = MessageTerms {
            source: Some(&source),
            target: None,
            scaled: None,
            bias: None,
            activation: Activation::None,
        };
        let mut out = [9.0; 6];
        messages(&path(), 1..3, &terms, 2, &mut out);
        assert_eq!(out, [1.0, -1.0, 4.0, -4.0, 2.0, -2.0]);
    }

    #[test]
    fn a_source_collects_from_the_entries_that_read_it() {
        let mut dx = [0.0; 3];
        source_gradient(&path(), &[1.0, 2.0, 3.0, 4.0], 1, &mut dx);
        assert_eq!(dx, [2.0, 5.0, 3.0]);
    }
}
