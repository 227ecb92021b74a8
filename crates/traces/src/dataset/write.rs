//! Writing a split: parallel, in order, and under its final name only when complete.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

use super::records::RecordFile;
use super::write_shards::write_shards;
use super::{Manifest, Request, manifest_path};
use crate::export::arrow::ShardError;
use crate::hash::{ContentHash, hash_of_hashes};
use crate::sample::SampleError;

/// Why a split was not written.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// A sample could not be made.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A sample does not fit the format.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The file could not be written.
    #[error("{path}: {error}")]
    Write {
        /// The file or folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// Writes the samples and their manifest into `folder`, which is made if missing; gives the file,
/// or the folder of the shards.
pub fn write(
    request: &Request<'_>,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    match RecordFile::of(request.format) {
        Some(records) => write_file(request, records, folder, progress),
        None => write_shards(request, folder, progress),
    }
}

fn write_file(
    request: &Request<'_>,
    records: RecordFile,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    let path = folder.join(request.file_name());
    let temporary = partial_file(folder).map_err(failed(folder))?;
    let mut file = HashingWriter { to: BufWriter::new(temporary), hash: blake3::Hasher::new() };
    file.write_all(records.header).map_err(failed(&path))?;
    let mut hashes: Vec<ContentHash> = Vec::new();
    for batch in request.batches(0) {
        let made = records.made(request, batch)?;
        for (hash, record) in &made {
            hashes.push(*hash);
            file.write_all(record).map_err(failed(&path))?;
        }
        progress(made.len() as u64);
    }
    let HashingWriter { to, hash } = file;
    let temporary = to.into_inner().map_err(|error| failed(&path)(error.into_error()))?;
    temporary.as_file().sync_all().map_err(failed(&path))?;

    let content_hash = hash_of_hashes(hashes).to_string();
    let manifest = request.manifest(content_hash, hash.finalize().to_hex().to_string());
    // The samples first: a manifest never promises a file that is not there.
    temporary.persist(&path).map_err(|error| failed(&path)(error.error))?;
    write_manifest(folder, &manifest_path(&path), &manifest)?;
    Ok((path, manifest))
}

/// Writes a manifest; it is there when it is complete.
pub(super) fn write_manifest(
    folder: &Path,
    path: &Path,
    manifest: &Manifest,
) -> Result<(), DatasetError> {
    let mut text = serde_json::to_vec_pretty(&manifest).expect("a manifest is plain data");
    text.push(b'\n');
    let mut temporary = partial_file(folder).map_err(failed(path))?;
    temporary.write_all(&text).map_err(failed(path))?;
    temporary.as_file().sync_all().map_err(failed(path))?;
    temporary.persist(path).map_err(|error| failed(path)(error.error))?;
    Ok(())
}

/// The error for `path`.
pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> DatasetError + use<> {
    let path = path.display().to_string();
    move |error| DatasetError::Write { path: path.clone(), error }
}

/// A file that goes away unless it is given its final name.
pub(super) fn partial_file(folder: &Path) -> io::Result<NamedTempFile> {
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
