//! Checkpoints: everything a run needs to go on as if it had never stopped.
//!
//! A checkpoint is a safetensors file, so any tool of that family opens it:
//!
//! ```text
//! u64, little-endian   length of the header in bytes
//! header               JSON, padded with spaces to a multiple of 8
//! data                 float32, little-endian, the tensors one after another by name
//! ```
//!
//! A tensor's name begins with what it is: `param/`, `buffer/` (statistics of batch norms),
//! `adam_m/`, `adam_v/`. The header's `__metadata__` holds four texts: `salsa_checkpoint` is the
//! version of this format, `run` the complete run file, `progress` a JSON object ([`Progress`]),
//! and `checksum` the CRC-32C, eight hexadecimal digits, of the unpadded header without
//! `checksum` followed by the data. Names are sorted, so the same state gives the same bytes.
//!
//! The safetensors crate reads the header and proves that shapes, offsets and lengths agree. It
//! is not used for writing: it keeps metadata in a hash map, whose order changes.

mod decode;
mod encode;
mod error;
mod file;
mod progress;
mod state;

pub use error::{CheckpointError, Malformation};
pub use progress::Progress;
pub use state::{Checkpoint, Group, Tensor};

/// The version of the format that is written and read.
pub const VERSION: &str = "1";

#[cfg(test)]
mod tests;
