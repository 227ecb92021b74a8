//! A split on disk: a file of samples, or a folder of shards, and a manifest that says what it
//! must hold.
//!
//! Samples are pure functions, so a file can always be made again, byte for byte; that is also
//! how it is verified. Files appear under their final name only when they are complete.

mod atomically;
mod card;
mod finished;
mod manifest;
mod matching;
mod parts;
mod records;
mod stored;
mod verify;
mod verify_shards;
mod whole_shards;
mod write;

pub use manifest::{Manifest, manifest_path};
pub use parts::ShardEntry;
pub use stored::{StoredError, StoredSplit};
pub use verify::{VerifyError, verify};
pub use write::{DatasetError, convert, write};

use std::ops::Range;

use crate::export::Format;
use crate::sample::Sampler;
use crate::suite::Suite;

/// What to write.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// The seed.
    pub seed: u64,
    /// The samples.
    pub sampler: Sampler<'a>,
    /// How many of them, from the first on.
    pub samples: u64,
    /// Whether to store hints.
    pub hints: bool,
    /// The file format.
    pub format: Format,
}

impl Request<'_> {
    /// The name of the file or the folder: suite, algorithm and split.
    pub fn file_name(&self) -> String {
        let algorithm = &self.sampler.algorithm().spec().algorithm;
        let split = &self.sampler.split().name;
        format!("{}-{algorithm}-{split}.{}", self.suite.name, self.format)
    }

    /// Ranges of samples from `first` on that each fit into memory, however large the graphs.
    fn batches(&self, first: u64) -> impl Iterator<Item = Range<u64>> {
        let largest = u64::from(self.sampler.split().graphs.nodes.max());
        // Lines of JSON have a value for every node at every step, and there are about as many
        // steps as nodes.
        let is_dense = self.hints && self.format == Format::JsonLines;
        let values = if is_dense { largest.saturating_mul(largest) } else { largest };
        let threads = rayon::current_num_threads() as u64;
        let size = (1_000_000 / values).clamp(threads.min(4096), 4096);
        let samples = self.samples;
        (first..samples).step_by(size as usize).map(move |start| start..samples.min(start + size))
    }

    /// What is said of the data set beside it.
    fn manifest(&self, content_hash: String, file_hash: String) -> Manifest {
        Manifest {
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            suite: self.suite.name.clone(),
            suite_version: self.suite.version,
            convention: self.suite.convention,
            seed: self.seed,
            algorithm: self.sampler.algorithm().spec().algorithm.to_string(),
            split: self.sampler.split().name.clone(),
            samples: self.samples,
            hints: self.hints,
            format: self.format.name().to_owned(),
            content_hash,
            file_hash,
            shards: Vec::new(),
            suite_text: self.suite.text.clone(),
        }
    }
}
