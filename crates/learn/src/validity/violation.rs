//! What is wrong with an answer, and where.
//!
//! One variant for each way to be wrong, so that an evaluation can count the reasons over many
//! graphs and show the first case of each. An answer may be wrong in many places; one is reported,
//! always the same.

use serde::Serialize;
use thiserror::Error;

/// Why an answer is not correct. Serialized, it is an object with its `reason` and the details.
#[derive(Debug, Clone, PartialEq, Error, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Violation {
    /// Another number of outputs than the spec has.
    #[error("expected {expected} outputs, found {found}")]
    OutputCount {
        /// Outputs of the spec.
        expected: usize,
        /// Outputs predicted.
        found: usize,
    },
    /// Values of another kind than the spec says.
    #[error("output {output}: expected values of kind {expected}, found {found}")]
    Kind {
        /// The output.
        output: String,
        /// The kind in the spec.
        expected: String,
        /// The kind predicted.
        found: &'static str,
    },
    /// Another number of values than the graph asks for.
    #[error("output {output}: expected {expected} values, found {found}")]
    ValueCount {
        /// The output.
        output: String,
        /// Values the graph asks for.
        expected: usize,
        /// Values predicted.
        found: usize,
    },
    /// The instance itself lacks the node the algorithm starts at.
    #[error(
        "expected a source node below {n_nodes}, found {}",
        found.map_or("none".to_owned(), |node| node.to_string())
    )]
    NoSource {
        /// Nodes of the graph.
        n_nodes: usize,
        /// The source given.
        found: Option<u32>,
    },
    /// A pointer that is neither an edge nor a self-loop.
    #[error("node {node} points to node {target}, which is not a neighbour")]
    NotANeighbour {
        /// The node.
        node: u32,
        /// Where it points.
        target: u32,
    },
    /// The source has a parent.
    #[error("the source {node} points to node {target}, expected itself")]
    SourcePointsAway {
        /// The source.
        node: u32,
        /// Where it points.
        target: u32,
    },
    /// A node that the source reaches has no parent.
    #[error("node {node} points to itself, expected a neighbour: the source reaches it")]
    NoParent {
        /// The node.
        node: u32,
    },
    /// A node that the source does not reach has a parent.
    #[error("node {node} points to node {target}, expected itself: the source does not reach it")]
    UnreachableHasParent {
        /// The node.
        node: u32,
        /// Where it points.
        target: u32,
    },
    /// Pointers that go round.
    #[error("the pointers from node {node} come back to it after {length} steps")]
    Cycle {
        /// The lowest node on it.
        node: u32,
        /// Number of nodes on it.
        length: u32,
    },
    /// A parent that is not one level closer to the source.
    #[error(
        "node {node} at distance {level} points to node {parent} at distance {parent_level}, \
         expected distance {}", level.saturating_sub(1)
    )]
    WrongLevel {
        /// The node.
        node: u32,
        /// Its distance from the source.
        level: u32,
        /// Where it points.
        parent: u32,
        /// The distance of that node.
        parent_level: u32,
    },
    /// A path along the pointers that is not a shortest one.
    #[error(
        "node {node} points to node {parent}: its path to the source has length {length}, the \
         shortest one {shortest}"
    )]
    Detour {
        /// The first node of the detour, seen from the source.
        node: u32,
        /// Where it points.
        parent: u32,
        /// The length along the pointers.
        length: f64,
        /// The length of a shortest path.
        shortest: f64,
    },
    /// An edge that would improve the tree.
    #[error(
        "edge ({}, {}) of weight {weight} is better than edge ({}, {}) of weight {tree_weight}, \
         which the tree has between its ends", edge[0], edge[1], tree_edge[0], tree_edge[1]
    )]
    BetterEdge {
        /// The edge that is missing.
        edge: [u32; 2],
        /// Its weight.
        weight: f64,
        /// The edge it could replace.
        tree_edge: [u32; 2],
        /// The weight of that edge.
        tree_weight: f64,
    },
    /// An edge between two branches, which a depth-first search would have followed.
    #[error("edge ({u}, {v}) joins two branches: neither end is above the other")]
    CrossEdge {
        /// The lower end.
        u: u32,
        /// The higher end.
        v: u32,
    },
    /// An edge between two trees.
    #[error("edge ({u}, {v}) joins two trees: their roots are {root_u} and {root_v}")]
    TwoTrees {
        /// The lower end.
        u: u32,
        /// The higher end.
        v: u32,
        /// The root above the lower end.
        root_u: u32,
        /// The root above the higher end.
        root_v: u32,
    },
    /// Two neighbours in an independent set.
    #[error("nodes {u} and {v} are neighbours and both in the set")]
    Adjacent {
        /// The lower node.
        u: u32,
        /// The higher node.
        v: u32,
    },
    /// A node that an independent set could still take.
    #[error("node {node} could join the set: neither it nor a neighbour is in it")]
    NotMaximal {
        /// The node.
        node: u32,
    },
    /// A wrong largest distance.
    #[error("the eccentricity is {expected}, found {found}")]
    WrongEccentricity {
        /// The largest distance from the source.
        expected: u32,
        /// The number predicted.
        found: f64,
    },
    /// Two labels in one component.
    #[error("nodes {u} and {v} are neighbours with labels {label_u} and {label_v}")]
    LabelsDiffer {
        /// The lower node.
        u: u32,
        /// The higher node.
        v: u32,
        /// The label of the lower node.
        label_u: f64,
        /// The label of the higher node.
        label_v: f64,
    },
    /// One label on two components.
    #[error("nodes {u} and {v} have label {label}, but no path joins them")]
    LabelShared {
        /// The lowest node of one component.
        u: u32,
        /// The lowest node of the other.
        v: u32,
        /// The label, rounded.
        label: f64,
    },
    /// A label that is no number.
    #[error("the label of node {node} is {label}, expected a finite number")]
    NoLabel {
        /// The node.
        node: u32,
        /// Its label.
        label: f64,
    },
}

impl Violation {
    /// A short name of the reason, the same for every graph.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::OutputCount { .. } => "output_count",
            Self::Kind { .. } => "kind",
            Self::ValueCount { .. } => "value_count",
            Self::NoSource { .. } => "no_source",
            Self::NotANeighbour { .. } => "not_a_neighbour",
            Self::SourcePointsAway { .. } => "source_points_away",
            Self::NoParent { .. } => "no_parent",
            Self::UnreachableHasParent { .. } => "unreachable_has_parent",
            Self::Cycle { .. } => "cycle",
            Self::WrongLevel { .. } => "wrong_level",
            Self::Detour { .. } => "detour",
            Self::BetterEdge { .. } => "better_edge",
            Self::CrossEdge { .. } => "cross_edge",
            Self::TwoTrees { .. } => "two_trees",
            Self::Adjacent { .. } => "adjacent",
            Self::NotMaximal { .. } => "not_maximal",
            Self::WrongEccentricity { .. } => "wrong_eccentricity",
            Self::LabelsDiffer { .. } => "labels_differ",
            Self::LabelShared { .. } => "label_shared",
            Self::NoLabel { .. } => "no_label",
        }
    }
}
