//! Redrawing until a random graph is connected, a bounded number of times.
//!
//! The paper wants connected graphs. The edges are drawn anew with the size and the parameters
//! kept, so the distribution is the family's own, given connectedness; nothing is ever changed
//! silently to get there.

use crate::generators::GenerateError;
use crate::graph::{Graph, is_connected};

/// How often a graph is drawn before giving up.
pub const TRIES: u32 = 1000;

/// Draws edge lists until one connects all nodes, and builds its graph.
///
/// `describe` tells the parameters of the draws, and how to get a connected graph, if none does.
pub fn until_connected(
    n_nodes: usize,
    mut draw: impl FnMut(&mut Vec<(u32, u32)>),
    describe: impl FnOnce() -> (String, String),
) -> Result<Graph, GenerateError> {
    let mut edges = Vec::new();
    for _ in 0..TRIES {
        edges.clear();
        draw(&mut edges);
        if is_connected(n_nodes, edges.iter().copied()) {
            return Ok(Graph::from_edges(n_nodes, &edges)?);
        }
    }
    let (parameters, advice) = describe();
    Err(GenerateError::Disconnected { n_nodes, tries: TRIES, parameters, advice })
}
