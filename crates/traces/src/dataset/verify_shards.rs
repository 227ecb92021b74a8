//! Verifying shards: each is made again and compared; where they differ, the damage is named.

use std::path::Path;

use super::shards::{Made, hash_of_shards, paths_in};
use super::{Manifest, Request, VerifyError};
use crate::export::arrow::{Shard, ShardError};
use crate::hash::hash_of_hashes;
use crate::sample::SampleError;

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
    let header = request.shard_header().map_err(|error| failed(error.into()))?;
    let (mut entries, mut hashes) = (Vec::new(), Vec::new());
    request
        .for_each_shard(&header, 0, 0, |made| {
            let file = folder.join(&made.entry.file);
            let path = file.display().to_string();
            let found = std::fs::read(&file)
                .map_err(|error| VerifyError::Read { path: path.clone(), error })?;
            if found != made.bytes {
                return Err(Failed::Verify(difference(path, found, &made)));
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
    let is_known = |found: &&std::path::PathBuf| entries.iter().any(|e| found.ends_with(&e.file));
    if let Some(other) = paths_in(folder).map_err(read_error)?.iter().find(|found| !is_known(found))
    {
        return Err(VerifyError::Extra { path: other.display().to_string() });
    }
    if manifest.shards.len() != entries.len() {
        let problem =
            format!("expected {} shards, it names {}", entries.len(), manifest.shards.len());
        return Err(VerifyError::Manifest { path, problem });
    }
    manifest.check_hashes(&path, &hash_of_hashes(hashes).to_string(), &hash_of_shards(&entries))
}

/// What is wrong with a shard that is not the one it should be.
fn difference(path: String, found: Vec<u8>, made: &Made) -> VerifyError {
    let wrong = |error| VerifyError::Shard { path: path.clone(), error };
    let read = |bytes: Vec<u8>| Shard::from_bytes(bytes.into());
    let (found, expected) = match (read(found), read(made.bytes.clone())) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(error), _) | (_, Err(error)) => return wrong(error),
    };
    for batch in 0..found.n_batches() {
        if let Err(error) = found.batch(batch) {
            return wrong(error);
        }
    }
    for index in expected.samples() {
        match (found.sample(index, false), expected.sample(index, false)) {
            (Ok(found), Ok(expected)) if found == expected => {}
            (Err(error), _) => return wrong(error),
            _ => return VerifyError::Differs { path, index },
        }
    }
    VerifyError::Contents { path }
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
