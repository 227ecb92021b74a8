//! A split in parts, made in order, each the same bytes wherever a run began.
//!
//! Parts are the shards of a folder, or what a file of records is put together from. Where one
//! ends depends on the samples alone.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Request;
use super::records::Prepared;
use crate::export::arrow::ShardWriter;
use crate::export::columns::{Features, Header, RowsWriter, VERSION, fields};
use crate::export::{Format, SHARD_BYTES, ShardError, npz, parquet};
use crate::hash::{ContentHash, hash_of_bytes};
use crate::sample::{Sample, SampleError};

/// What a manifest says of a shard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEntry {
    /// Its name in the folder.
    pub file: String,
    /// How many samples it holds.
    pub samples: u64,
    /// Its size.
    pub bytes: u64,
    /// The hash of the file.
    pub hash: String,
}

/// A part as it must be.
pub(super) struct Part {
    pub(super) entry: ShardEntry,
    pub(super) bytes: Vec<u8>,
    /// The content hashes of its samples.
    pub(super) hashes: Vec<ContentHash>,
}

/// Where a run begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// The number of the next part.
    pub(super) part: usize,
    /// Its first sample.
    pub(super) sample: u64,
}

/// Gives the samples of a range, in order.
pub(super) type Source<'s, E> = &'s dyn Fn(Range<u64>) -> Result<Vec<Sample>, E>;

impl Request<'_> {
    /// What every shard of this data set says of it; the first sample shows what there is.
    pub fn shard_header(&self) -> Result<Header, SampleError> {
        let first = self.sampler.sample(0, self.hints)?;
        let spec = self.sampler.algorithm().spec();
        Ok(Header {
            version: VERSION,
            suite: self.suite.name.clone(),
            suite_version: self.suite.version,
            convention: self.suite.convention,
            seed: self.seed,
            algorithm: spec.algorithm.to_string(),
            split: self.sampler.split().name.clone(),
            samples: self.samples,
            features: Features::of(&first, self.sampler.split().graphs.nodes.max().into()),
            fields: fields(spec),
            generator: first.generator,
        })
    }

    /// Samples that are made here, in parallel.
    pub(super) fn made(&self, range: Range<u64>) -> Result<Vec<Sample>, SampleError> {
        range.into_par_iter().map(|index| self.sampler.sample(index, self.hints)).collect()
    }

    /// Gives the parts from a place on to `take`.
    pub(super) fn for_each_part<E: From<SampleError> + From<ShardError>>(
        &self,
        source: Source<'_, E>,
        mut place: Place,
        mut take: impl FnMut(Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let header = self.shard_header()?;
        let mut writer = PartWriter::new(self.format, &header, place.sample)?;
        let mut hashes = Vec::new();
        for range in self.batches(place.sample) {
            for Prepared { sample, hash, record } in self.prepared(source, range)? {
                writer.push(&sample, &record)?;
                hashes.push(hash);
                place.sample += 1;
                if writer.is_full() || place.sample == self.samples {
                    let next = PartWriter::new(self.format, &header, place.sample)?;
                    let bytes = std::mem::replace(&mut writer, next).finish()?;
                    let entry = ShardEntry {
                        file: format!("{:05}.{}", place.part, self.format),
                        samples: hashes.len() as u64,
                        bytes: bytes.len() as u64,
                        hash: hash_of_bytes(&bytes).to_string(),
                    };
                    take(Part { entry, bytes, hashes: std::mem::take(&mut hashes) })?;
                    place.part += 1;
                }
            }
        }
        Ok(())
    }
}

/// A part in the making.
enum PartWriter {
    Arrow(Box<ShardWriter>),
    /// Written at once by the function.
    Rows(Box<RowsWriter>, fn(RowsWriter) -> Result<Vec<u8>, ShardError>),
    /// Records one after the other, up to so many bytes.
    Records {
        bytes: Vec<u8>,
        most: usize,
    },
}

impl PartWriter {
    fn new(format: Format, header: &Header, first: u64) -> Result<Self, ShardError> {
        let rows = || Ok::<_, ShardError>(Box::new(RowsWriter::new(header.clone(), first)?));
        Ok(match format {
            Format::Arrow => Self::Arrow(Box::new(ShardWriter::new(header.clone(), first)?)),
            Format::Parquet => Self::Rows(rows()?, parquet::file),
            Format::Npz => Self::Rows(rows()?, npz::file),
            Format::GraphMl => Self::Records { bytes: Vec::new(), most: 1 },
            Format::JsonLines | Format::Binary => {
                Self::Records { bytes: Vec::new(), most: SHARD_BYTES }
            }
        })
    }

    fn push(&mut self, sample: &Sample, record: &[u8]) -> Result<(), ShardError> {
        match self {
            Self::Arrow(shard) => shard.push(sample),
            Self::Rows(rows, _) => rows.push(sample),
            Self::Records { bytes, .. } => {
                bytes.extend(record);
                Ok(())
            }
        }
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Arrow(shard) => shard.is_full(),
            Self::Rows(rows, _) => rows.is_full(),
            Self::Records { bytes, most } => bytes.len() >= *most,
        }
    }

    fn finish(self) -> Result<Vec<u8>, ShardError> {
        match self {
            Self::Arrow(shard) => shard.finish(),
            Self::Rows(rows, file) => file(*rows),
            Self::Records { bytes, .. } => Ok(bytes),
        }
    }
}
