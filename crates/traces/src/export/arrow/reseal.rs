//! Makes the checksums of a changed shard right again, so that tests can look behind them.

use arrow_ipc::root_as_footer;

use crate::export::seal::{checksum, seal};

const KEY: &[u8] = b"\"checksum\":\"";

/// Writes the checksums that the bytes of a shard have now; `None` if nobody could find them.
pub fn reseal(bytes: &mut [u8]) -> Option<()> {
    let end = bytes.len().checked_sub(10)?;
    let len = usize::try_from(i32::from_le_bytes(*bytes[end..].first_chunk()?)).ok()?;
    let footer = root_as_footer(&bytes[end.checked_sub(len)?..end]).ok()?;
    let mut blocks = Vec::new();
    for block in footer.recordBatches()?.iter() {
        let start = usize::try_from(block.offset()).ok()?;
        let metadata = usize::try_from(block.metaDataLength()).ok()?;
        let len = usize::try_from(block.bodyLength()).ok()?.checked_add(metadata)?;
        blocks.push(start..start.checked_add(len)?);
    }
    let (first, mut place) = (blocks.first()?.start, blocks.last()?.end);
    let rest = place;
    for block in blocks {
        let sum = checksum(bytes.get(block)?);
        let after = bytes.get(place..)?;
        place += after.windows(KEY.len()).position(|found| found == KEY)? + KEY.len();
        bytes.get_mut(place..place + sum.len())?.copy_from_slice(sum.as_bytes());
    }
    let (head, tail) = bytes.split_at_mut_checked(rest)?;
    seal(head.get(..first)?, tail)
}
