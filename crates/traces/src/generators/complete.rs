//! Complete graphs: every pair of nodes is an edge, n (n - 1) / 2 of them.
//!
//! The one family that is not sparse. The n + 2m = n² directed edges with self-loops must fit in
//! 32 bits, so 65535 nodes are the most. O(n²).

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;

/// Complete graphs.
pub static FAMILY: Family = Family {
    name: "complete",
    aliases: &[],
    summary: "complete: every pair of nodes is an edge",
    parameters: &[],
    build: |_| Ok(Box::new(Complete)),
};

const MOST_NODES: usize = u16::MAX as usize;

#[derive(Debug)]
struct Complete;

impl Generator for Complete {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        if n_nodes > MOST_NODES {
            let problem = format!("a complete graph has at most {MOST_NODES}, found {n_nodes}");
            return Err(ParameterError::new("nodes", problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, _rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let edges: Vec<(u32, u32)> =
            (0..n_nodes as u32).flat_map(|v| (0..v).map(move |u| (u, v))).collect();
        Ok(Graph::from_edges(n_nodes, &edges)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn every_pair_is_an_edge() {
        let complete = Complete.generate(7, &mut random::stream([0; 32], 0)).unwrap();
        assert!(complete.nodes().all(|u| complete.degree(u) == 6));
    }

    #[test]
    fn the_most_nodes_are_those_whose_entries_fit_in_32_bits() {
        assert!(MOST_NODES.pow(2) <= u32::MAX as usize);
        assert!((MOST_NODES + 1).pow(2) > u32::MAX as usize);
        assert!(Complete.check(MOST_NODES).is_ok());
        let error = Complete.check(MOST_NODES + 1).unwrap_err();
        assert_eq!(error.to_string(), "nodes: a complete graph has at most 65535, found 65536");
    }
}
