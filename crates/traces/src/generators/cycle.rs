//! Cycles 0 - 1 - ... - (n - 1) - 0: every node has two neighbours. O(n).
//!
//! Nothing is drawn; only the source and the weights of a sample differ.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;

/// Cycle graphs.
pub static FAMILY: Family = Family {
    name: "cycle",
    aliases: &[],
    summary: "cycle: every node is joined to the next, the last to the first",
    parameters: &[],
    build: |_| Ok(Box::new(Cycle)),
};

#[derive(Debug)]
struct Cycle;

impl Generator for Cycle {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        if n_nodes < 3 {
            let problem = format!("a cycle has at least 3, found {n_nodes}");
            return Err(ParameterError::new("nodes", problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, _rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let steps = (1..n_nodes as u32).map(|v| (v - 1, v));
        let edges: Vec<(u32, u32)> = steps.chain([(0, n_nodes as u32 - 1)]).collect();
        Ok(Graph::from_edges(n_nodes, &edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn the_last_node_is_joined_to_the_first() {
        let cycle = Cycle.generate(4, &mut random::stream([0; 32], 0)).unwrap();
        assert_eq!(cycle.edges().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 2), (2, 3)]);
    }

    #[test]
    fn two_nodes_are_no_cycle() {
        let error = Cycle.check(2).unwrap_err();
        assert_eq!(error.to_string(), "nodes: a cycle has at least 3, found 2");
    }
}
