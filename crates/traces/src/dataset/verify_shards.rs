//! Verifying shards: each is made again and compared; where they differ, the damage is named.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::atomically::paths_in;
use super::parts::{Part, Place};
use super::whole_shards::read_rows;
use super::write::hash_of_shards;
use super::{Manifest, Request, VerifyError};
use crate::export::arrow::Shard;
use crate::export::{Format, ShardError};
use crate::hash::hash_of_hashes;
use crate::sample::{Sample, SampleError};

/// Compares the shards in `folder` with what the request gives.
pub(super) fn verify_shards(
    request: &Request<'_>,
    folder: &Path,
    manifest: &Manifest,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), VerifyError> {
    let path = folder.display().to_string();
    let failed = |error: Failed| match error {
        Failed::Verify(error) => error,
        Failed::Sample(error) => VerifyError::Sample { path: path.clone(), error },
        Failed::Shard(error) => VerifyError::Shard { path: path.clone(), error },
    };
    let (mut entries, mut hashes) = (Vec::new(), Vec::new());
    request
        .for_each_part(&|range| Ok(request.made(range)?), Place::default(), |made| {
            let file = folder.join(&made.entry.file);
            let path = file.display().to_string();
            let found = std::fs::read(&file)
                .map_err(|error| VerifyError::Read { path: path.clone(), error })?;
            if found != made.bytes {
                return Err(Failed::Verify(difference(
                    request.format,
                    path,
                    found,
                    &made,
                    hashes.len() as u64,
                )));
            }
            if manifest.shards.get(entries.len()) != Some(&made.entry) {
                let problem = format!("the manifest says something else of {}", made.entry.file);
                return Err(Failed::Verify(VerifyError::Manifest { path, problem }));
            }
            progress(made.entry.samples);
            entries.push(made.entry);
            hashes.extend(made.hashes);
            Ok(())
        })
        .map_err(failed)?;
    let read_error = |error| VerifyError::Read { path: path.clone(), error };
    let known: HashSet<PathBuf> = entries.iter().map(|entry| folder.join(&entry.file)).collect();
    let inside = paths_in(folder).map_err(read_error)?;
    if let Some(other) = inside.iter().find(|inside| !known.contains(*inside)) {
        return Err(VerifyError::Extra { path: other.display().to_string() });
    }
    if manifest.shards.len() != entries.len() {
        let problem =
            format!("expected {} shards, it names {}", entries.len(), manifest.shards.len());
        return Err(VerifyError::Manifest { path, problem });
    }
    manifest.check_hashes(&path, &hash_of_hashes(hashes).to_string(), &hash_of_shards(&entries))
}

/// What is wrong with a shard that is not the one it should be; `first` is its first sample.
fn difference(
    format: Format,
    path: String,
    found: Vec<u8>,
    made: &Part,
    first: u64,
) -> VerifyError {
    if format == Format::GraphMl {
        // One sample a file.
        return VerifyError::Differs { path, index: first };
    }
    let (found, expected) = match (samples(format, found), samples(format, made.bytes.clone())) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(error), _) | (_, Err(error)) => return VerifyError::Shard { path, error },
    };
    let other = (0..expected.len()).find(|&place| found.get(place) != expected.get(place));
    match other {
        Some(place) => VerifyError::Differs { path, index: first + place as u64 },
        None => VerifyError::Contents { path },
    }
}

/// The samples of a shard without their hints.
fn samples(format: Format, bytes: Vec<u8>) -> Result<Vec<Sample>, ShardError> {
    if format != Format::Arrow {
        let rows = read_rows(format, bytes)?;
        return rows.samples().map(|index| rows.sample(index, false)).collect();
    }
    let shard = Shard::from_bytes(bytes.into())?;
    // Damage is better named by its checksum than by the first wrong sample.
    (0..shard.n_batches()).try_for_each(|batch| shard.batch(batch).map(|_| ()))?;
    shard.samples().map(|index| shard.sample(index, false)).collect()
}

/// Any of the errors that can occur on the way.
enum Failed {
    Verify(VerifyError),
    Sample(SampleError),
    Shard(ShardError),
}

impl From<VerifyError> for Failed {
    fn from(error: VerifyError) -> Self {
        Self::Verify(error)
    }
}

impl From<SampleError> for Failed {
    fn from(error: SampleError) -> Self {
        Self::Sample(error)
    }
}

impl From<ShardError> for Failed {
    fn from(error: ShardError) -> Self {
        Self::Shard(error)
    }
}
