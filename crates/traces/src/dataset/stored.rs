//! A split read from its shards: any sample at once, mapped into memory.

use std::path::Path;

use thiserror::Error;

use super::{Manifest, VerifyError};
use crate::export::Format;
use crate::export::arrow::{Shard, ShardError};
use crate::sample::{Sample, SampleError};

/// An open data set of shards.
pub struct StoredSplit {
    manifest: Manifest,
    shards: Vec<(String, Shard)>,
}

/// Why a data set or one of its samples cannot be read.
#[derive(Debug, Error)]
pub enum StoredError {
    /// There is no manifest, or none that makes sense.
    #[error(transparent)]
    Manifest(#[from] Box<VerifyError>),
    /// The data set is not made of shards.
    #[error("{path}: samples of format {format} are not read by their index")]
    Format {
        /// The data set.
        path: String,
        /// Its format.
        format: String,
    },
    /// A shard is missing or damaged.
    #[error("{path}: {error}")]
    Shard {
        /// The shard.
        path: String,
        /// Why.
        error: ShardError,
    },
    /// A shard is of another data set than the manifest.
    #[error("{path}: it is not the shard that the manifest speaks of")]
    Foreign {
        /// The shard.
        path: String,
    },
    /// The manifest does not name all shards.
    #[error("{path}: the manifest names shards of {found} samples, there should be {expected}")]
    Incomplete {
        /// The data set.
        path: String,
        /// Samples the manifest promises.
        expected: u64,
        /// Samples of the shards it names.
        found: u64,
    },
    /// The data set is not the one that is asked for.
    #[error(
        "{path}: {what}: expected {expected}, found {found}; make it again or name another folder"
    )]
    Other {
        /// The data set.
        path: String,
        /// What is not as it should be.
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The data set does not reach far enough.
    #[error("{path}: it has {found} samples, {expected} are needed")]
    TooFew {
        /// The data set.
        path: String,
        /// Samples that are needed.
        expected: u64,
        /// Samples there are.
        found: u64,
    },
    /// A sample to compare with could not be made.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// There are fewer samples.
    #[error("there is no sample {index}, there are {samples}")]
    NoSample {
        /// The sample asked for.
        index: u64,
        /// How many there are.
        samples: u64,
    },
}

impl StoredSplit {
    /// Maps the shards in `folder`, which `salsa generate` wrote, and checks their headers.
    pub fn open(folder: &Path) -> Result<Self, StoredError> {
        let manifest = Manifest::read(folder).map_err(Box::new)?;
        if manifest.format != Format::Arrow.name() {
            let (path, format) = (folder.display().to_string(), manifest.format);
            return Err(StoredError::Format { path, format });
        }
        let mut shards: Vec<(String, Shard)> = Vec::new();
        let mut next = 0;
        for entry in &manifest.shards {
            let file = folder.join(&entry.file);
            let path = file.display().to_string();
            let shard = Shard::open(&file)
                .map_err(|error| StoredError::Shard { path: path.clone(), error })?;
            let samples = shard.samples();
            let is_like_the_first =
                shards.first().is_none_or(|(_, first)| first.header() == shard.header());
            let header = shard.header();
            let is_promised = (&header.algorithm, header.seed, header.features.hints)
                == (&manifest.algorithm, manifest.seed, manifest.hints)
                && (&header.suite, &header.split) == (&manifest.suite, &manifest.split)
                && (samples.start, samples.end - samples.start) == (next, entry.samples);
            if !is_like_the_first || !is_promised {
                return Err(StoredError::Foreign { path });
            }
            next = samples.end;
            shards.push((path, shard));
        }
        let expected = manifest.samples;
        if next != expected {
            let path = folder.display().to_string();
            return Err(StoredError::Incomplete { path, expected, found: next });
        }
        Ok(Self { manifest, shards })
    }

    /// What the data set is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of samples.
    pub fn len(&self) -> u64 {
        self.manifest.samples
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shards, in order.
    pub fn shards(&self) -> impl ExactSizeIterator<Item = &Shard> {
        self.shards.iter().map(|(_, shard)| shard)
    }

    /// Sample `index`; hints that are wanted and not stored are made again.
    pub fn sample(&self, index: u64, hints: bool) -> Result<Sample, StoredError> {
        let place = self.shards.partition_point(|(_, shard)| shard.samples().end <= index);
        let Some((path, shard)) = self.shards.get(place) else {
            return Err(StoredError::NoSample { index, samples: self.len() });
        };
        shard.sample(index, hints).map_err(|error| StoredError::Shard { path: path.clone(), error })
    }
}
