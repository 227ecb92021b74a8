//! Writing shards so that a run can be stopped at any moment and go on later.
//!
//! They are collected in a hidden folder beside the final one, each under its name when it is
//! complete; the folder gets its own name when all are there. Whatever a killed run finished is
//! kept by the next.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::shards::{Kept, Made, hash_of_shards, is_shard, paths_in};
use super::write::{failed, partial_file, write_manifest};
use super::{DatasetError, Manifest, Request, manifest_path};
use crate::export::arrow::Header;
use crate::hash::hash_of_hashes;

/// Writes the shards and their manifest into `folder`; gives the folder of the shards.
pub(super) fn write_shards(
    request: &Request<'_>,
    folder: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(PathBuf, Manifest), DatasetError> {
    let (name, header) = (request.file_name(), request.shard_header()?);
    let path = folder.join(&name);
    if let Some(manifest) = finished(request, &path, &header) {
        progress(manifest.samples);
        return Ok((path, manifest));
    }
    // Better told now than after all the work.
    earlier_shards(&path).map_err(failed(&path))?;
    let partial = folder.join(format!(".{name}.partial"));
    std::fs::create_dir_all(&partial).map_err(failed(&path))?;
    let written = write_missing(request, &header, &partial, &path, progress);
    if written.is_err() {
        // Goes only if nothing is in it that could be kept.
        let _ = std::fs::remove_dir(&partial);
    }
    let manifest = manifest_of(request, written?);
    let manifest_path = manifest_path(&path);
    // Never a manifest without the shards it speaks of.
    remove_if_there(&manifest_path).map_err(failed(&manifest_path))?;
    remove_earlier(&path).map_err(failed(&path))?;
    std::fs::rename(&partial, &path).map_err(failed(&path))?;
    write_manifest(folder, &manifest_path, &manifest)?;
    Ok((path, manifest))
}

/// The manifest of a data set that is there already, whole and undamaged.
fn finished(request: &Request<'_>, path: &Path, header: &Header) -> Option<Manifest> {
    let text = std::fs::read(manifest_path(path)).ok()?;
    let found: Manifest = serde_json::from_slice(&text).ok()?;
    let n_shards = paths_in(path).ok()?.len();
    let kept = Kept::find(path, header);
    let is_whole = kept.samples() == request.samples && kept.entries.len() == n_shards;
    (is_whole && manifest_of(request, kept) == found).then_some(found)
}

/// Completes the shards in `partial`, which will become `path`.
fn write_missing(
    request: &Request<'_>,
    header: &Header,
    partial: &Path,
    path: &Path,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Kept, DatasetError> {
    let mut kept = Kept::find(partial, header);
    progress(kept.samples());
    let is_kept = |found: &PathBuf| kept.entries.iter().any(|e| found.ends_with(&e.file));
    for other in paths_in(partial).map_err(failed(path))?.iter().filter(|found| !is_kept(found)) {
        std::fs::remove_file(other).map_err(failed(path))?;
    }
    let (place, first) = (kept.entries.len(), kept.samples());
    request.for_each_shard(header, place, first, |Made { entry, bytes, hashes }| {
        let place = path.join(&entry.file);
        let mut file = partial_file(partial).map_err(failed(&place))?;
        file.write_all(&bytes).map_err(failed(&place))?;
        file.as_file().sync_all().map_err(failed(&place))?;
        file.persist(partial.join(&entry.file)).map_err(|error| failed(&place)(error.error))?;
        progress(entry.samples);
        kept.entries.push(entry);
        kept.hashes.extend(hashes);
        Ok::<(), DatasetError>(())
    })?;
    Ok(kept)
}

fn manifest_of(request: &Request<'_>, kept: Kept) -> Manifest {
    let file_hash = hash_of_shards(&kept.entries);
    let content_hash = hash_of_hashes(kept.hashes).to_string();
    Manifest { shards: kept.entries, ..request.manifest(content_hash, file_hash) }
}

/// Removes an earlier data set, but nothing that is none.
fn remove_earlier(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        return remove_if_there(path);
    }
    earlier_shards(path)?.iter().try_for_each(std::fs::remove_file)?;
    std::fs::remove_dir(path)
}

/// The shards of an earlier data set; an error if anything else is among them.
fn earlier_shards(path: &Path) -> io::Result<Vec<PathBuf>> {
    let inside = if path.is_dir() { paths_in(path)? } else { Vec::new() };
    match inside.iter().find(|inside| !is_shard(inside)) {
        None => Ok(inside),
        Some(other) => {
            let name = other.file_name().unwrap_or_default().to_string_lossy();
            let problem = format!("{name} is in it, which is no shard");
            Err(io::Error::new(io::ErrorKind::AlreadyExists, problem))
        }
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
