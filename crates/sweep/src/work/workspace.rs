//! The folder of one attempt at a cell, which begins with what the last attempt had.
//!
//! Files are copied, not moved, and each attempt writes to its own: an earlier holder that is
//! slow rather than dead may still write to its folder, and must not write to this one. While it
//! does, every file is copied whole, and in an order in which none is older than what builds on
//! it: results, then the end of the training, the last checkpoint, the best, the log.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use salsa_traces::files::sync_folder;

use super::WorkError;
use crate::folder::numbered;

/// The folder of attempt `number`, with what the latest attempt before it had.
pub fn prepare(all: &Path, number: u64) -> Result<PathBuf, WorkError> {
    let failed = |error| WorkError::file(all, &error);
    let place = all.join(number.to_string());
    if place.is_dir() {
        return Ok(place);
    }
    let before = numbered(all).map_err(failed)?;
    let latest = before.into_iter().filter(|&earlier| earlier < number).max();
    // The disk may be full of what others left.
    clean(all, latest.unwrap_or(number), number);
    // A folder gets its number when it is complete; a name with a dot is no number.
    let partial = all.join(format!("{number}{PARTIAL}"));
    let made = (|| {
        std::fs::create_dir_all(&partial)?;
        if let Some(latest) = latest {
            copy(&all.join(latest.to_string()), &partial)?;
        }
        std::fs::rename(&partial, &place)?;
        sync_folder(all)
    })();
    if made.is_err() {
        let _ = std::fs::remove_dir_all(&partial);
    }
    made.map_err(failed)?;
    clean(all, number, number);
    Ok(place)
}

const PARTIAL: &str = ".partial";

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut names: Vec<String> = std::fs::read_dir(from)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()))
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort_by_key(|name| (rank(name), name.clone()));
    for name in names {
        match std::fs::copy(from.join(&name), to.join(&name)) {
            // Its holder may have removed it since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // What it was copied from is removed next.
            done => done.and_then(|_| File::open(to.join(&name))?.sync_all())?,
        }
    }
    sync_folder(to)
}

/// Removes all that an attempt has.
pub fn empty(place: &Path) -> Result<(), WorkError> {
    let emptied = std::fs::remove_dir_all(place).and_then(|()| std::fs::create_dir(place));
    emptied.map_err(|error| WorkError::file(place, &error))
}

/// What builds on others comes first.
fn rank(name: &str) -> usize {
    let order = ["result-", "graphs-", "trained", "last", "best", "log"];
    order.iter().position(|start| name.starts_with(start)).unwrap_or(order.len())
}

/// Removes what attempts before `kept` left, and copies that were not completed before `number`.
/// Somebody may still write there; what stays is not read.
fn clean(all: &Path, kept: u64, number: u64) {
    let names = std::fs::read_dir(all).into_iter().flatten().flatten();
    for name in names.filter_map(|entry| entry.file_name().into_string().ok()) {
        let is_over = match name.strip_suffix(PARTIAL) {
            Some(partial) => partial.parse().is_ok_and(|partial: u64| partial <= number),
            None => name.parse().is_ok_and(|attempt: u64| attempt < kept),
        };
        if is_over {
            let _ = std::fs::remove_dir_all(all.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_begins_with_what_the_last_one_had() {
        let at = tempfile::tempdir().unwrap();
        let all = at.path().join("cell");
        let first = prepare(&all, 1).unwrap();
        std::fs::write(first.join("log.jsonl"), "a").unwrap();
        std::fs::write(first.join(".hidden"), "b").unwrap();
        // An attempt that was killed before it began, and one in the middle of copying.
        std::fs::create_dir_all(all.join("3.partial")).unwrap();
        std::fs::write(all.join("3.partial/log.jsonl"), "half").unwrap();
        let third = prepare(&all, 3).unwrap();
        assert_eq!(std::fs::read_to_string(third.join("log.jsonl")).unwrap(), "a");
        assert!(!third.join(".hidden").exists());
        assert_eq!(numbered(&all).unwrap(), [3]);
        assert_eq!(std::fs::read_dir(&all).unwrap().count(), 1);
        // A late write of the first attempt is not seen.
        std::fs::create_dir_all(&first).unwrap();
        std::fs::write(first.join("log.jsonl"), "late").unwrap();
        let fourth = prepare(&all, 4).unwrap();
        assert_eq!(std::fs::read_to_string(fourth.join("log.jsonl")).unwrap(), "a");
    }

    #[test]
    fn nothing_is_copied_before_what_builds_on_it() {
        let mut names = [
            "log.jsonl",
            "events.1",
            "best.safetensors",
            "trained.json",
            "last.safetensors",
            "graphs-x",
            "result-x",
        ];
        names.sort_by_key(|name| rank(name));
        assert_eq!(
            names,
            [
                "result-x",
                "graphs-x",
                "trained.json",
                "last.safetensors",
                "best.safetensors",
                "log.jsonl",
                "events.1"
            ]
        );
    }
}
