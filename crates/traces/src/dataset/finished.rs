//! The parts that an earlier run finished, and what it noted of them.
//!
//! Parts are collected in a hidden folder beside their data set. Beside each stands a note of the
//! request it belongs to, of its own hash and of the content hashes of its samples, so whatever a
//! killed run finished is kept by the next without being read as samples, and nothing of another
//! request is.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomically::{Safety, paths_in, write_whole};
use super::parts::{Part, Place, ShardEntry};
use super::{Manifest, Request};
use crate::hash::{ContentHash, hash_of_bytes};

/// How the names of notes end.
const NOTE: &str = "note";

/// The parts that are there and right, from the first on.
#[derive(Default)]
pub(super) struct Finished {
    pub(super) entries: Vec<ShardEntry>,
    pub(super) hashes: Vec<ContentHash>,
}

/// What stands beside a part.
#[derive(Serialize, Deserialize)]
struct Note {
    /// What all parts are of: a manifest without hashes.
    request: Manifest,
    entry: ShardEntry,
    hashes: Vec<ContentHash>,
}

impl Finished {
    /// Looks for the parts of `request` in a folder; the first that is missing, damaged or of
    /// another request ends the search. Whatever else is there is removed.
    pub(super) fn find(folder: &Path, request: &Request<'_>) -> io::Result<Self> {
        let wanted = request.manifest(String::new(), String::new());
        let mut found = Self::default();
        while let Some(note) = found.next_in(folder, &wanted) {
            found.entries.push(note.entry);
            found.hashes.extend(note.hashes);
        }
        let names = found.entries.iter().map(|entry| &entry.file);
        let kept: HashSet<PathBuf> =
            names.flat_map(|name| [folder.join(name), note_path(folder, name)]).collect();
        for other in paths_in(folder)?.iter().filter(|path| !kept.contains(*path)) {
            std::fs::remove_file(other)?;
        }
        Ok(found)
    }

    /// Where the next run begins.
    pub(super) fn place(&self) -> Place {
        Place { part: self.entries.len(), sample: self.hashes.len() as u64 }
    }

    /// Writes a part and the note of it. The note comes last; one that a failing machine damages
    /// only costs its part.
    pub(super) fn add(
        &mut self,
        folder: &Path,
        request: &Request<'_>,
        part: Part,
    ) -> io::Result<()> {
        let Part { entry, bytes, hashes } = part;
        write_whole(folder, &folder.join(&entry.file), &bytes, Safety::Synced)?;
        let note = Note { request: request.manifest(String::new(), String::new()), entry, hashes };
        let text = serde_json::to_vec(&note).expect("a note is plain data");
        write_whole(folder, &note_path(folder, &note.entry.file), &text, Safety::Unsynced)?;
        self.entries.push(note.entry);
        self.hashes.extend(note.hashes);
        Ok(())
    }

    fn next_in(&self, folder: &Path, wanted: &Manifest) -> Option<Note> {
        let format = &wanted.format;
        let file = format!("{:05}.{format}", self.entries.len());
        let note = std::fs::read(note_path(folder, &file)).ok()?;
        let note: Note = serde_json::from_slice(&note).ok()?;
        let is_whole = note.request == *wanted
            && note.entry.file == file
            && note.entry.samples == note.hashes.len() as u64
            && is_whole(folder, &note.entry);
        is_whole.then_some(note)
    }
}

/// Whether a file is the one that an entry speaks of.
pub(super) fn is_whole(folder: &Path, entry: &ShardEntry) -> bool {
    let bytes = std::fs::read(folder.join(&entry.file));
    bytes.is_ok_and(|bytes| hash_of_bytes(&bytes).to_string() == entry.hash)
}

/// Whether a file is a note, by its name.
pub(super) fn is_note(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == NOTE)
}

fn note_path(folder: &Path, file: &str) -> PathBuf {
    folder.join(format!("{file}.{NOTE}"))
}
