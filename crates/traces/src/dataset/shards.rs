//! A split as shards in a folder: made in order, each the same bytes wherever a run began.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Request;
use crate::export::arrow::{Features, Header, Shard, ShardError, ShardWriter, VERSION, fields};
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

/// A shard as it must be.
pub(super) struct Made {
    pub(super) entry: ShardEntry,
    pub(super) bytes: Vec<u8>,
    /// The content hashes of its samples.
    pub(super) hashes: Vec<ContentHash>,
}

/// The shards that are there and right, from the first on.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) entries: Vec<ShardEntry>,
    pub(super) hashes: Vec<ContentHash>,
}

/// The name of a shard.
pub(super) fn shard_name(place: usize) -> String {
    format!("{place:05}.arrow")
}

/// Whether a file is named as shards are.
pub(super) fn is_shard(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_suffix(".arrow").unwrap_or_default();
    digits.len() >= 5 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The hash of all shards, in order.
pub(super) fn hash_of_shards(entries: &[ShardEntry]) -> String {
    let texts: String = entries.iter().map(|entry| entry.hash.as_str()).collect();
    hash_of_bytes(texts.as_bytes()).to_string()
}

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

    /// Makes the shards from sample `first` on, which starts shard `place`, and gives each to
    /// `take`.
    pub(super) fn for_each_shard<E: From<SampleError> + From<ShardError>>(
        &self,
        header: &Header,
        mut place: usize,
        first: u64,
        mut take: impl FnMut(Made) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut writer = ShardWriter::new(header.clone(), first)?;
        let mut hashes = Vec::new();
        for range in self.batches(first) {
            let made: Result<Vec<(Sample, ContentHash)>, SampleError> = range
                .into_par_iter()
                .map(|index| {
                    let sample = self.sampler.sample(index, self.hints)?;
                    let hash = sample.content_hash();
                    Ok((sample, hash))
                })
                .collect();
            for (sample, hash) in made? {
                writer.push(&sample)?;
                hashes.push(hash);
                let next = writer.next();
                if writer.is_full() || next == self.samples {
                    let full =
                        std::mem::replace(&mut writer, ShardWriter::new(header.clone(), next)?);
                    let bytes = full.finish()?;
                    let entry = ShardEntry {
                        file: shard_name(place),
                        samples: hashes.len() as u64,
                        bytes: bytes.len() as u64,
                        hash: hash_of_bytes(&bytes).to_string(),
                    };
                    take(Made { entry, bytes, hashes: std::mem::take(&mut hashes) })?;
                    place += 1;
                }
            }
        }
        Ok(())
    }
}

impl Kept {
    /// Looks for the shards of `header` in a folder; the first that is missing, damaged or of
    /// another data set ends the search.
    pub(super) fn find(folder: &Path, header: &Header) -> Self {
        let mut kept = Self::default();
        while let Some((entry, hashes)) = kept.next_in(folder, header) {
            kept.entries.push(entry);
            kept.hashes.extend(hashes);
        }
        kept
    }

    /// The first sample that is in none of them.
    pub(super) fn samples(&self) -> u64 {
        self.hashes.len() as u64
    }

    fn next_in(&self, folder: &Path, header: &Header) -> Option<(ShardEntry, Vec<ContentHash>)> {
        let file = shard_name(self.entries.len());
        let bytes = std::fs::read(folder.join(&file)).ok()?;
        let (len, hash) = (bytes.len() as u64, hash_of_bytes(&bytes).to_string());
        let shard = Shard::from_bytes(bytes.into()).ok()?;
        let samples = shard.samples();
        if shard.header() != header || samples.start != self.samples() {
            return None;
        }
        let hashes = content_hashes(&shard, samples.clone()).ok()?;
        let samples = samples.end - samples.start;
        Some((ShardEntry { file, samples, bytes: len, hash }, hashes))
    }
}

fn content_hashes(shard: &Shard, samples: Range<u64>) -> Result<Vec<ContentHash>, ShardError> {
    samples.into_par_iter().map(|index| Ok(shard.sample(index, false)?.content_hash())).collect()
}

/// Every path in a folder, sorted.
pub(super) fn paths_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}
