//! Parquet files: the columns of Arrow files, compressed, for data platforms and `datasets`.
//!
//! A shard is one file with one row group. Its metadata has the header of the data set and a text
//! with the checksum of the whole file, so a changed file is refused before anything in it is
//! looked at.

mod index;
mod read;
mod write;

pub use read::{read, reseal};
pub(crate) use write::file;

/// What a file of this format is called in errors.
const NAME: &str = "a Parquet file";

/// How it starts and ends.
const MARK: &[u8] = b"PAR1";

/// The key of the text with the checksum; the header has that of all formats.
const INDEX_KEY: &str = "salsa_shard";
