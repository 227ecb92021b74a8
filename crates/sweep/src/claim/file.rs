//! A claim as a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::{Holder, Watch};
use salsa_traces::files::temporary_beside;

use crate::folder::numbered;

/// A claim that this process holds.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    number: u64,
    /// Kept open, for its lock; behind a mutex, as the heart and the worker both write.
    open: Mutex<(File, Content)>,
}

/// What stands in a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Whether somebody works on the cell.
    pub state: ClaimState,
    /// How often the heart has beaten.
    pub beat: u64,
    /// Whether the holder has locked the file.
    pub locked: bool,
    /// Who.
    pub holder: Holder,
}

/// Whether somebody works on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimState {
    /// Somebody does.
    Held,
    /// Anybody may.
    Released,
}

/// All claims have this length, so that rewriting one needs no space on a full disk.
const LENGTH: usize = 512;

/// The claim in force on a cell, if there is any: its number and its bytes.
pub fn current(folder: &Path) -> io::Result<Option<(u64, Vec<u8>)>> {
    let Some(number) = numbered(folder)?.into_iter().max() else { return Ok(None) };
    // Opened anew each time: network file systems show what others wrote on opening.
    let mut bytes = Vec::new();
    match File::open(folder.join(number.to_string())) {
        // Somebody took over since, and removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        file => {
            file?.read_to_end(&mut bytes)?;
        }
    }
    Ok(Some((number, bytes)))
}

/// Claims the cell whose claims are in `folder`, if nobody holds it.
pub fn take(folder: &Path, holder: &Holder, watch: &mut Watch) -> io::Result<Option<Claim>> {
    let next = match current(folder)? {
        None => 1,
        Some((number, bytes)) => {
            let is_free = match Content::parse(&bytes) {
                Some(content) if content.state == ClaimState::Released => true,
                Some(content) if content.locked && content.holder.is_beside(holder) => {
                    is_unlocked(&folder.join(number.to_string()))
                        || watch.has_stood_still(folder, number, &bytes)
                }
                _ => watch.has_stood_still(folder, number, &bytes),
            };
            if !is_free {
                return Ok(None);
            }
            number + 1
        }
    };
    take_next(folder, next, holder, ClaimState::Held)
}

/// Makes claim `number`; `None` if somebody else has made it. A released one takes a cell from
/// its holder for anybody.
pub fn take_next(
    folder: &Path,
    number: u64,
    holder: &Holder,
    state: ClaimState,
) -> io::Result<Option<Claim>> {
    let path = folder.join(number.to_string());
    let mut temporary = temporary_beside(&path)?;
    // Some file systems know no locks; then only the heart tells.
    let locked = state == ClaimState::Held && temporary.as_file().try_lock().is_ok();
    let content = Content { state, beat: 0, locked, holder: holder.clone() };
    temporary.write_all(&content.bytes()?)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(&path) {
        Ok(file) => {
            // The highest number is all that counts.
            for earlier in numbered(folder)?.into_iter().filter(|&earlier| earlier < number) {
                let _ = std::fs::remove_file(folder.join(earlier.to_string()));
            }
            let open = Mutex::new((file, content));
            Ok(Some(Claim { folder: folder.to_owned(), number, open }))
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error.error),
    }
}

/// Whether no process of this machine has the lock.
fn is_unlocked(path: &Path) -> bool {
    // A shared lock, so that several who ask at once do not take each other for the holder.
    File::open(path).is_ok_and(|file| file.try_lock_shared().is_ok())
}

impl Claim {
    /// Its number: how often the cell was taken up, this time included.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether somebody has taken over.
    pub fn is_superseded(&self) -> bool {
        numbered(&self.folder).is_ok_and(|numbers| numbers.into_iter().max() > Some(self.number))
    }

    /// Shows that the holder is alive.
    pub fn beat(&self) -> io::Result<()> {
        self.rewrite(|content| content.beat += 1)
    }

    /// Lets anybody take the cell.
    pub fn release(&self) -> io::Result<()> {
        self.rewrite(|content| content.state = ClaimState::Released)
    }

    fn rewrite(&self, change: impl FnOnce(&mut Content)) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(|broken| broken.into_inner());
        let (file, content) = &mut *open;
        change(content);
        let bytes = content.bytes()?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)?;
        file.sync_data()
    }
}

impl Content {
    /// What stands there; `None` if it makes no sense, as while it is rewritten.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes.trim_ascii()).ok()
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        // A host's name is shorter than 256 bytes, the rest is far below the length.
        bytes.resize(LENGTH.max(bytes.len() + 1) - 1, b' ');
        bytes.push(b'\n');
        Ok(bytes)
    }
}
