//! Watching claims of others: which have not changed for a whole lease.
//!
//! Time is this process's own and only goes forward; a claim that is seen for the first time gets
//! a whole lease, however old it is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was seen of claims, and since when.
#[derive(Debug)]
pub struct Watch {
    lease: Duration,
    seen: HashMap<PathBuf, Seen>,
}

#[derive(Debug)]
struct Seen {
    number: u64,
    bytes: Vec<u8>,
    since: Instant,
}

impl Watch {
    /// Claims that do not change for `lease` are over.
    pub fn new(lease: Duration) -> Self {
        Self { lease, seen: HashMap::new() }
    }

    /// How long a claim lasts without a sign of life.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Whether claim `number` has had these bytes for a whole lease.
    pub fn has_stood_still(&mut self, folder: &Path, number: u64, bytes: &[u8]) -> bool {
        self.has_stood_still_at(Instant::now(), folder, number, bytes)
    }

    fn has_stood_still_at(
        &mut self,
        now: Instant,
        folder: &Path,
        number: u64,
        bytes: &[u8],
    ) -> bool {
        let seen = match self.seen.get(folder) {
            Some(seen) if seen.number == number && seen.bytes == bytes => seen,
            _ => {
                let seen = Seen { number, bytes: bytes.to_vec(), since: now };
                self.seen.insert(folder.to_owned(), seen);
                return self.lease.is_zero();
            }
        };
        now.duration_since(seen.since) >= self.lease
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_begins_a_new_lease() {
        let lease = Duration::from_secs(10);
        let mut watch = Watch::new(lease);
        let start = Instant::now();
        let mut at = |seconds: u64, number, bytes: &[u8]| {
            let now = start + Duration::from_secs(seconds);
            watch.has_stood_still_at(now, Path::new("cell"), number, bytes)
        };
        assert!(!at(0, 1, b"a"));
        assert!(!at(9, 1, b"a"));
        assert!(!at(10, 1, b"b"));
        assert!(!at(19, 1, b"b"));
        assert!(!at(19, 2, b"b"));
        assert!(!at(28, 2, b"b"));
        assert!(at(29, 2, b"b"));
    }
}
