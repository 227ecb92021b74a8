//! Checks of a record batch before its buffers are taken for columns.
//!
//! The library that decodes them takes what lengths a message claims; here they are held against
//! the bytes that are there.

use arrow_ipc::{MetadataVersion, root_as_message};
use arrow_schema::{DataType, Schema};

/// What precedes every message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Whether `bytes`, of which the first `metadata_len` are the message, hold a record batch of
/// this schema with `samples` rows.
pub(super) fn check(
    bytes: &[u8],
    metadata_len: usize,
    schema: &Schema,
    samples: u64,
) -> Result<(), String> {
    let cut = || "its message is cut off".to_owned();
    let (message, body) = bytes.split_at_checked(metadata_len).ok_or_else(cut)?;
    let message = message.strip_prefix(&CONTINUATION).ok_or("its message has no mark")?;
    let (len, message) = message.split_at_checked(4).ok_or_else(cut)?;
    let len = u32::from_le_bytes(len.try_into().map_err(|_| cut())?) as usize;
    let message = root_as_message(message.get(..len).ok_or_else(cut)?)
        .map_err(|error| format!("its message is wrong: {error}"))?;
    if message.version() != MetadataVersion::V5 {
        return Err("its message is of another version".to_owned());
    }
    let batch = message.header_as_record_batch().ok_or("its message is of another kind")?;
    if batch.compression().is_some() {
        return Err("it is compressed".to_owned());
    }
    if u64::try_from(batch.length()) != Ok(samples) {
        return Err(format!("expected {samples} rows, found {}", batch.length()));
    }
    let types = || schema.fields().iter().map(|field| field.data_type());
    let (n_nodes, n_buffers) = (types().map(nodes).sum(), types().map(buffers).sum());
    let found = (
        batch.nodes().map_or(0, |nodes| nodes.len()),
        batch.buffers().map_or(0, |buffers| buffers.len()),
    );
    if found != (n_nodes, n_buffers) {
        return Err(format!("expected {n_nodes} arrays of {n_buffers} buffers, found {found:?}"));
    }
    let fits = |offset: i64, len: i64| {
        let end = u64::try_from(offset).ok()?.checked_add(u64::try_from(len).ok()?)?;
        (end <= body.len() as u64).then_some(())
    };
    let mut all = batch.buffers().into_iter().flatten();
    if let Some(buffer) = all.find(|buffer| fits(buffer.offset(), buffer.length()).is_none()) {
        let (start, len) = (buffer.offset(), buffer.length());
        return Err(format!("a buffer of {len} bytes at {start} leaves its {} bytes", body.len()));
    }
    // A value takes a bit at least.
    let most = 8 * body.len() as u64;
    let is_wrong = |len: i64| u64::try_from(len).is_err() || len as u64 > most.max(samples);
    let mut all = batch.nodes().into_iter().flatten();
    match all.find(|node| is_wrong(node.length()) || node.null_count() != 0) {
        None => Ok(()),
        Some(node) => {
            let (len, nulls) = (node.length(), node.null_count());
            Err(format!("an array claims {len} values, {nulls} of them missing"))
        }
    }
}

fn nodes(data_type: &DataType) -> usize {
    1 + children(data_type).map(nodes).sum::<usize>()
}

fn buffers(data_type: &DataType) -> usize {
    let own = if matches!(data_type, DataType::Struct(_)) { 1 } else { 2 };
    own + children(data_type).map(buffers).sum::<usize>()
}

fn children(data_type: &DataType) -> impl Iterator<Item = &DataType> {
    let (list, fields) = match data_type {
        DataType::List(item) => (Some(item), None),
        DataType::Struct(fields) => (None, Some(fields)),
        _ => (None, None),
    };
    list.into_iter().chain(fields.into_iter().flatten()).map(|field| field.data_type())
}
