//! Why edges do not make a graph.

use thiserror::Error;

/// Why edges do not make a graph.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GraphError {
    /// A graph needs a node.
    #[error("a graph needs at least one node, found 0")]
    Empty,
    /// Nodes and entries are numbered with 32 bits.
    #[error("{n_nodes} nodes and {n_edges} edges are more than 32-bit indices can hold")]
    TooLarge {
        /// Nodes asked for.
        n_nodes: usize,
        /// Edges asked for.
        n_edges: usize,
    },
    /// More nodes than a file with so few edges can mean.
    #[error("{n_nodes} nodes are too many for {n_edges} edges")]
    TooSparse {
        /// Nodes asked for.
        n_nodes: usize,
        /// Edges given.
        n_edges: usize,
    },
    /// An edge leaves the graph.
    #[error("edge {edge} ({u}, {v}) names a node outside 0..{n_nodes}")]
    OutOfRange {
        /// Place of the edge in the list.
        edge: usize,
        /// One end.
        u: u32,
        /// The other end.
        v: u32,
        /// Nodes of the graph.
        n_nodes: usize,
    },
    /// Self-loops are added by the message-passing graph, never given.
    #[error("edge {edge} is a self-loop on node {node}")]
    SelfLoop {
        /// Place of the edge in the list.
        edge: usize,
        /// The node.
        node: u32,
    },
    /// The same edge twice.
    #[error("edge ({u}, {v}) is given more than once")]
    Duplicate {
        /// The lower end.
        u: u32,
        /// The higher end.
        v: u32,
    },
    /// Rows have lengths that do not add up.
    #[error("the rows need {expected} neighbours, found {found}")]
    RowCount {
        /// The sum of the lengths.
        expected: u64,
        /// Neighbours given.
        found: usize,
    },
    /// A row of the neighbours above a node does not rise from it.
    #[error("the row of node {u} does not rise at {v}")]
    RowOrder {
        /// The node.
        u: u32,
        /// The neighbour.
        v: u32,
    },
    /// One weight an edge is needed.
    #[error("expected {expected} weights, one for each edge, found {found}")]
    WeightCount {
        /// Edges of the graph.
        expected: usize,
        /// Weights given.
        found: usize,
    },
    /// Infinite and NaN weights mean nothing.
    #[error("the weight of edge ({u}, {v}) is {weight}, expected a finite number")]
    Weight {
        /// The lower end.
        u: u32,
        /// The higher end.
        v: u32,
        /// The weight.
        weight: f64,
    },
    /// One position a node is needed.
    #[error("expected {expected} positions, one for each node, found {found}")]
    PositionCount {
        /// Nodes of the graph.
        expected: usize,
        /// Positions given.
        found: usize,
    },
}
