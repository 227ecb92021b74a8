//! What a header promises, checked before anything is built on it.
//!
//! A header of twenty bytes can declare four thousand million nodes. Isolated nodes are legal in
//! some formats, so such a number cannot be held against the lines that follow; it is held against
//! the size of the file instead, and only what was really read is ever stored.

use super::ReadError;
use super::fields::whole;

/// The most nodes a file of any size may declare.
const ALWAYS_ALLOWED: usize = 10_000_000;

/// The most nodes a larger file may declare for each of its bytes.
const ALLOWED_PER_BYTE: usize = 16;

/// The number of nodes in `field` of the header of `text`.
pub(super) fn n_nodes(line: usize, field: &str, text: &str) -> Result<usize, ReadError> {
    let declared = whole(line, field, "the number of nodes")?;
    if declared == 0 {
        return Err(ReadError::at(line, "expected at least 1 node, found 0"));
    }
    let allowed =
        (text.len().saturating_mul(ALLOWED_PER_BYTE)).clamp(ALWAYS_ALLOWED, u32::MAX as usize - 1);
    match usize::try_from(declared) {
        Ok(n_nodes) if n_nodes <= allowed => Ok(n_nodes),
        _ => {
            let reason = format!(
                "expected at most {allowed} nodes in a file of {} bytes, found {declared}",
                text.len()
            );
            Err(ReadError::at(line, reason))
        }
    }
}

/// A number of things that a header declares and that the lines after it must give.
pub(super) struct Declared {
    /// What is counted, in the plural.
    what: &'static str,
    expected: u64,
    /// The line of the header.
    line: usize,
    found: u64,
}

impl Declared {
    /// As many of `what` as `field` of the header says.
    pub(super) fn new(what: &'static str, line: usize, field: &str) -> Result<Self, ReadError> {
        let expected = whole(line, field, &format!("the number of {what}"))?;
        Ok(Self { what, expected, line, found: 0 })
    }

    /// Whether nothing more is expected.
    pub(super) fn is_complete(&self) -> bool {
        self.found == self.expected
    }

    /// Counts one that stands at `line`.
    pub(super) fn count(&mut self, line: usize) -> Result<(), ReadError> {
        let Self { what, expected, line: header, .. } = self;
        if self.found == *expected {
            let reason =
                format!("expected {expected} {what} as line {header} declares, found more");
            return Err(ReadError::at(line, reason));
        }
        self.found += 1;
        Ok(())
    }

    /// Checks, at the last line, that none is missing.
    pub(super) fn finish(&self, last_line: usize) -> Result<(), ReadError> {
        let Self { what, expected, line: header, found } = self;
        if found < expected {
            let reason =
                format!("expected {expected} {what} as line {header} declares, found {found}");
            return Err(ReadError::at(last_line, reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_limited_by_the_size_of_the_file() {
        let error = n_nodes(2, "4000000000", "p sp 4000000000 1").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: expected at most 10000000 nodes in a file of 17 bytes, found 4000000000"
        );
        assert_eq!(n_nodes(2, "10000000", "p sp 10000000 1").unwrap(), 10_000_000);
        assert_eq!(n_nodes(1, "16000000", &" ".repeat(1_000_000)).unwrap(), 16_000_000);
    }

    #[test]
    fn no_nodes_are_no_graph() {
        let error = n_nodes(1, "0", "").unwrap_err();
        assert_eq!(error.to_string(), "line 1: expected at least 1 node, found 0");
    }
}
