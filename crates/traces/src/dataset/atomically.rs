//! Files that appear under their name when they are complete.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::temporary_in;

/// Whether a file must be on the disk before it gets its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Safety {
    Synced,
    Unsynced,
}

/// Writes a whole file; `folder` is where it is written until it is complete.
pub(super) fn write_whole(
    folder: &Path,
    path: &Path,
    bytes: &[u8],
    safety: Safety,
) -> io::Result<()> {
    let mut file = temporary_in(folder)?;
    file.write_all(bytes)?;
    if safety == Safety::Synced {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Removes a file; it may be missing.
pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Every path in a folder, sorted.
pub(super) fn paths_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}
