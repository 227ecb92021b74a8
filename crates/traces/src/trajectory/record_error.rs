//! How a recording can break its spec, each told with the algorithm and, where there is one, the
//! step, because the one who reads it is writing that algorithm.

use thiserror::Error;

use crate::spec::Stage;

/// What an algorithm recorded against its spec.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RecordError {
    /// The spec has no such field.
    #[error("{algorithm}: the spec declares no {stage} {name:?} of that type")]
    Undeclared {
        /// The algorithm.
        algorithm: String,
        /// Hint or output.
        stage: Stage,
        /// The name asked for.
        name: String,
    },
    /// A pointer left the sparse graph.
    #[error(
        "{algorithm}: {name} at step {step} points from node {node} to {target}, which is not a neighbour"
    )]
    PointerNotEdge {
        /// The algorithm.
        algorithm: String,
        /// The hint or output.
        name: String,
        /// The step; the length for an output.
        step: u32,
        /// The node it starts at.
        node: u32,
        /// The node it leads to.
        target: u32,
    },
    /// An index or class that does not exist.
    #[error("{algorithm}: {name} at step {step} has no index {index}, expected less than {len}")]
    OutOfRange {
        /// The algorithm.
        algorithm: String,
        /// The hint or output.
        name: String,
        /// The step.
        step: u32,
        /// The index.
        index: u32,
        /// How many there are.
        len: u32,
    },
    /// An output with a wrong number of values.
    #[error("{algorithm}: output {name} has {found} values, expected {expected}")]
    Length {
        /// The algorithm.
        algorithm: String,
        /// The output.
        name: String,
        /// Values needed.
        expected: u32,
        /// Values given.
        found: usize,
    },
    /// A declared field without a value.
    #[error("{algorithm}: {stage} {name} was never set")]
    Missing {
        /// The algorithm.
        algorithm: String,
        /// Hint or output.
        stage: Stage,
        /// The field.
        name: String,
    },
    /// A second hint or output of one name.
    #[error("{algorithm}: expected {stage} {name} once, found it a second time")]
    Twice {
        /// The algorithm.
        algorithm: String,
        /// Hint or output.
        stage: Stage,
        /// The field.
        name: String,
    },
    /// An execution without a step.
    #[error("{algorithm}: no step was recorded")]
    NoStep {
        /// The algorithm.
        algorithm: String,
    },
}
