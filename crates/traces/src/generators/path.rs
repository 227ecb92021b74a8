//! Paths 0 - 1 - ... - (n - 1): the longest distances a connected graph can have. O(n).
//!
//! Nothing is drawn; only the source and the weights of a sample differ.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;

/// Path graphs.
pub static FAMILY: Family = Family {
    name: "path",
    aliases: &[],
    summary: "path: every node is joined to the next",
    parameters: &[],
    build: |_| Ok(Box::new(Path)),
};

#[derive(Debug)]
struct Path;

impl Generator for Path {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, _rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let edges: Vec<(u32, u32)> = (1..n_nodes as u32).map(|v| (v - 1, v)).collect();
        Ok(Graph::from_edges(n_nodes, &edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn every_node_is_joined_to_the_next() {
        let path = Path.generate(4, &mut random::stream([0; 32], 0)).unwrap();
        assert_eq!(path.edges().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 3)]);
    }
}
