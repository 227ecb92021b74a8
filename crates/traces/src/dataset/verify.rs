//! Verifying a file: its samples are made again and compared, byte by byte and by content hash.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use thiserror::Error;

use super::records::{Prepared, start_of_file};
use super::verify_shards::verify_shards;
use super::{Manifest, Request};
use crate::export::arrow::ShardError;
use crate::hash::hash_of_hashes;
use crate::sample::SampleError;

/// What is wrong with a file of samples.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The file or its manifest cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The manifest makes no sense.
    #[error("{path}: not a manifest: {problem}")]
    Manifest {
        /// The manifest.
        path: String,
        /// Why.
        problem: String,
    },
    /// A sample cannot be made again.
    #[error("{path}: {error}")]
    Sample {
        /// The file.
        path: String,
        /// Why.
        error: SampleError,
    },
    /// A shard is damaged.
    #[error("{path}: {error}")]
    Shard {
        /// The shard.
        path: String,
        /// How.
        error: ShardError,
    },
    /// A shard holds the right samples in other bytes.
    #[error("{path}: its header, hints or layout differ from what suite and seed give")]
    Contents {
        /// The shard.
        path: String,
    },
    /// Something is among the shards that is none of them.
    #[error("{path}: the manifest does not know this file")]
    Extra {
        /// The file.
        path: String,
    },
    /// The bytes differ.
    #[error("{path}: sample {index} differs from what suite and seed give")]
    Differs {
        /// The file.
        path: String,
        /// The first sample that differs.
        index: u64,
    },
    /// The file ends early.
    #[error("{path}: cut off within sample {index} of {samples}")]
    Truncated {
        /// The file.
        path: String,
        /// The sample.
        index: u64,
        /// How many there should be.
        samples: u64,
    },
    /// The file starts with something else.
    #[error("{path}: the header is damaged")]
    Header {
        /// The file.
        path: String,
    },
    /// There is something after the last sample.
    #[error("{path}: there is more after the last of {samples} samples")]
    Trailing {
        /// The file.
        path: String,
        /// How many there should be.
        samples: u64,
    },
    /// The manifest promises something else.
    #[error("{path}: the manifest's {which} hash is {promised}, found {found}")]
    Hash {
        /// The file.
        path: String,
        /// `content` or `file`.
        which: &'static str,
        /// In the manifest.
        promised: String,
        /// Of the samples or the file.
        found: String,
    },
}

/// Makes the samples of `file` again and compares; gives its manifest if all agree.
pub fn verify(file: &Path, progress: &(dyn Fn(u64) + Sync)) -> Result<Manifest, VerifyError> {
    let manifest = Manifest::read(file)?;
    manifest.with_request(file, |request| match request.format.is_folder() {
        true => verify_shards(request, file, &manifest, progress),
        false => verify_file(request, file, &manifest, progress),
    })??;
    Ok(manifest)
}

fn verify_file(
    request: &Request<'_>,
    file: &Path,
    manifest: &Manifest,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), VerifyError> {
    let path = file.display().to_string();
    let read_error = |error| VerifyError::Read { path: path.clone(), error };
    let mut found = BufReader::new(File::open(file).map_err(read_error)?);
    let start = start_of_file(request.format);
    let mut header = vec![0; start.len()];
    if found.read_exact(&mut header).is_err() || header != start {
        return Err(VerifyError::Header { path });
    }
    let mut file_hash = blake3::Hasher::new();
    file_hash.update(&header);
    let mut hashes = Vec::new();
    let mut buffer = Vec::new();
    for batch in request.batches(0) {
        let start = batch.start;
        let made = request
            .prepared(&|range| request.made(range), batch)
            .map_err(|error| VerifyError::Sample { path: path.clone(), error })?;
        for (index, Prepared { hash, record, .. }) in (start..).zip(&made) {
            buffer.clear();
            let wanted = record.len() as u64;
            found.by_ref().take(wanted).read_to_end(&mut buffer).map_err(read_error)?;
            let path = path.clone();
            if buffer[..] != record[..buffer.len()] {
                return Err(VerifyError::Differs { path, index });
            }
            if buffer.len() < record.len() {
                let samples = request.samples;
                return Err(VerifyError::Truncated { path, index, samples });
            }
            file_hash.update(record);
            hashes.push(*hash);
        }
        progress(made.len() as u64);
    }
    if found.read(&mut [0]).map_err(read_error)? != 0 {
        return Err(VerifyError::Trailing { path, samples: request.samples });
    }
    let file_hash = file_hash.finalize().to_hex();
    manifest.check_hashes(&path, &hash_of_hashes(hashes).to_string(), &file_hash)
}
