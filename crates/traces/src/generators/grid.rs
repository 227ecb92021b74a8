//! Grids: nodes in rows, joined to the next one and to the one below.
//!
//! As square as n allows: floor(sqrt(n)) rows of equal length, the last one shorter where n is no
//! product of the two, so every size works and a prime is no path. Nodes are numbered row by row
//! and their places are kept for drawing. O(n).

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;

/// Grid graphs.
pub static FAMILY: Family = Family {
    name: "grid",
    aliases: &[],
    summary: "grid: rows of nodes joined to the next and the one below, nearly square",
    parameters: &[],
    build: |_| Ok(Box::new(Grid)),
};

#[derive(Debug)]
struct Grid;

impl Generator for Grid {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, _rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let columns = n_nodes.div_ceil(n_nodes.isqrt());
        let mut edges = Vec::with_capacity(2 * n_nodes);
        for u in 0..n_nodes {
            let (right, below) = (u + 1, u + columns);
            if right % columns != 0 && right < n_nodes {
                edges.push((u as u32, right as u32));
            }
            if below < n_nodes {
                edges.push((u as u32, below as u32));
            }
        }
        // The longer side, a row, spans the unit interval.
        let spacing = 1.0 / (columns - 1) as f64;
        let place = |u| [(u % columns) as f64 * spacing, (u / columns) as f64 * spacing];
        let positions = (0..n_nodes).map(place).collect();
        Ok(Graph::from_edges(n_nodes, &edges)?.with_positions(positions)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    fn edges(n_nodes: usize) -> Vec<(u32, u32)> {
        let grid = Grid.generate(n_nodes, &mut random::stream([0; 32], 0)).unwrap();
        grid.edges().collect()
    }

    #[test]
    fn a_prime_number_of_nodes_leaves_the_last_row_short() {
        // 0 - 1 - 2 - 3
        // |   |   |
        // 4 - 5 - 6
        let expected = [(0, 1), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (4, 5), (5, 6)];
        assert_eq!(edges(7), expected);
    }

    #[test]
    fn square_numbers_give_square_grids() {
        assert_eq!(edges(9).len(), 12);
        assert_eq!(edges(1600).len(), 2 * 40 * 39);
    }

    #[test]
    fn the_smallest_grids_are_paths() {
        assert_eq!(edges(2), [(0, 1)]);
        assert_eq!(edges(3), [(0, 1), (1, 2)]);
    }
}
