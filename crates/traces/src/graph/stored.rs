//! A graph as data: written as its edges, checked when read.

use serde::{Deserialize, Serialize};

use super::{Graph, GraphError};

/// How a graph is written: what cannot be derived, nothing else.
#[derive(Serialize, Deserialize)]
pub(super) struct RawGraph {
    n_nodes: u32,
    edges: Vec<(u32, u32)>,
    weights: Option<Vec<f64>>,
    positions: Option<Vec<[f64; 2]>>,
}

impl From<Graph> for RawGraph {
    fn from(graph: Graph) -> Self {
        Self {
            n_nodes: graph.n_nodes() as u32,
            edges: graph.edges().collect(),
            weights: graph.edge_weights().map(Iterator::collect),
            positions: graph.positions().map(<[_]>::to_vec),
        }
    }
}

impl TryFrom<RawGraph> for Graph {
    type Error = GraphError;

    fn try_from(raw: RawGraph) -> Result<Self, GraphError> {
        let n_nodes = raw.n_nodes as usize;
        // A few bytes must not ask for gigabytes of rows.
        if n_nodes > 10_000_000.max(16 * raw.edges.len()) {
            return Err(GraphError::TooSparse { n_nodes, n_edges: raw.edges.len() });
        }
        let mut graph = match raw.weights {
            Some(weights) => Self::from_weighted_edges(n_nodes, &raw.edges, &weights)?,
            None => Self::from_edges(n_nodes, &raw.edges)?,
        };
        if let Some(positions) = raw.positions {
            graph = graph.with_positions(positions)?;
        }
        Ok(graph)
    }
}
