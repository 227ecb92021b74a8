//! A number for each edge: the product of what its two ends say.

use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{EdgeProducts, Gradient};
use crate::graph::Edges;

impl EdgeProducts for Reference {
    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    ) {
        edge_dot(edges, source.double(), target.double(), columns, out.double_mut());
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
        edge_dot_gradient(edges, dy.double(), other.double(), of_source, columns, sum_into(dx));
    }
}

/// `source` and `target [n_nodes, columns]` -> `out [n_entries]`.
pub fn edge_dot(edges: &Edges, source: &[f64], target: &[f64], columns: usize, out: &mut [f64]) {
    for (entry, out) in out.iter_mut().enumerate() {
        let (u, v) = ends(edges, entry);
        *out = 0.0;
        for c in 0..columns {
            *out += source[u * columns + c] * target[v * columns + c];
        }
    }
}

/// `dy [n_entries]`, `other [n_nodes, columns]` -> adds to `dx [n_nodes, columns]`.
pub fn edge_dot_gradient(
    edges: &Edges,
    dy: &[f64],
    other: &[f64],
    of_source: bool,
    columns: usize,
    dx: &mut [f64],
) {
    for (entry, dy) in dy.iter().enumerate() {
        let (u, v) = ends(edges, entry);
        let (to, from) = if of_source { (u, v) } else { (v, u) };
        for c in 0..columns {
            dx[to * columns + c] += dy * other[from * columns + c];
        }
    }
}

/// The nodes at the two ends of an entry: (row, neighbour).
fn ends(edges: &Edges, entry: usize) -> (usize, usize) {
    (edges.rows.host()[entry] as usize, edges.neighbours.host()[entry] as usize)
}

#[cfg(test)]
mod tests {
    use super::super::messages::tests::path;
    use super::*;

    #[test]
    fn columns_are_summed() {
        let mut out = [9.0; 4];
        let source = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        edge_dot(&path(), &source, &[1.0, 0.0, 1.0, 10.0, 0.0, 1.0], 2, &mut out);
        assert_eq!(out, [21.0, 3.0, 4.0, 65.0]);
    }

    #[test]
    fn each_end_gets_the_other_times_the_gradient() {
        let (dy, other) = ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0, 100.0]);
        let mut d_source = [0.0; 3];
        edge_dot_gradient(&path(), &dy, &other, true, 1, &mut d_source);
        assert_eq!(d_source, [10.0, 302.0, 40.0]);
        let mut d_target = [0.0; 3];
        edge_dot_gradient(&path(), &dy, &other, false, 1, &mut d_target);
        assert_eq!(d_target, [20.0, 401.0, 30.0]);
    }
}
