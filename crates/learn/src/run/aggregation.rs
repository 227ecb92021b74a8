//! How a node combines the messages of its neighbours: a choice of its own, not of the processor.
//!
//! The paper uses the maximum throughout; sum and mean are there because work on aligning
//! networks with algorithms compares them.

use std::fmt;
use std::str::FromStr;

use salsa_traces::nearest::did_you_mean;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A permutation-invariant combination of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aggregation {
    /// The largest value of each feature.
    #[default]
    Max,
    /// The sum.
    Sum,
    /// The sum divided by the number of messages.
    Mean,
}

impl Aggregation {
    /// Every aggregation.
    pub const ALL: [Self; 3] = [Self::Max, Self::Sum, Self::Mean];

    /// `max`, `sum` or `mean`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Sum => "sum",
            Self::Mean => "mean",
        }
    }
}

impl fmt::Display for Aggregation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no aggregation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown aggregation {name:?}, expected \"max\", \"sum\" or \"mean\"{suggestion}")]
pub struct UnknownAggregation {
    /// The name.
    pub name: String,
    /// A name that is close.
    pub suggestion: String,
}

impl FromStr for Aggregation {
    type Err = UnknownAggregation;

    fn from_str(name: &str) -> Result<Self, UnknownAggregation> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
            let suggestion = did_you_mean(name, Self::ALL.map(Self::name));
            UnknownAggregation { name: name.to_owned(), suggestion }
        })
    }
}
