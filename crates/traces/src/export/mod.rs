//! Samples as files.

pub mod arrow;
pub mod binary;
pub mod json_lines;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::nearest::did_you_mean;

/// A file format of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Columns in Arrow IPC files, any sample at once: the format of data sets.
    Arrow,
    /// One JSON object a line, hints dense: readable by anything.
    JsonLines,
    /// Compact records, hints as changes.
    Binary,
}

/// A name that is no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown format {name:?}, expected arrow, jsonl or bin{suggestion}")]
pub struct UnknownFormat {
    name: String,
    suggestion: String,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Arrow, Self::JsonLines, Self::Binary];

    /// The name, which is also the ending of its files and folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrow => "arrow",
            Self::JsonLines => "jsonl",
            Self::Binary => "bin",
        }
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
            suggestion: did_you_mean(name, known),
        })
    }
}
