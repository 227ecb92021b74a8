//! What one shard says of itself, as a JSON text in its footer.

use serde::{Deserialize, Serialize};

/// What one shard says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Index {
    /// The index of its first sample.
    pub(super) first: u64,
    /// Its record batches.
    pub(super) batches: Vec<BatchText>,
    /// The checksum of everything but the record batches, with zeros in its own place.
    pub(super) seal: String,
}

/// What is known of a record batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BatchText {
    pub(super) samples: u64,
    pub(super) checksum: String,
}
