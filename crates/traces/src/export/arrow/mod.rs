//! Arrow IPC files: columns that other tools read, mapped into memory, any sample at once.
//!
//! A *shard* is one Arrow IPC file of bounded size. It holds whole numbers in the narrowest type
//! that the largest graph of its data set needs, every undirected edge once, and hints either as
//! changes or not at all, because those of the built-in algorithms are a function of the inputs.
//! A checksum stands behind each record batch and one behind all the rest of the file, so no
//! flipped bit is read as a sample. `docs/format.md` is the specification.

mod batch;
mod block;
mod cells;
mod column;
mod error;
mod header;
mod layout;
mod map;
mod reseal;
mod row;
mod schema;
mod seal;
mod shard;
mod writer;

pub use error::ShardError;
pub(crate) use header::fields;
pub use header::{FieldText, Header};
pub use layout::Features;
pub use reseal::reseal;
pub use shard::Shard;
pub use writer::ShardWriter;

/// The version of the format; files of another are refused.
pub const VERSION: u32 = 1;

/// The key of this format's texts in the metadata of the schema and of the footer.
const KEY: &str = "salsa";
