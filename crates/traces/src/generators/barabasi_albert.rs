//! Barabási-Albert graphs: new nodes prefer those that already have many neighbours.
//!
//! A star of m + 1 nodes grows node by node; each new one is joined to m distinct nodes, drawn
//! with probability proportional to their degree. The list of all edge ends holds a node once for
//! each of its edges, so a uniform place in it is that draw: O(n m) expected. Connected by
//! construction, m (n - m) edges. Reference: Barabási and Albert, Emergence of scaling in random
//! networks, Science 286, 1999.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::{Graph, GraphError};
use crate::parameters::{Draw, ParameterError};
use crate::random;

/// Barabási-Albert graphs.
pub static FAMILY: Family = Family {
    name: "barabasi_albert",
    aliases: &["ba"],
    summary: "Barabási-Albert: each new node is joined to m others, by their degree",
    parameters: &[Parameter { name: "m", default: "2", meaning: "edges of each new node" }],
    build: |given| {
        let m = given.whole("m")?.unwrap_or(Draw::Constant(2));
        if m.min() < 1 {
            return Err(ParameterError::new("m", format!("expected at least 1, found {m}")));
        }
        Ok(Box::new(BarabasiAlbert { m }))
    },
};

#[derive(Debug)]
struct BarabasiAlbert {
    m: Draw<u32>,
}

impl Generator for BarabasiAlbert {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        let m = self.m.max();
        if m as usize >= n_nodes {
            let problem = format!("expected less than the {n_nodes} nodes, found {m}");
            return Err(ParameterError::new("m", problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let m = self.m.draw(rng);
        let n_edges = m as usize * (n_nodes - m as usize);
        // Told before the edges are made, because the places of edge ends have 32 bits.
        if n_nodes + 2 * n_edges > u32::MAX as usize {
            return Err(GraphError::TooLarge { n_nodes, n_edges }.into());
        }
        Ok(Graph::from_edges(n_nodes, &preferential_attachment(n_nodes as u32, m, rng))?)
    }
}

fn preferential_attachment(n_nodes: u32, m: u32, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
    let mut edges: Vec<(u32, u32)> = (1..=m).map(|leaf| (0, leaf)).collect();
    // The newest node that each node was joined to; 0 was never new.
    let mut joined_to = vec![0; n_nodes as usize];
    for v in m + 1..n_nodes {
        let n_edges = edges.len();
        while edges.len() < n_edges + m as usize {
            let u = random_end(&edges[..n_edges], rng);
            if joined_to[u as usize] != v {
                joined_to[u as usize] = v;
                edges.push((u, v));
            }
        }
    }
    edges
}

/// A uniform end of a uniform edge, so a node with probability proportional to its degree.
fn random_end(edges: &[(u32, u32)], rng: &mut ChaCha8Rng) -> u32 {
    let place = random::below(rng, 2 * edges.len() as u32);
    let (u, v) = edges[place as usize / 2];
    if place.is_multiple_of(2) { u } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_edges_is_m_times_n_minus_m() {
        for (n_nodes, m) in [(2, 1), (10, 1), (10, 2), (10, 5), (10, 9), (500, 3)] {
            let generator = BarabasiAlbert { m: Draw::Constant(m) };
            let graph = generator.generate(n_nodes, &mut random::stream([1; 32], 0)).unwrap();
            assert_eq!(graph.n_edges(), m as usize * (n_nodes - m as usize), "n {n_nodes}, m {m}");
        }
    }

    #[test]
    fn the_first_choice_is_by_degree() {
        // The star 0-1, 0-2: node 3 prefers the centre over a leaf two to one.
        let mut counts = [0u32; 3];
        for stream in 0..8_000 {
            let edges = preferential_attachment(4, 2, &mut random::stream([2; 32], stream));
            counts[edges[2].0 as usize] += 1;
        }
        assert!((3_820..4_180).contains(&counts[0]), "{counts:?}");
        assert!((1_840..2_160).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn a_few_nodes_collect_many_edges() {
        let edges = preferential_attachment(10_000, 2, &mut random::stream([3; 32], 0));
        let graph = Graph::from_edges(10_000, &edges).unwrap();
        let largest = graph.nodes().map(|u| graph.degree(u)).max();
        // About m sqrt(n) = 200, where a random graph of mean degree 4 has about 15.
        assert!(largest > Some(80), "{largest:?}");
    }
}
