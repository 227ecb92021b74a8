//! A file as memory.

use std::fs::File;
use std::io;
use std::path::Path;

use bytes::Bytes;
use memmap2::Mmap;

/// The bytes of a file, fetched from disk as they are read.
#[expect(unsafe_code, reason = "a map is memory that another process could change")]
pub(crate) fn map(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // SAFETY: a mapped file must not change while the map lives. Shards appear under their name
    // when they are complete and are replaced by renaming, which leaves the mapped file as it
    // was; nothing here writes into one. Whoever does so from outside can make any reader fail.
    let map = unsafe { Mmap::map(&file)? };
    Ok(Bytes::from_owner(map))
}
