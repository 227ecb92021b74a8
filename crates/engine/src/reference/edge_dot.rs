//! A number for each edge: the product of what its two ends say.
//!
//! With several copies of a graph below each other, node u of copy k is row `k * n_nodes + u`.

use crate::graph::Edges;

/// `source` and `target [copies * n_nodes, columns]` -> `out [copies * n_entries]`.
pub fn edge_dot(
    edges: &Edges,
    copies: usize,
    source: &[f64],
    target: &[f64],
    columns: usize,
    out: &mut [f64],
) {
    for copy in 0..copies {
        for entry in 0..edges.n_entries() {
            let (u, v) = ends(edges, copy, entry);
            let mut sum = 0.0;
            for c in 0..columns {
                sum += source[u * columns + c] * target[v * columns + c];
            }
            out[copy * edges.n_entries() + entry] = sum;
        }
    }
}

/// `dy [copies * n_entries]`, `other [copies * n_nodes, columns]` -> adds to
/// `dx [copies * n_nodes, columns]`.
pub fn edge_dot_gradient(
    edges: &Edges,
    copies: usize,
    dy: &[f64],
    other: &[f64],
    of_source: bool,
    columns: usize,
    dx: &mut [f64],
) {
    for copy in 0..copies {
        for entry in 0..edges.n_entries() {
            let (u, v) = ends(edges, copy, entry);
            let (to, from) = if of_source { (u, v) } else { (v, u) };
            let dy = dy[copy * edges.n_entries() + entry];
            for c in 0..columns {
                dx[to * columns + c] += dy * other[from * columns + c];
            }
        }
    }
}

/// The rows of the two ends of an entry: (row, neighbour).
fn ends(edges: &Edges, copy: usize, entry: usize) -> (usize, usize) {
    let first = copy * edges.n_nodes();
    let (u, v) = (edges.rows.host()[entry], edges.neighbours.host()[entry]);
    (first + u as usize, first + v as usize)
}

#[cfg(test)]
mod tests {
    use super::super::messages::tests::path;
    use super::*;

    #[test]
    fn every_copy_multiplies_its_own_rows() {
        // entries 0-1, 1-0, 1-2, 2-1
        let source = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0];
        let target = [1.0, 10.0, 100.0, 1.0, 1.0, 2.0];
        let mut out = [9.0; 8];
        edge_dot(&path(), 2, &source, &target, 1, &mut out);
        assert_eq!(out, [10.0, 2.0, 200.0, 30.0, 10.0, 20.0, 40.0, 30.0]);
    }

    #[test]
    fn columns_are_summed() {
        let mut out = [9.0; 4];
        let source = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        edge_dot(&path(), 1, &source, &[1.0, 0.0, 1.0, 10.0, 0.0, 1.0], 2, &mut out);
        assert_eq!(out, [21.0, 3.0, 4.0, 65.0]);
    }

    #[test]
    fn each_end_gets_the_other_times_the_gradient() {
        let (dy, other) = ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0, 100.0]);
        let mut d_source = [0.0; 3];
        edge_dot_gradient(&path(), 1, &dy, &other, true, 1, &mut d_source);
        assert_eq!(d_source, [10.0, 302.0, 40.0]);
        let mut d_target = [0.0; 3];
        edge_dot_gradient(&path(), 1, &dy, &other, false, 1, &mut d_target);
        assert_eq!(d_target, [20.0, 401.0, 30.0]);
    }
}
