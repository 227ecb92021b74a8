//! Formats with a record for each sample: how it is written, and a file of them that is read back.

use std::ops::Range;
use std::path::Path;

use bytes::Bytes;
use rayon::prelude::*;

use super::parts::Source;
use super::{Manifest, Request, StoredError};
use crate::algorithms::{self, Algorithm};
use crate::export::arrow::map;
use crate::export::{Format, ShardError, binary, graphml, json_lines, with_wanted_hints};
use crate::hash::{ContentHash, hash_of_bytes};
use crate::sample::Sample;

/// A sample on its way into a file.
pub(super) struct Prepared {
    pub(super) sample: Sample,
    pub(super) hash: ContentHash,
    /// Empty where there are columns instead.
    pub(super) record: Vec<u8>,
}

impl Request<'_> {
    /// The samples of a range with their records, in order, made in parallel.
    pub(super) fn prepared<E>(
        &self,
        source: Source<'_, E>,
        range: Range<u64>,
    ) -> Result<Vec<Prepared>, E> {
        let first = range.start;
        let samples = source(range)?.into_par_iter().enumerate();
        let prepared = samples.map(|(place, sample)| Prepared {
            hash: sample.content_hash(),
            record: record(self.format, &sample, first + place as u64),
            sample,
        });
        Ok(prepared.collect())
    }
}

fn record(format: Format, sample: &Sample, index: u64) -> Vec<u8> {
    match format {
        Format::Arrow | Format::Parquet | Format::Npz => Vec::new(),
        Format::Binary => binary::record(sample),
        Format::GraphMl => graphml::document(sample, index).into(),
        Format::JsonLines => {
            let mut line = json_lines::line(sample, None);
            line.push(b'\n');
            line
        }
    }
}

/// What a file of records starts with.
pub(super) fn start_of_file(format: Format) -> &'static [u8] {
    match format {
        Format::Binary => &binary::MAGIC,
        _ => &[],
    }
}

/// An open file of records, which is the one that its manifest speaks of.
pub(super) struct RecordFile {
    path: String,
    format: Format,
    algorithm: &'static dyn Algorithm,
    bytes: Bytes,
    /// Where each record stands.
    places: Vec<Range<usize>>,
}

impl RecordFile {
    /// Maps a file into memory and compares its hash.
    pub(super) fn open(
        file: &Path,
        format: Format,
        manifest: &Manifest,
    ) -> Result<Self, StoredError> {
        let path = file.display().to_string();
        let wrong = |error| StoredError::Shard { path: path.clone(), error };
        let bytes = map(file).map_err(|error| wrong(error.into()))?;
        if hash_of_bytes(&bytes).to_string() != manifest.file_hash {
            return Err(wrong(ShardError::Damaged));
        }
        let places = match format {
            Format::Binary => records_of(&bytes),
            _ => Some(lines_of(&bytes)),
        };
        let places = places.ok_or_else(|| wrong(ShardError::Truncated("a file of records")))?;
        let (expected, found) = (manifest.samples, places.len() as u64);
        if expected != found {
            return Err(StoredError::Incomplete { path, expected, found });
        }
        let algorithm = algorithms::find(&manifest.algorithm)
            .map_err(|error| wrong(ShardError::Header(error.to_string())))?;
        Ok(Self { path, format, algorithm, bytes, places })
    }

    /// Sample `index`, which must be there.
    pub(super) fn sample(
        &self,
        index: u64,
        hints: bool,
        manifest: &Manifest,
    ) -> Result<Sample, StoredError> {
        let record = &self.bytes[self.places[index as usize].clone()];
        let sample = match self.format {
            Format::Binary => binary::decode(record),
            _ => std::str::from_utf8(record).map_err(|error| error.to_string()).and_then(|line| {
                json_lines::read_sample(line, self.algorithm.spec())
                    .map_err(|error| error.to_string())
            }),
        };
        sample
            .and_then(|s| with_wanted_hints(s, self.algorithm, manifest.convention, hints))
            .map_err(|problem| {
                let error = ShardError::Sample { index, problem };
                StoredError::Shard { path: self.path.clone(), error }
            })
    }
}

fn lines_of(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let place = start..start + line.len();
        start = place.end;
        place
    });
    lines.collect()
}

/// The bodies of records.
fn records_of(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut places = Vec::new();
    let mut start = binary::MAGIC.len();
    bytes.starts_with(&binary::MAGIC).then_some(())?;
    while start < bytes.len() {
        let len = u32::from_le_bytes(*bytes[start..].first_chunk()?) as usize;
        let body = start + 4..start + 4 + len;
        start = body.end + size_of::<ContentHash>();
        places.push(body);
    }
    (start == bytes.len()).then_some(places)
}
