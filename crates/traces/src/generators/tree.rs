//! Random trees, uniform over all n^(n-2) trees on n labelled nodes.
//!
//! A sequence of n - 2 nodes, each uniform, is the Prüfer code of exactly one tree. Decoding
//! joins the lowest leaf to the next node of the code and removes it; a node that becomes a leaf
//! below the scan is taken at once, so one scan over the nodes finds all leaves: O(n).
//! Reference: Prüfer, Neuer Beweis eines Satzes über Permutationen, 1918.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;
use crate::random;

/// Uniform random trees.
pub static FAMILY: Family = Family {
    name: "tree",
    aliases: &["random_tree"],
    summary: "tree: uniform over all trees on n labelled nodes",
    parameters: &[],
    build: |_| Ok(Box::new(Tree)),
};

#[derive(Debug)]
struct Tree;

impl Generator for Tree {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let code: Vec<u32> = (2..n_nodes).map(|_| random::below(rng, n_nodes as u32)).collect();
        Ok(Graph::from_edges(n_nodes, &decode(&code))?)
    }
}

/// The edges of the tree on `code.len() + 2` nodes with this Prüfer code.
fn decode(code: &[u32]) -> Vec<(u32, u32)> {
    let n_nodes = code.len() + 2;
    let mut degrees = vec![1u32; n_nodes];
    code.iter().for_each(|&v| degrees[v as usize] += 1);
    let next_leaf = |degrees: &[u32], from: usize| {
        from + degrees[from..].iter().take_while(|&&degree| degree != 1).count()
    };
    let mut scan = next_leaf(&degrees, 0);
    let mut leaf = scan as u32;
    let mut edges = Vec::with_capacity(n_nodes - 1);
    for &v in code {
        edges.push((leaf, v));
        degrees[v as usize] -= 1;
        if degrees[v as usize] == 1 && (v as usize) < scan {
            leaf = v;
        } else {
            scan = next_leaf(&degrees, scan + 1);
            leaf = scan as u32;
        }
    }
    // Removing the lowest leaf never removes the highest node.
    edges.push((leaf, n_nodes as u32 - 1));
    edges
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_code_gives_its_tree() {
        // 0 - 3 - 4 - 5
        //   1/ \2
        assert_eq!(decode(&[3, 3, 3, 4]), [(0, 3), (1, 3), (2, 3), (3, 4), (4, 5)]);
        // A path, its code read from the leaf 0: 0 - 2 - 1 - 3
        assert_eq!(decode(&[2, 1]), [(0, 2), (2, 1), (1, 3)]);
        assert_eq!(decode(&[]), [(0, 1)]);
    }

    #[test]
    fn the_16_trees_on_4_nodes_are_equally_likely() {
        let mut counts = BTreeMap::new();
        let mut rng = random::stream([1; 32], 0);
        for _ in 0..16_000 {
            let tree = Tree.generate(4, &mut rng).unwrap();
            *counts.entry(tree.edges().collect::<Vec<_>>()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 16);
        assert!(counts.values().all(|count| (880..1120).contains(count)), "{counts:?}");
    }
}
