//! Samples as files.

pub mod arrow;
pub mod binary;
pub mod columns;
pub mod graphml;
pub mod json_lines;
pub mod npz;
pub mod parquet;

mod error;
mod seal;
mod wanted_hints;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub use error::ShardError;
pub(crate) use wanted_hints::with_wanted_hints;

use crate::nearest::did_you_mean;

/// A shard is what is lost when a run is killed: it ends with the samples that reach this.
/// Another limit gives other bytes: whoever changes it raises the version.
pub(crate) const SHARD_BYTES: usize = 1 << 24;

/// A file format of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Columns in Arrow IPC files, any sample at once: the format of data sets.
    Arrow,
    /// The same columns in Parquet files, compressed, with a dataset card.
    Parquet,
    /// The same columns as arrays of NumPy.
    Npz,
    /// One JSON object a line, hints dense: readable by anything.
    JsonLines,
    /// A file for each sample: its graph with what the algorithm found, for tools that draw.
    GraphMl,
    /// Compact records, hints as changes.
    Binary,
}

/// A name that is no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown format {name:?}, expected one of {expected}{suggestion}")]
pub struct UnknownFormat {
    name: String,
    expected: String,
    suggestion: String,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] =
        [Self::Arrow, Self::Parquet, Self::Npz, Self::JsonLines, Self::GraphMl, Self::Binary];

    /// The name, which is also the ending of its files and folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
            Self::Npz => "npz",
            Self::JsonLines => "jsonl",
            Self::GraphMl => "graphml",
            Self::Binary => "bin",
        }
    }

    /// Whether a data set is a folder of shards; if not, it is one file of records.
    pub fn is_folder(self) -> bool {
        !matches!(self, Self::JsonLines | Self::Binary)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat {
            name: name.to_owned(),
            expected: known.join(", "),
            suggestion: did_you_mean(name, known),
        })
    }
}
