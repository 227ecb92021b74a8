//! Files that commands write: complete under their name, or not at all.

use std::io::Write;
use std::path::Path;

use crate::failure::Failure;

/// Writes `bytes` to `path` through a temporary file beside it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::writing(&path.display().to_string(), &error);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut temporary = tempfile::Builder::new();
    // A temporary file is its owner's alone unless told otherwise; this one will be shared.
    #[cfg(unix)]
    temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file =
        temporary.prefix(".salsa-").suffix(".partial").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
