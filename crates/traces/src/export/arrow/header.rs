//! The two texts of a shard: what it is, in the schema, and where it stands, in the footer.

use serde::{Deserialize, Serialize};

use super::layout::Features;
use crate::convention::Convention;
use crate::spec::{Kind, Spec};

/// What all shards of a data set say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub version: u32,
    /// The suite's name.
    pub suite: String,
    /// The suite's version.
    pub suite_version: u32,
    /// The data convention.
    pub convention: Convention,
    /// The seed.
    pub seed: u64,
    /// The algorithm.
    pub algorithm: String,
    /// The split.
    pub split: String,
    /// The family of the graphs.
    pub generator: String,
    /// How many samples all shards together hold.
    pub samples: u64,
    /// What they hold beyond what the algorithm decides.
    pub features: Features,
    /// The algorithm's features, for readers that do not know it.
    pub fields: Vec<FieldText>,
}

/// The version alone, for files of which nothing else may be understood.
#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) version: u32,
}

/// A feature of an algorithm in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldText {
    name: String,
    stage: String,
    location: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    classes: Option<u8>,
}

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

/// The features of a spec in words.
pub(crate) fn fields(spec: &Spec) -> Vec<FieldText> {
    let text = |field: &crate::spec::Field| FieldText {
        name: field.name.to_string(),
        stage: field.stage.to_string(),
        location: field.location.to_string(),
        kind: field.kind.to_string(),
        classes: match field.kind {
            Kind::Categorical { classes } => Some(classes),
            _ => None,
        },
    };
    spec.fields.iter().map(text).collect()
}
