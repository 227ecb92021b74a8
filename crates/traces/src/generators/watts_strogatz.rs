//! Watts-Strogatz small worlds: a ring lattice with some edges led elsewhere.
//!
//! Every node is joined to its k nearest on the ring, and each lattice edge (u, u + j) is rewired
//! with probability p to (u, w), w uniform over the nodes that are no neighbour of u. Every edge
//! is owned by the node it was laid from, so u-w is an edge if and only if w is among the k / 2
//! targets of u or u among those of w: no set of edges is kept. Expected cost O(n k (1 + p k)),
//! while k stays well below n. Reference: Watts and Strogatz, Collective dynamics of small-world
//! networks, Nature 393, 1998.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::Graph;
use crate::parameters::{Draw, ParameterError};
use crate::random;
use crate::redraw::until_connected;

/// Watts-Strogatz graphs.
pub static FAMILY: Family = Family {
    name: "ws",
    aliases: &["watts_strogatz"],
    summary: "Watts-Strogatz: a ring of k neighbours each, edges rewired with probability p",
    parameters: &[
        Parameter { name: "k", default: "4,6,8", meaning: "neighbours on the ring, even" },
        Parameter { name: "p", default: "0.05..0.2", meaning: "probability to rewire an edge" },
    ],
    build: |given| {
        let p = given.real("p", 0.0..=1.0)?.unwrap_or(Draw::Range { min: 0.05, max: 0.2 });
        let k = given.whole("k")?.unwrap_or_else(|| Draw::OneOf(vec![4, 6, 8]));
        if k.min() < 2 || !is_even(&k) {
            let problem = format!("expected even numbers of at least 2, like 4,6,8, found {k}");
            return Err(ParameterError::new("k", problem));
        }
        Ok(Box::new(WattsStrogatz { p, k }))
    },
};

#[derive(Debug)]
struct WattsStrogatz {
    p: Draw<f64>,
    k: Draw<u32>,
}

impl Generator for WattsStrogatz {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        let k = self.k.max();
        if k as usize >= n_nodes {
            let problem = format!("expected less than the {n_nodes} nodes of the ring, found {k}");
            return Err(ParameterError::new("k", problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let p = self.p.draw(rng);
        let k = self.k.draw(rng);
        until_connected(
            n_nodes,
            |edges| Ring::rewired(n_nodes, k as usize, p, rng).append_edges(edges),
            || (format!("k = {k}, p = {p:.6}"), "raise k or lower p".to_owned()),
        )
    }
}

/// Whether every value is even, which no range of several numbers is.
fn is_even(k: &Draw<u32>) -> bool {
    match k {
        Draw::Constant(k) => k % 2 == 0,
        Draw::OneOf(choices) => choices.iter().all(|k| k % 2 == 0),
        Draw::Range { min, max } => min == max && min % 2 == 0,
    }
}

/// The edges by owner: node u leads to `targets[u * half..(u + 1) * half]`.
struct Ring {
    half: usize,
    targets: Vec<u32>,
    degrees: Vec<u32>,
}

impl Ring {
    fn lattice(n_nodes: usize, k: usize) -> Self {
        let half = k / 2;
        let ahead = |u: usize| (1..=half).map(move |j| ((u + j) % n_nodes) as u32);
        let targets = (0..n_nodes).flat_map(ahead).collect();
        Self { half, targets, degrees: vec![k as u32; n_nodes] }
    }

    fn rewired(n_nodes: usize, k: usize, p: f64, rng: &mut ChaCha8Rng) -> Self {
        let mut ring = Self::lattice(n_nodes, k);
        for j in 0..ring.half {
            for u in 0..n_nodes {
                let joined_to_all = ring.degrees[u] as usize == n_nodes - 1;
                if random::unit(rng) < p && !joined_to_all {
                    ring.rewire(u, j, rng);
                }
            }
        }
        ring
    }

    /// Leads the edge `j` of `u` to a uniform node that is not `u` and no neighbour of it.
    fn rewire(&mut self, u: usize, j: usize, rng: &mut ChaCha8Rng) {
        let w = loop {
            let w = random::below(rng, self.degrees.len() as u32) as usize;
            if w != u && !self.are_joined(u, w) {
                break w;
            }
        };
        let v = std::mem::replace(&mut self.targets[u * self.half + j], w as u32);
        self.degrees[v as usize] -= 1;
        self.degrees[w] += 1;
    }

    fn are_joined(&self, u: usize, w: usize) -> bool {
        self.owned(u).contains(&(w as u32)) || self.owned(w).contains(&(u as u32))
    }

    fn owned(&self, u: usize) -> &[u32] {
        &self.targets[u * self.half..(u + 1) * self.half]
    }

    fn append_edges(&self, edges: &mut Vec<(u32, u32)>) {
        for u in 0..self.degrees.len() {
            edges.extend(self.owned(u).iter().map(|&v| (u as u32, v)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_0_gives_the_ring_lattice() {
        // 0-1-2-3-4-5-0 and 0-2-4-0, 1-3-5-1
        let mut edges = Vec::new();
        Ring::rewired(6, 4, 0.0, &mut random::stream([1; 32], 0)).append_edges(&mut edges);
        let ring = Graph::from_edges(6, &edges).unwrap();
        assert!(ring.nodes().all(|u| !ring.has_edge(u, (u + 3) % 6) && ring.degree(u) == 4));
    }

    #[test]
    fn rewiring_keeps_the_number_of_edges_and_the_graph_simple() {
        for stream in 0..200 {
            let (n_nodes, k) = (11, [2, 4, 6, 8, 10][stream as usize % 5]);
            let ring = Ring::rewired(n_nodes, k, 0.7, &mut random::stream([2; 32], stream));
            let mut edges = Vec::new();
            ring.append_edges(&mut edges);
            let graph = Graph::from_edges(n_nodes, &edges).unwrap();
            assert_eq!(2 * graph.n_edges(), n_nodes * k);
            assert!(graph.nodes().all(|u| graph.degree(u) == ring.degrees[u as usize] as usize));
        }
    }

    #[test]
    fn the_share_of_rewired_edges_is_p() {
        let (n_nodes, k, p) = (20_000, 6, 0.15);
        let ring = Ring::rewired(n_nodes, k, p, &mut random::stream([3; 32], 0));
        let lattice = Ring::lattice(n_nodes, k);
        let moved = ring.targets.iter().zip(&lattice.targets).filter(|(a, b)| a != b).count();
        let share = moved as f64 / ring.targets.len() as f64;
        assert!((share - p).abs() < 0.006, "{share}");
    }

    #[test]
    fn new_targets_are_uniform() {
        let mut counts = [0u32; 12];
        for stream in 0..4_000 {
            let ring = Ring::rewired(12, 2, 1.0, &mut random::stream([4; 32], stream));
            counts[ring.owned(0)[0] as usize] += 1;
        }
        // Node 0 moves first and is joined to 1 and 11 then.
        assert_eq!((counts[0], counts[1], counts[11]), (0, 0, 0));
        assert!(counts[2..11].iter().all(|count| (360..530).contains(count)), "{counts:?}");
    }
}
