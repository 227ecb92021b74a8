//! Stars: node 0 is joined to every other node, the shortest distances a tree can have. O(n).
//!
//! Nothing is drawn; only the source and the weights of a sample differ.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;

/// Star graphs.
pub static FAMILY: Family = Family {
    name: "star",
    aliases: &[],
    summary: "star: node 0 is joined to every other node",
    parameters: &[],
    build: |_| Ok(Box::new(Star)),
};

#[derive(Debug)]
struct Star;

impl Generator for Star {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, _rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let edges: Vec<(u32, u32)> = (1..n_nodes as u32).map(|v| (0, v)).collect();
        Ok(Graph::from_edges(n_nodes, &edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn the_centre_is_node_0() {
        let star = Star.generate(4, &mut random::stream([0; 32], 0)).unwrap();
        assert_eq!(star.edges().collect::<Vec<_>>(), [(0, 1), (0, 2), (0, 3)]);
    }
}
