//! The two readings of the benchmark, wherever the paper's text and its authors' code disagree.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which of the two readings an execution follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Convention {
    /// As the paper is written: `mst` is the maximum spanning tree.
    #[default]
    Paper,
    /// As the published code does: `mst` is the minimum spanning tree.
    Release,
}

impl Convention {
    /// Every convention.
    pub const ALL: [Self; 2] = [Self::Paper, Self::Release];

    /// `paper` or `release`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Release => "release",
        }
    }
}

impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no convention.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown convention {0:?}, expected \"paper\" or \"release\"")]
pub struct UnknownConvention(pub String);

impl FromStr for Convention {
    type Err = UnknownConvention;

    fn from_str(name: &str) -> Result<Self, UnknownConvention> {
        Self::ALL
            .into_iter()
            .find(|convention| convention.name() == name)
            .ok_or_else(|| UnknownConvention(name.to_owned()))
    }
}
