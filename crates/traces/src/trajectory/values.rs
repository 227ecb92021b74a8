//! The values of one feature at one moment.

use serde::{Deserialize, Serialize};

use crate::spec::Kind;

/// Dense values of one feature, one for each node, entry or graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// Yes or no for each.
    Mask(Vec<bool>),
    /// The one node that is marked.
    MaskOne(u32),
    /// A class for each.
    Categorical(Vec<u8>),
    /// A number for each.
    Scalar(Vec<f64>),
    /// For each node the node it points to, itself for "none".
    Pointer(Vec<u32>),
}

impl Values {
    /// Number of values; `None` for a marked node, which has one whatever the graph.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Mask(values) => Some(values.len()),
            Self::MaskOne(_) => None,
            Self::Categorical(values) => Some(values.len()),
            Self::Scalar(values) => Some(values.len()),
            Self::Pointer(values) => Some(values.len()),
        }
    }

    /// The values as whole numbers: bits of numbers, nodes, classes, 0 and 1.
    pub(super) fn bits(&self) -> Vec<u64> {
        match self {
            Self::Mask(values) => values.iter().map(|&value| value.into()).collect(),
            Self::MaskOne(node) => vec![(*node).into()],
            Self::Categorical(values) => values.iter().map(|&class| class.into()).collect(),
            Self::Scalar(values) => values.iter().map(|value| value.to_bits()).collect(),
            Self::Pointer(values) => values.iter().map(|&target| target.into()).collect(),
        }
    }

    /// Whether these are values of a feature of this kind.
    pub fn fits(&self, kind: Kind) -> bool {
        match (self, kind) {
            (Self::Categorical(values), Kind::Categorical { classes }) => {
                values.iter().all(|&class| class < classes)
            }
            (Self::Mask(_), Kind::Mask)
            | (Self::MaskOne(_), Kind::MaskOne)
            | (Self::Scalar(_), Kind::Scalar)
            | (Self::Pointer(_), Kind::Pointer) => true,
            _ => false,
        }
    }
}
