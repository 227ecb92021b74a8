//! The maximum over the messages of each row, without storing the messages.
//!
//! The same as `messages` and a maximum over each row's entries. The origin is the entry whose
//! activated message is the first largest, so gradients, already zero where the activation is,
//! go to one entry for each value.

use super::messages::message;
use super::{Reference, resized, sum_into};
use crate::buffer::{Buffer, Indices};
use crate::device::{GatherMaxima, Gradient, MessageTerms};
use crate::graph::Edges;

impl GatherMaxima for Reference {
    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let mut unwanted = Indices::default();
        let origin = resized(origin.unwrap_or(&mut unwanted), out.len());
        gather_max(edges, terms, columns, out.double_mut(), origin);
    }

    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    ) {
        source_gradient(edges, dy.double(), columns, origin.host(), sum_into(dx));
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
        scale_gradient(dy.double(), weights.double(), rows, columns, origin.host(), sum_into(out));
    }
}

/// Terms of `[n_nodes, columns]` -> `out` and `origin [n_nodes, columns]`.
pub fn gather_max(
    edges: &Edges,
    terms: &MessageTerms<'_>,
    columns: usize,
    out: &mut [f64],
    origin: &mut [u32],
) {
    for u in 0..edges.n_nodes() {
        for c in 0..columns {
            let (mut largest, mut from) = (0.0, u32::MAX);
            for entry in edges.entries(&(u..u + 1)) {
                let value = message(edges, entry, terms, columns, c);
                if from == u32::MAX || value > largest {
                    (largest, from) = (value, entry as u32);
                }
            }
            out[u * columns + c] = largest;
            origin[u * columns + c] = from;
        }
    }
}

/// `dy` and `origin [n_nodes, columns]` -> adds to `dx [n_nodes, columns]`.
pub fn source_gradient(edges: &Edges, dy: &[f64], columns: usize, origin: &[u32], dx: &mut [f64]) {
    for u in 0..edges.n_nodes() {
        for c in 0..columns {
            let entry = origin[u * columns + c];
            if entry != u32::MAX {
                let v = edges.neighbours.host()[entry as usize] as usize;
                dx[v * columns + c] += dy[u * columns + c];
            }
        }
    }
}

/// `dy` and `origin [rows, columns]`, `weights [n_entries]` -> adds to `out [columns]`.
pub fn scale_gradient(
    dy: &[f64],
    weights: &[f64],
    rows: usize,
    columns: usize,
    origin: &[u32],
    out: &mut [f64],
) {
    for r in 0..rows {
        for c in 0..columns {
            let entry = origin[r * columns + c];
            if entry != u32::MAX {
                out[c] += dy[r * columns + c] * weights[entry as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::tests::path;
    use super::*;
    use crate::buffer::Buffer;
    use crate::device::Activation;

    #[test]
    fn the_largest_message_and_its_entry_are_kept() {
        // entries 0-1, 1-0, 1-2, 2-1; sources 1 and 2 swap order in the second column
        let source = Buffer::Double(vec![1.0, 5.0, 2.0, -7.0, 4.0, 3.0]);
        let weights = Buffer::Double(vec![0.0, 8.0, 1.0, 0.0]);
        let scale = Buffer::Double(vec![0.5, 0.5]);
        let terms = MessageTerms {
            source: Some(&source),
            target: None,
            scaled: Some((&weights, &scale)),
            bias: None,
            activation: Activation::Relu,
        };
        let (mut out, mut origin) = ([9.0; 6], [9; 6]);
        gather_max(&path(), &terms, 2, &mut out, &mut origin);
        assert_eq!(out, [2.0, 0.0, 5.0, 9.0, 2.0, 0.0]);
        assert_eq!(origin, [0, 0, 1, 1, 3, 3]);
    }

    #[test]
    fn the_first_of_equals_wins_and_a_lone_node_has_none() {
        // 0 - 1 - 2 and 3 alone
        let edges = Edges::new(4, vec![0, 1, 1, 2], vec![1, 0, 2, 1]).unwrap();
        let source = Buffer::Double(vec![-3.0; 4]);
        let terms = MessageTerms {
            source: Some(&source),
            target: None,
            scaled: None,
            bias: None,
            activation: Activation::None,
        };
        let (mut out, mut origin) = ([9.0; 4], [9; 4]);
        gather_max(&edges, &terms, 1, &mut out, &mut origin);
        assert_eq!(out, [-3.0, -3.0, -3.0, 0.0]);
        assert_eq!(origin, [0, 1, 3, u32::MAX]);
    }

    #[test]
    fn gradients_follow_the_origin() {
        let origin = [0, 2, u32::MAX];
        let mut dx = [0.0; 3];
        source_gradient(&path(), &[1.0, 2.0, 4.0], 1, &origin, &mut dx);
        assert_eq!(dx, [0.0, 1.0, 2.0]);
        let mut d_scale = [0.0];
        scale_gradient(&[1.0, 2.0, 4.0], &[3.0, 9.0, 5.0, 9.0], 3, 1, &origin, &mut d_scale);
        assert_eq!(d_scale, [13.0]);
    }
}
