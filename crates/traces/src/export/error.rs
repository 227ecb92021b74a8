//! What can be wrong with a shard.

use std::io;

use thiserror::Error;

use super::columns::VERSION;

/// Why a shard cannot be written or read.
#[derive(Debug, Error)]
pub enum ShardError {
    /// The file cannot be opened or mapped.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file starts with something else.
    #[error("it does not start as {0}")]
    Start(&'static str),
    /// The file ends early.
    #[error("it is cut off: the end of {0} is missing")]
    Truncated(&'static str),
    /// The footer makes no sense.
    #[error("the footer is damaged: {0}")]
    Footer(String),
    /// The file is of another version.
    #[error("it is of version {found} of the format, this program reads version {VERSION}")]
    Version {
        /// The version it says.
        found: u32,
    },
    /// Header, schema or footer were changed.
    #[error("header or footer are damaged: their checksum does not match")]
    Seal,
    /// A shard that has one checksum was changed.
    #[error("it is damaged: its checksum does not match")]
    Damaged,
    /// The header makes no sense.
    #[error("the header is wrong: {0}")]
    Header(String),
    /// The columns are others.
    #[error("the columns are wrong: {0}")]
    Columns(String),
    /// A record batch was changed.
    #[error("samples {first} to {last} are damaged: their checksum does not match")]
    Checksum {
        /// The first sample in it.
        first: u64,
        /// The last.
        last: u64,
    },
    /// A record batch makes no sense.
    #[error("the record batch of samples {first} to {last} is wrong: {problem}")]
    Batch {
        /// The first sample in it.
        first: u64,
        /// The last.
        last: u64,
        /// Why.
        problem: String,
    },
    /// A row of values is no sample.
    #[error("sample {index} makes no sense: {problem}")]
    Sample {
        /// Which.
        index: u64,
        /// Why.
        problem: String,
    },
    /// The sample is in another shard, or nowhere.
    #[error("there is no sample {index}")]
    NoSample {
        /// Which was asked for.
        index: u64,
    },
    /// A sample does not fit the columns of its data set.
    #[error("sample {index} cannot be written: {problem}")]
    Unfit {
        /// Which.
        index: u64,
        /// Why.
        problem: String,
    },
}
