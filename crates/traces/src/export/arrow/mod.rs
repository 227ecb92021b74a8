//! Arrow IPC files: columns that other tools read, mapped into memory, any sample at once.
//!
//! A *shard* is one Arrow IPC file of bounded size. A checksum stands behind each record batch and
//! one behind all the rest of the file, so no flipped bit is read as a sample.

mod block;
mod index;
mod map;
mod reseal;
mod schema;
mod shard;
mod writer;

pub use super::ShardError;
pub(crate) use map::map;
pub use reseal::reseal;
pub use shard::Shard;
pub use writer::ShardWriter;

/// What a file of this format is called in errors.
const NAME: &str = "an Arrow IPC file";
