//! Checksums of bytes, and one that stands within what it covers.
//!
//! A seal is 64 hexadecimal digits in a JSON text near the end of a file, computed with zeros in
//! their place. Quotes within names are escaped in such a text, so what precedes the digits occurs
//! once in it; in columns before it the same bytes could stand by chance, so the last is taken.

use crate::hash::{ContentHash, hash_of_bytes};

const KEY: &[u8] = b"\"seal\":\"";

/// Digits of a checksum.
pub(super) const LEN: usize = 64;

/// What stands in the place of the seal while it is computed.
pub(super) fn blank() -> String {
    "0".repeat(LEN)
}

/// The checksum of bytes, as it is written.
pub(super) fn checksum(bytes: &[u8]) -> String {
    hash_of_bytes(bytes).to_string()
}

/// Computes the seal of `head` and `tail`, which are not always neighbours, and puts it in its
/// place in `tail`; `None` if there is no place for it.
pub(super) fn seal(head: &[u8], tail: &mut [u8]) -> Option<()> {
    let place = place(tail)?;
    let seal = sum(head, tail, place);
    tail[place..place + LEN].copy_from_slice(seal.as_bytes());
    Some(())
}

/// Whether there is a seal and it is right.
pub(super) fn is_right(head: &[u8], tail: &[u8]) -> bool {
    place(tail).is_some_and(|place| sum(head, tail, place).as_bytes() == &tail[place..place + LEN])
}

fn sum(head: &[u8], tail: &[u8], place: usize) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [head, &tail[..place], blank().as_bytes(), &tail[place + LEN..]] {
        hash.update(part);
    }
    ContentHash(*hash.finalize().as_bytes()).to_string()
}

fn place(tail: &[u8]) -> Option<usize> {
    let start = tail.windows(KEY.len()).rposition(|bytes| bytes == KEY)?;
    let place = start + KEY.len();
    (tail.len() >= place + LEN).then_some(place)
}
