//! Files that are there under their name completely, or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a whole file in place of an earlier one; it is on the disk when this returns.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary_beside(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_name(path)
}

/// A file that may become `path`, whose folder is made if missing.
pub fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder)?;
    temporary_in(folder)
}

/// A file that goes away unless it is given its final name.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new();
    // A temporary file is its owner's alone unless told otherwise; this one will be shared.
    #[cfg(unix)]
    file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    file.prefix(".salsa-").suffix(".partial").tempfile_in(folder)
}

/// Brings a name that a file was just given to the disk.
pub fn sync_name(path: &Path) -> io::Result<()> {
    sync_folder(folder_of(path))
}

/// Brings the names in a folder to the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Other systems give no handle to a folder.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// What the system says, without the temporary file, which means nothing to anyone.
pub fn told(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" at path ").next().unwrap_or_default().to_owned()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_its_folder_made() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("new/file");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"2").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"2");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        drop(temporary_beside(&path).unwrap());
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert_eq!(folder_of(Path::new("file")), Path::new("."));
    }

    #[test]
    fn the_temporary_file_is_not_told() {
        let error = temporary_in(Path::new("/nowhere/at/all")).unwrap_err();
        assert_eq!(told(&error), "No such file or directory (os error 2)");
    }
}
