//! Writing a split so that a run can be stopped at any moment and go on later.
//!
//! Parts are collected in a hidden folder beside the data set. When all are there, the folder gets
//! the name of the data set, or they are put together to its one file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::atomically::{Safety, paths_in, remove_if_there, write_whole};
use super::card::write_card;
use super::finished::{Finished, is_note, is_whole};
use super::parts::{ShardEntry, Source};
use super::records::start_of_file;
use super::{Manifest, Request, StoredError, StoredSplit, VerifyError, manifest_path};
use crate::export::{Format, ShardError};
use crate::files::temporary_in;
use crate::hash::{hash_of_bytes, hash_of_hashes};
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
    /// A sample could not be read.
    #[error(transparent)]
    Stored(#[from] Box<StoredError>),
    /// The manifest of what is to be converted makes no sense.
    #[error(transparent)]
    Manifest(#[from] Box<VerifyError>),
    /// Data of other settings have its name.
    #[error("{path}: other data are there already, {found}; remove them or choose another folder")]
    Occupied {
        /// The file or folder.
        path: String,
        /// What they are.
        found: String,
    },
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
    write_from(request, &|range| Ok(request.made(range)?), folder, progress)
}

/// Writes the samples of a stored data set into `folder` in another format; hints that are wanted
/// and not stored are made again.
pub fn convert(
    stored: &StoredSplit,
    format: Format,
    hints: bool,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    stored
        .manifest()
        .with_request(stored.path(), |request| {
            let request = Request { format, hints, ..*request };
            let source = |range| Ok(stored.samples(range, hints).map_err(Box::new)?);
            write_from(&request, &source, folder, progress)
        })
        .map_err(Box::new)?
}

fn write_from(
    request: &Request<'_>,
    source: Source<'_, DatasetError>,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let name = request.file_name();
    let path = folder.join(&name);
    let partial = folder.join(format!(".{name}.partial"));
    let manifest = match written_before(request, &path) {
        Some(manifest) => {
            remove_notes(&path).map_err(failed(&path))?;
            // Of a run that was killed when all was done.
            let _ = std::fs::remove_dir_all(&partial);
            progress(manifest.samples);
            manifest
        }
        None => {
            refuse_other(request, &path)?;
            take_back(&path, &partial).map_err(failed(&path))?;
            // Better told now than after all the work.
            earlier(&path, request.format).map_err(failed(&path))?;
            std::fs::create_dir_all(&partial).map_err(failed(&path))?;
            let finished = write_missing(request, source, &partial, &path, progress);
            if finished.is_err() {
                // Goes only if nothing is in it that could be kept.
                let _ = std::fs::remove_dir(&partial);
            }
            complete(request, finished?, &partial, &path)?
        }
    };
    if request.format == Format::Parquet {
        write_card(folder).map_err(failed(folder))?;
    }
    Ok((path, manifest))
}

/// An error if the data set that is there was made with other settings: somebody may need it. More
/// samples of the same may take the place of fewer.
fn refuse_other(request: &Request<'_>, path: &Path) -> Result<(), DatasetError> {
    let Ok(found) = Manifest::read(path) else { return Ok(()) };
    let same = Manifest {
        code_version: found.code_version.clone(),
        samples: found.samples.min(request.samples),
        shards: found.shards.clone(),
        ..request.manifest(found.content_hash.clone(), found.file_hash.clone())
    };
    if found == same {
        return Ok(());
    }
    let Manifest { samples, seed, hints, suite_version, .. } = found;
    let hints = if hints { "with" } else { "without" };
    let found = format!("{samples} samples {hints} hints, seed {seed}, version {suite_version}");
    Err(DatasetError::Occupied { path: path.display().to_string(), found })
}

/// The manifest of a data set that is there already, whole and undamaged.
fn written_before(request: &Request<'_>, path: &Path) -> Option<Manifest> {
    let found = Manifest::read(path).ok()?;
    let (content_hash, file_hash) = (found.content_hash.clone(), found.file_hash.clone());
    let shards = found.shards.clone();
    let expected = Manifest { shards, ..request.manifest(content_hash, file_hash) };
    let is_whole = match request.format.is_folder() {
        true => {
            found.file_hash == hash_of_shards(&found.shards)
                && paths_in(path).ok()?.iter().filter(|inside| !is_note(inside)).count()
                    == found.shards.len()
                && found.shards.iter().all(|entry| is_whole(path, entry))
        }
        false => found.file_hash == hash_of_bytes(&std::fs::read(path).ok()?).to_string(),
    };
    (is_whole && found == expected).then_some(found)
}

/// Completes the parts in `partial`, which will become `path`.
fn write_missing(
    request: &Request<'_>,
    source: Source<'_, DatasetError>,
    partial: &Path,
    path: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Finished, DatasetError> {
    let mut finished = Finished::find(partial, request).map_err(failed(path))?;
    let place = finished.place();
    progress(place.sample);
    request.for_each_part(source, place, |part| {
        let samples = part.entry.samples;
        let place = match request.format.is_folder() {
            true => path.join(&part.entry.file),
            false => path.to_owned(),
        };
        finished.add(partial, request, part).map_err(failed(&place))?;
        progress(samples);
        Ok::<(), DatasetError>(())
    })?;
    Ok(finished)
}

/// Gives all parts together the name of the data set, and writes its manifest.
fn complete(
    request: &Request<'_>,
    finished: Finished,
    partial: &Path,
    path: &Path,
) -> Result<Manifest, DatasetError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let manifest_path = manifest_path(path);
    // Never a manifest without the samples it speaks of.
    remove_if_there(&manifest_path).map_err(failed(&manifest_path))?;
    let (file_hash, shards) = match request.format.is_folder() {
        true => {
            remove_earlier(path, request.format).map_err(failed(path))?;
            std::fs::rename(partial, path).map_err(failed(path))?;
            (hash_of_shards(&finished.entries), finished.entries)
        }
        false => {
            let hash = concatenate(request.format, &finished.entries, partial, path);
            (hash.map_err(failed(path))?, Vec::new())
        }
    };
    let content_hash = hash_of_hashes(finished.hashes).to_string();
    let manifest = Manifest { shards, ..request.manifest(content_hash, file_hash) };
    let mut text = serde_json::to_vec_pretty(&manifest).expect("a manifest is plain data");
    text.push(b'\n');
    write_whole(folder, &manifest_path, &text, Safety::Synced).map_err(failed(&manifest_path))?;
    // Until now a run that was killed could go on from them.
    match request.format.is_folder() {
        true => remove_notes(path).map_err(failed(path))?,
        false => std::fs::remove_dir_all(partial).map_err(failed(path))?,
    }
    Ok(manifest)
}

/// Undoes the last step of a run that was killed before it wrote a manifest.
fn take_back(path: &Path, partial: &Path) -> io::Result<()> {
    let is_open = path.is_dir() && !manifest_path(path).exists() && !partial.exists();
    match is_open && paths_in(path)?.iter().any(|inside| is_note(inside)) {
        true => std::fs::rename(path, partial),
        false => Ok(()),
    }
}

/// Removes what only helps to go on.
fn remove_notes(path: &Path) -> io::Result<()> {
    let inside = if path.is_dir() { paths_in(path)? } else { Vec::new() };
    inside.iter().filter(|inside| is_note(inside)).try_for_each(std::fs::remove_file)
}

/// Puts parts together to one file; gives its hash.
fn concatenate(
    format: Format,
    parts: &[ShardEntry],
    partial: &Path,
    path: &Path,
) -> io::Result<String> {
    let mut hash = blake3::Hasher::new();
    // Beside the parts, so that what a killed run leaves goes with them.
    let mut file = temporary_in(partial)?;
    let mut append = |bytes: &[u8]| {
        hash.update(bytes);
        file.write_all(bytes)
    };
    append(start_of_file(format))?;
    parts.iter().try_for_each(|part| append(&std::fs::read(partial.join(&part.file))?))?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(hash.finalize().to_hex().to_string())
}

/// The hash of all shards, in order.
pub(super) fn hash_of_shards(entries: &[ShardEntry]) -> String {
    let texts: String = entries.iter().map(|entry| entry.hash.as_str()).collect();
    hash_of_bytes(texts.as_bytes()).to_string()
}

/// Removes an earlier data set of shards, but nothing that is none.
fn remove_earlier(path: &Path, format: Format) -> io::Result<()> {
    if !path.is_dir() {
        return remove_if_there(path);
    }
    earlier(path, format)?.iter().try_for_each(std::fs::remove_file)?;
    std::fs::remove_dir(path)
}

/// The files of an earlier data set of shards; an error if anything stands there that is none.
fn earlier(path: &Path, format: Format) -> io::Result<Vec<PathBuf>> {
    let problem = |problem: String| Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    if !format.is_folder() {
        return problem("it is a folder".to_owned());
    }
    let inside = paths_in(path)?;
    match inside.iter().find(|inside| !is_shard(inside, format) && !is_note(inside)) {
        None => Ok(inside),
        Some(other) => {
            let name = other.file_name().unwrap_or_default().to_string_lossy();
            problem(format!("{name} is in it, which is no shard"))
        }
    }
}

/// Whether a file is named as shards are.
fn is_shard(path: &Path, format: Format) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let digits = name.strip_suffix(&format!(".{format}")).unwrap_or_default();
    digits.len() >= 5 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The error for `path`.
fn failed(path: &Path) -> impl Fn(io::Error) -> DatasetError + use<> {
    let path = path.display().to_string();
    move |error| DatasetError::Write { path: path.clone(), error }
}
