//! What one file says of itself, as a JSON text in its metadata.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Index {
    /// The index of its first sample.
    pub(super) first: u64,
    /// The checksum of the file, with zeros in its own place.
    pub(super) seal: String,
}
