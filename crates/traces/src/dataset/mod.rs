//! A split on disk: a file of samples and a manifest that says what it must hold.
//!
//! Samples are pure functions, so a file can always be made again, byte for byte; that is also
//! how it is verified. Files appear under their final name only when they are complete.

mod verify;
mod write;

pub use verify::{VerifyError, verify};
pub use write::{DatasetError, write};

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::export::{Format, binary, json_lines};
use crate::hash::ContentHash;
use crate::sample::{SampleError, Sampler};
use crate::suite::Suite;

/// What a file of samples holds and how it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this project that wrote the file.
    pub code_version: String,
    /// The suite's name.
    pub suite: String,
    /// The suite's version.
    pub suite_version: u32,
    /// The data convention.
    pub convention: crate::convention::Convention,
    /// The seed.
    pub seed: u64,
    /// The algorithm.
    pub algorithm: String,
    /// The split.
    pub split: String,
    /// How many samples the file holds, from the first on.
    pub samples: u64,
    /// Whether hints are stored.
    pub hints: bool,
    /// The ending of the file's format.
    pub format: String,
    /// The hash of the content hashes of all samples, the same for every format.
    pub content_hash: String,
    /// The hash of the file.
    pub file_hash: String,
    /// The suite itself, so that the samples can be made again.
    pub suite_text: String,
}

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
    /// The file's name: suite, algorithm and split.
    pub fn file_name(&self) -> String {
        let algorithm = &self.sampler.algorithm().spec().algorithm;
        let split = &self.sampler.split().name;
        format!("{}-{algorithm}-{split}.{}", self.suite.name, self.format)
    }

    /// The records of some samples, made in parallel, in order.
    fn records(&self, indices: Range<u64>) -> Result<Vec<(ContentHash, Vec<u8>)>, SampleError> {
        indices
            .into_par_iter()
            .map(|index| {
                let sample = self.sampler.sample(index, self.hints)?;
                let record = match self.format {
                    Format::Binary => binary::record(&sample),
                    Format::JsonLines => {
                        let mut line = json_lines::line(&sample, None);
                        line.push(b'\n');
                        line
                    }
                };
                Ok((sample.content_hash(), record))
            })
            .collect()
    }

    /// Ranges of samples that together fit into memory, however large the graphs.
    fn batches(&self) -> impl Iterator<Item = Range<u64>> {
        let largest = u64::from(self.sampler.split().graphs.nodes.max());
        // Lines of JSON have a value for every node at every step, and there are about as many
        // steps as nodes.
        let is_dense = self.hints && self.format == Format::JsonLines;
        let values = if is_dense { largest.saturating_mul(largest) } else { largest };
        let threads = rayon::current_num_threads() as u64;
        let size = (1_000_000 / values).clamp(threads, 4096);
        let samples = self.samples;
        (0..samples).step_by(size as usize).map(move |start| start..samples.min(start + size))
    }

    /// What every file of this format starts with.
    fn header(&self) -> &'static [u8] {
        match self.format {
            Format::Binary => &binary::MAGIC,
            Format::JsonLines => &[],
        }
    }
}

/// Where the manifest of a file stands.
pub fn manifest_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".manifest.json");
    name.into()
}
