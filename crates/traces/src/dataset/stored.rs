//! A split read from its files: any sample, whatever the format.
//!
//! Arrow shards are mapped into memory and give any sample at once. Parquet and NPZ are read a
//! shard at a time, so samples in order cost little and samples at random much.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::records::RecordFile;
use super::whole_shards::WholeShards;
use super::{Manifest, VerifyError, manifest_path};
use crate::collate::Ready;
use crate::export::arrow::{Shard, ShardError};
use crate::export::{Format, UnknownFormat};
use crate::sample::{Sample, SampleError};

/// An open data set.
pub struct StoredSplit {
    path: PathBuf,
    manifest: Manifest,
    contents: Contents,
}

enum Contents {
    Mapped(Vec<(String, Shard)>),
    Whole(WholeShards),
    Records(RecordFile),
}

/// Why a data set or one of its samples cannot be read.
#[derive(Debug, Error)]
pub enum StoredError {
    /// There is no manifest, or none that makes sense.
    #[error(transparent)]
    Manifest(#[from] Box<VerifyError>),
    /// Samples are written in this format, but not read from it.
    #[error("{path}: samples are not read from files of format {format}")]
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
    /// Opens what `salsa generate` wrote: a folder of shards, or a file of records. Arrow shards
    /// are mapped and their headers checked; a file of records is compared with its hash.
    pub fn open(path: &Path) -> Result<Self, StoredError> {
        let manifest = Manifest::read(path).map_err(Box::new)?;
        let format: Format = manifest.format.parse().map_err(|error: UnknownFormat| {
            let path = manifest_path(path).display().to_string();
            Box::new(VerifyError::Manifest { path, problem: error.to_string() })
        })?;
        let contents = match format {
            Format::Arrow => Contents::Mapped(mapped(path, &manifest)?),
            Format::Parquet | Format::Npz => {
                Contents::Whole(WholeShards::new(path, format, &manifest))
            }
            Format::JsonLines | Format::Binary => {
                Contents::Records(RecordFile::open(path, format, &manifest)?)
            }
            Format::GraphMl => {
                let (path, format) = (path.display().to_string(), manifest.format);
                return Err(StoredError::Format { path, format });
            }
        };
        let (expected, found) = (manifest.samples, contents.end(&manifest));
        if found != expected {
            let path = path.display().to_string();
            return Err(StoredError::Incomplete { path, expected, found });
        }
        Ok(Self { path: path.to_owned(), manifest, contents })
    }

    /// What the data set is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of samples.
    pub fn len(&self) -> u64 {
        self.manifest.samples
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The Arrow shards, in order; other formats have none.
    pub fn shards(&self) -> impl ExactSizeIterator<Item = &Shard> {
        let shards = match &self.contents {
            Contents::Mapped(shards) => shards.as_slice(),
            _ => &[],
        };
        shards.iter().map(|(_, shard)| shard)
    }

    /// Sample `index`; hints that are wanted and not stored are made again.
    pub fn sample(&self, index: u64, hints: bool) -> Result<Sample, StoredError> {
        if index >= self.len() {
            return Err(StoredError::NoSample { index, samples: self.len() });
        }
        let wrong = |path: String| move |error| StoredError::Shard { path, error };
        match &self.contents {
            Contents::Mapped(shards) => {
                let (path, shard) = holding(shards, index);
                shard.sample(index, hints).map_err(wrong(path.clone()))
            }
            Contents::Whole(shards) => {
                let (path, rows) = shards.with(index, &self.manifest)?;
                rows.sample(index, hints).map_err(wrong(path.display().to_string()))
            }
            Contents::Records(file) => file.sample(index, hints, &self.manifest),
        }
    }

    /// Sample `index` without hints, ready for a batch.
    pub fn ready(&self, index: u64) -> Result<Ready, StoredError> {
        if let Contents::Mapped(shards) = &self.contents
            && index < self.len()
        {
            let (path, shard) = holding(shards, index);
            let wrong = |error| StoredError::Shard { path: path.clone(), error };
            return shard.ready(index).map_err(wrong);
        }
        let sample = self.sample(index, false)?;
        Ready::new(&sample).map_err(|error| {
            let (path, problem) = (self.path.display().to_string(), error.to_string());
            StoredError::Shard { path, error: ShardError::Sample { index, problem } }
        })
    }

    /// The samples of a range, read in parallel, in order.
    pub fn samples(&self, range: Range<u64>, hints: bool) -> Result<Vec<Sample>, StoredError> {
        let Contents::Whole(shards) = &self.contents else {
            return range.into_par_iter().map(|index| self.sample(index, hints)).collect();
        };
        // Shard by shard, as one is in memory at a time.
        let mut samples = Vec::new();
        let mut next = range.start;
        while next < range.end.min(self.len()) {
            let (path, rows) = shards.with(next, &self.manifest)?;
            let here = next..range.end.min(rows.samples().end);
            let wrong = |error| StoredError::Shard { path: path.display().to_string(), error };
            let read = here.clone().into_par_iter().map(|index| rows.sample(index, hints));
            samples.extend(read.collect::<Result<Vec<Sample>, _>>().map_err(wrong)?);
            next = here.end;
        }
        match next < range.end {
            true => Err(StoredError::NoSample { index: next, samples: self.len() }),
            false => Ok(samples),
        }
    }
}

impl Contents {
    /// The index after the last sample.
    fn end(&self, manifest: &Manifest) -> u64 {
        match self {
            Self::Mapped(shards) => shards.last().map_or(0, |(_, shard)| shard.samples().end),
            Self::Whole(shards) => shards.end(),
            Self::Records(_) => manifest.samples,
        }
    }
}

/// The shard with a sample, which must be there.
fn holding(shards: &[(String, Shard)], index: u64) -> &(String, Shard) {
    &shards[shards.partition_point(|(_, shard)| shard.samples().end <= index)]
}

/// The Arrow shards in a folder.
fn mapped(folder: &Path, manifest: &Manifest) -> Result<Vec<(String, Shard)>, StoredError> {
    let mut shards: Vec<(String, Shard)> = Vec::new();
    let mut next = 0;
    for entry in &manifest.shards {
        let file = folder.join(&entry.file);
        let path = file.display().to_string();
        let shard =
            Shard::open(&file).map_err(|error| StoredError::Shard { path: path.clone(), error })?;
        let samples = shard.samples();
        let is_like_the_first =
            shards.first().is_none_or(|(_, first)| first.header() == shard.header());
        let is_next = (samples.start, samples.end - samples.start) == (next, entry.samples);
        if !is_like_the_first || !is_next || !manifest.is_of(shard.header()) {
            return Err(StoredError::Foreign { path });
        }
        next = samples.end;
        shards.push((path, shard));
    }
    Ok(shards)
}
