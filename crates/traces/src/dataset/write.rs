//! Writing a split: parallel, in order, and under its final name only when complete.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

use super::{Manifest, Request, manifest_path};
use crate::hash::{ContentHash, hash_of_hashes};
use crate::sample::SampleError;

/// Why a split was not written.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// A sample could not be made.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The file could not be written.
    #[error("{path}: {error}")]
    Write {
        /// The file or folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// Writes the samples and their manifest into `folder`, which is made if missing; gives the file.
pub fn write(
    request: &Request<'_>,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    let path = folder.join(request.file_name());
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| DatasetError::Write { path, error }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let temporary = partial_file(folder).map_err(failed(folder))?;

    let mut file = HashingWriter { to: BufWriter::new(temporary), hash: blake3::Hasher::new() };
    file.write_all(request.header()).map_err(failed(&path))?;
    let mut hashes: Vec<ContentHash> = Vec::new();
    for batch in request.batches() {
        let records = request.records(batch)?;
        for (hash, record) in &records {
            hashes.push(*hash);
            file.write_all(record).map_err(failed(&path))?;
        }
        progress(records.len() as u64);
    }
    let HashingWriter { to, hash } = file;
    let temporary = to.into_inner().map_err(|error| failed(&path)(error.into_error()))?;
    temporary.as_file().sync_all().map_err(failed(&path))?;

    let manifest = Manifest {
        code_version: env!("CARGO_PKG_VERSION").to_owned(),
        suite: request.suite.name.clone(),
        suite_version: request.suite.version,
        convention: request.suite.convention,
        seed: request.seed,
        algorithm: request.sampler.algorithm().spec().algorithm.to_string(),
        split: request.sampler.split().name.clone(),
        samples: request.samples,
        hints: request.hints,
        format: request.format.name().to_owned(),
        content_hash: hash_of_hashes(hashes).to_string(),
        file_hash: hash.finalize().to_hex().to_string(),
        suite_text: request.suite.text.clone(),
    };
    let mut text = serde_json::to_vec_pretty(&manifest).expect("a manifest is plain data");
    text.push(b'\n');
    let manifest_path = manifest_path(&path);
    let mut temporary_manifest = partial_file(folder).map_err(failed(&manifest_path))?;
    temporary_manifest.write_all(&text).map_err(failed(&manifest_path))?;
    temporary_manifest.as_file().sync_all().map_err(failed(&manifest_path))?;
    // The samples first: a manifest never promises a file that is not there.
    temporary.persist(&path).map_err(|error| failed(&path)(error.error))?;
    temporary_manifest
        .persist(&manifest_path)
        .map_err(|error| failed(&manifest_path)(error.error))?;
    Ok((path, manifest))
}

/// A file that goes away unless it is given its final name.
fn partial_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    // A temporary file is its owner's alone unless told otherwise; this one will be shared.
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    file.prefix(".salsa-").suffix(".partial").tempfile_in(folder)
}

/// Hashes what it writes.
struct HashingWriter<W> {
    to: W,
    hash: blake3::Hasher,
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
