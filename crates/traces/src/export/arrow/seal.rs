//! The checksum of everything in a shard but its record batches, which have their own.
//!
//! It stands within what it covers, in the text of the footer, and is computed with zeros in its
//! place. Quotes within names are escaped in that text, so its key occurs once.

use super::ShardError;
use crate::hash::ContentHash;

const KEY: &[u8] = b"\"seal\":\"";

/// Digits of a checksum.
const LEN: usize = 64;

/// What stands in the place of the seal while it is computed.
pub(super) fn blank() -> String {
    "0".repeat(LEN)
}

/// The checksum of bytes, as it is written.
pub(super) fn checksum(bytes: &[u8]) -> String {
    crate::hash::hash_of_bytes(bytes).to_string()
}

/// Computes the seal and puts it in its place; `head` is before the record batches, `tail` after
/// them.
pub(super) fn seal(head: &[u8], tail: &mut [u8]) -> Result<(), ShardError> {
    let seal = sum(head, tail)?;
    let place = place(tail)?;
    tail[place..place + LEN].copy_from_slice(seal.as_bytes());
    Ok(())
}

/// Whether the seal is right.
pub(super) fn check(head: &[u8], tail: &[u8]) -> Result<(), ShardError> {
    let place = place(tail)?;
    match sum(head, tail)?.as_bytes() == &tail[place..place + LEN] {
        true => Ok(()),
        false => Err(ShardError::Seal),
    }
}

fn sum(head: &[u8], tail: &[u8]) -> Result<String, ShardError> {
    let place = place(tail)?;
    let mut hash = blake3::Hasher::new();
    for part in [head, &tail[..place], blank().as_bytes(), &tail[place + LEN..]] {
        hash.update(part);
    }
    Ok(ContentHash(*hash.finalize().as_bytes()).to_string())
}

fn place(tail: &[u8]) -> Result<usize, ShardError> {
    let start = tail.windows(KEY.len()).position(|bytes| bytes == KEY).ok_or(ShardError::Seal)?;
    let place = start + KEY.len();
    if tail.len() < place + LEN { Err(ShardError::Seal) } else { Ok(place) }
}
