//! What every shard of a data set says of it, as a JSON text.

use serde::{Deserialize, Serialize};

use super::VERSION;
use super::layout::Features;
use crate::convention::Convention;
use crate::export::ShardError;
use crate::spec::{Kind, Spec};

/// The key of the header, and of other texts of this project, in the metadata of a file.
pub(in crate::export) const KEY: &str = "salsa";

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

impl Header {
    /// As it stands in a file.
    pub(in crate::export) fn text(&self) -> String {
        serde_json::to_string(self).expect("a header is plain data")
    }

    /// The header in a text of this version.
    pub(in crate::export) fn parse(text: &str) -> Result<Self, ShardError> {
        check_version(text)?;
        serde_json::from_str(text).map_err(|error| ShardError::Header(error.to_string()))
    }
}

/// Whether the text of a header is of this version; of another nothing else may be understood.
pub(in crate::export) fn check_version(text: &str) -> Result<(), ShardError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let version: Result<Version, _> = serde_json::from_str(text);
    match version.map_err(|error| ShardError::Header(error.to_string()))?.version {
        VERSION => Ok(()),
        found => Err(ShardError::Version { found }),
    }
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
