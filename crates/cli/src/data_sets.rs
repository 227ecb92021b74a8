//! The data sets that paths speak of: files and folders with a manifest beside them.

use std::path::{Path, PathBuf};

use salsa_traces::dataset::{Manifest, manifest_path};

use crate::failure::Failure;

/// The files themselves, and those in folders that have a manifest.
pub fn data_sets(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !manifest_path(path).exists() {
            let inside = files_with_manifest(path)?;
            if inside.is_empty() {
                let path = path.display();
                return Err(Failure::mistake(format!("{path}: no file with a manifest is in it")));
            }
            files.extend(inside);
        } else if path.is_file() && !manifest_path(path).exists() {
            return Err(without_manifest(path));
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn files_with_manifest(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let reading = |error: std::io::Error| Failure::reading(folder, &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        let text = path.to_string_lossy();
        // A manifest without its file is reported as such, so the file need not exist here; nor
        // is a file without its manifest passed over.
        files.extend(text.strip_suffix(".manifest.json").map(PathBuf::from));
        let is_ours = path.extension().is_some_and(|ending| OURS.iter().any(|our| ending == *our));
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_ours && !is_hidden && !manifest_path(&path).exists() {
            return Err(without_manifest(&path));
        }
    }
    files.sort();
    Ok(files)
}

/// Endings that only data sets of ours have.
const OURS: [&str; 4] = ["arrow", "parquet", "npz", "bin"];

fn without_manifest(path: &Path) -> Failure {
    let path = path.display();
    Failure::mistake(format!(
        "{path}: there is no {path}.manifest.json beside it, which says what it must hold"
    ))
}

/// How many samples a manifest speaks of, as far as it can be read; for the progress bar only.
pub fn promised(file: &Path) -> u64 {
    let text = std::fs::read(manifest_path(file)).unwrap_or_default();
    serde_json::from_slice(&text).map_or(0, |manifest: Manifest| manifest.samples)
}
