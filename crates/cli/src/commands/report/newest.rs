//! The sweep that was worked on last.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Failure;

/// The folder of a sweep within `sweeps` with the newest record.
pub fn sweep(sweeps: &Path) -> Result<PathBuf, Failure> {
    let entries = std::fs::read_dir(sweeps).into_iter().flatten().flatten();
    let newest = entries
        .map(|entry| entry.path())
        .filter_map(|folder| Some((changed(&folder.join("records"))?, folder)))
        .max();
    newest.map(|(_, folder)| folder).ok_or_else(|| {
        Failure::mistake(format!(
            "there is no sweep with records in {}; name a folder or a file, or begin with salsa \
             sweep run runs/quick.toml",
            sweeps.display()
        ))
    })
}

/// When a folder got its last file.
fn changed(folder: &Path) -> Option<SystemTime> {
    let has_files = std::fs::read_dir(folder).ok()?.next().is_some();
    std::fs::metadata(folder).ok()?.modified().ok().filter(|_| has_files)
}

#[cfg(test)]
mod tests {
    use std::fs::{File, create_dir_all};
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_sweep_with_the_newest_record_is_found() {
        let at = tempfile::tempdir().unwrap();
        let told = sweep(&at.path().join("nowhere")).unwrap_err().to_string();
        assert!(told.starts_with("there is no sweep with records in"), "{told}");
        for (name, age) in [("a", 30), ("b", 10), ("c", 20), ("z", 0)] {
            let records = at.path().join(name).join("records");
            create_dir_all(&records).unwrap();
            if name != "z" {
                File::create(records.join("x.jsonl")).unwrap();
            }
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1000 - age);
            File::open(&records).unwrap().set_modified(time).unwrap();
        }
        assert_eq!(sweep(at.path()).unwrap(), at.path().join("b"));
    }
}
