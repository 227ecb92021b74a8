//! R-MAT graphs: skewed degrees from a recursive choice of a quadrant of the adjacency matrix.
//!
//! Each of edge_factor * n edges descends ceil(log2 n) levels, at each one into the upper left,
//! upper right, lower left or lower right quadrant with probability a, b, c, d. Loops, duplicates
//! and edges outside n nodes are dropped, so fewer remain. Such graphs are practically never
//! connected: instead of redrawing, every component is **joined** to the largest one by an edge
//! between a uniform node of each. Low nodes have the high degrees. O(m log n). Reference:
//! Chakrabarti, Zhan and Faloutsos, R-MAT: a recursive model for graph mining, 2004.

use std::cmp::Reverse;

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::{Components, Graph};
use crate::parameters::{Draw, ParameterError};
use crate::random;

/// R-MAT graphs.
pub static FAMILY: Family = Family {
    name: "rmat",
    aliases: &["kronecker"],
    summary: "R-MAT: skewed degrees by recursive quadrants, components joined to the largest",
    parameters: &[
        Parameter { name: "a", default: "0.57", meaning: "probability of the upper left quadrant" },
        Parameter { name: "b", default: "0.19", meaning: "probability of the upper right one" },
        Parameter { name: "c", default: "0.19", meaning: "probability of the lower left one" },
        Parameter { name: "edge_factor", default: "8", meaning: "edges drawn for each node" },
    ],
    build: |given| {
        let a = given.real("a", 0.0..=1.0)?.unwrap_or(Draw::Constant(0.57));
        let b = given.real("b", 0.0..=1.0)?.unwrap_or(Draw::Constant(0.19));
        let c = given.real("c", 0.0..=1.0)?.unwrap_or(Draw::Constant(0.19));
        let sum = a.max() + b.max() + c.max();
        // Rounding may lift a sum meant to be 1 a little above it.
        if sum > 1.0 + 1e-9 {
            let problem = format!("expected a + b + c of at most 1, found {sum:.3}");
            return Err(ParameterError::new("a", problem));
        }
        let edge_factor = given.whole("edge_factor")?.unwrap_or(Draw::Constant(8));
        Ok(Box::new(Rmat { a, b, c, edge_factor }))
    },
};

#[derive(Debug)]
struct Rmat {
    a: Draw<f64>,
    b: Draw<f64>,
    c: Draw<f64>,
    edge_factor: Draw<u32>,
}

impl Generator for Rmat {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let quadrants = [self.a.draw(rng), self.b.draw(rng), self.c.draw(rng)];
        let n_draws = self.edge_factor.draw(rng) as usize * n_nodes;
        let mut edges = recursive_edges(n_nodes, n_draws, quadrants, rng);
        join_components(n_nodes, &mut edges, rng);
        Ok(Graph::from_edges(n_nodes, &edges)?)
    }
}

/// The distinct edges (u, v), u < v, that `n_draws` descents give, sorted.
fn recursive_edges(
    n_nodes: usize,
    n_draws: usize,
    [a, b, c]: [f64; 3],
    rng: &mut ChaCha8Rng,
) -> Vec<(u32, u32)> {
    let levels = n_nodes.next_power_of_two().trailing_zeros();
    let mut edges = Vec::new();
    for _ in 0..n_draws {
        let (mut row, mut column) = (0u32, 0u32);
        for _ in 0..levels {
            let chance = random::unit(rng);
            let is_lower = chance >= a + b;
            let is_right = if is_lower { chance >= a + b + c } else { chance >= a };
            row = 2 * row + u32::from(is_lower);
            column = 2 * column + u32::from(is_right);
        }
        if row != column && (row.max(column) as usize) < n_nodes {
            edges.push((row.min(column), row.max(column)));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Adds an edge from a uniform node of every component to a uniform node of the largest one.
fn join_components(n_nodes: usize, edges: &mut Vec<(u32, u32)>, rng: &mut ChaCha8Rng) {
    let mut components = Components::new(n_nodes);
    edges.iter().for_each(|&(u, v)| {
        components.join(u, v);
    });
    let roots: Vec<u32> = (0..n_nodes as u32).map(|u| components.find(u)).collect();
    let root = |u: u32| roots[u as usize];
    let mut nodes: Vec<u32> = (0..n_nodes as u32).collect();
    nodes.sort_by_key(|&u| root(u));
    let groups = || nodes.chunk_by(|&u, &v| root(u) == root(v));
    // The first of the largest ones, so that ties do not depend on the order of a search.
    let Some(largest) = groups().min_by_key(|group| Reverse(group.len())) else { return };
    let mut pick = |group: &[u32]| group[random::below(rng, group.len() as u32) as usize];
    for group in groups().filter(|group| root(group[0]) != root(largest[0])) {
        edges.push((pick(group), pick(largest)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::is_connected;

    #[test]
    fn every_smaller_component_is_joined_to_the_largest_by_one_edge() {
        // 0 - 1   2 - 3 - 4   5   6
        for stream in 0..50 {
            let mut edges = vec![(0, 1), (2, 3), (3, 4)];
            join_components(7, &mut edges, &mut random::stream([1; 32], stream));
            assert_eq!(edges.len(), 6);
            assert!(edges[3..].iter().all(|(_, v)| (2..=4).contains(v)), "{edges:?}");
            assert!(is_connected(7, edges));
        }
    }

    #[test]
    fn a_connected_graph_is_left_as_it_is() {
        let mut edges = vec![(0, 1), (1, 2)];
        join_components(3, &mut edges, &mut random::stream([2; 32], 0));
        assert_eq!(edges, [(0, 1), (1, 2)]);
    }

    #[test]
    fn quadrants_have_their_probabilities() {
        // Only the diagonal quadrants: every descent ends in a loop ...
        let mut rng = random::stream([3; 32], 0);
        let count = |quadrants, rng: &mut ChaCha8Rng| {
            let mut counts = [0u32; 3];
            for _ in 0..4_000 {
                for (u, v) in recursive_edges(4, 1, quadrants, rng) {
                    counts[usize::from(u >= 2) + usize::from(v >= 2)] += 1;
                }
            }
            counts
        };
        assert_eq!(count([0.5, 0.0, 0.0], &mut rng), [0, 0, 0]);
        // ... and otherwise half of those that stay in a quarter do, as b + c = 0.5.
        let [upper, across, lower] = count([0.4, 0.3, 0.2], &mut rng);
        assert!((720..880).contains(&upper), "{upper}");
        assert!((1_890..2_110).contains(&across), "{across}");
        assert!((155..245).contains(&lower), "{lower}");
    }

    #[test]
    fn degrees_are_skewed() {
        let generator = FAMILY.with(Default::default()).unwrap();
        let graph = generator.generate(4096, &mut random::stream([4; 32], 0)).unwrap();
        let mut degrees: Vec<usize> = graph.nodes().map(|u| graph.degree(u)).collect();
        degrees.sort_unstable_by_key(|&degree| Reverse(degree));
        let top: usize = degrees[..41].iter().sum();
        // One node in a hundred has more than a tenth of all edge ends.
        assert!(top * 10 > 2 * graph.n_edges(), "{top} of {}", 2 * graph.n_edges());
    }
}
