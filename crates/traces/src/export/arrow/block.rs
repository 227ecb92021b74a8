//! Checks of a record batch before its buffers are taken for columns.
//!
//! The library that decodes them takes what lengths a message claims; here they are held against
//! the bytes that are there.

use arrow_ipc::{Buffer, FieldNode, MetadataVersion, root_as_message};
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
    let mut arrays = Arrays {
        nodes: batch.nodes().into_iter().flatten(),
        buffers: batch.buffers().into_iter().flatten(),
        body: body.len() as u64,
    };
    for field in schema.fields() {
        let checked = arrays.check(field.data_type(), Some(samples));
        checked.map_err(|problem| format!("{}: {problem}", field.name()))?;
    }
    match (arrays.nodes.next(), arrays.buffers.next()) {
        (None, None) => Ok(()),
        _ => Err("there are more arrays than columns".to_owned()),
    }
}

/// What a message says of its arrays, in the order in which columns take it.
struct Arrays<N, B> {
    nodes: N,
    buffers: B,
    /// Bytes that are there for all buffers.
    body: u64,
}

impl<'a, N: Iterator<Item = &'a FieldNode>, B: Iterator<Item = &'a Buffer>> Arrays<N, B> {
    /// Takes an array with those within it; `len` is how many values it must have, if that is
    /// known.
    fn check(&mut self, data_type: &DataType, len: Option<u64>) -> Result<(), String> {
        let node = self.nodes.next().ok_or("an array is missing")?;
        let found = u64::try_from(node.length()).ok();
        let found = found.filter(|&found| len.is_none_or(|len| len == found));
        let found = found.ok_or_else(|| format!("an array claims {} values", node.length()))?;
        if node.null_count() != 0 {
            return Err(format!("{} values are missing", node.null_count()));
        }
        // Where nothing is missing the first buffer may be empty.
        self.take(1, Some(0))?;
        match data_type {
            DataType::List(item) => {
                self.take(4, found.checked_add(1).and_then(|ends| ends.checked_mul(4)))?;
                self.check(item.data_type(), None)
            }
            DataType::Struct(fields) => {
                fields.iter().try_for_each(|field| self.check(field.data_type(), Some(found)))
            }
            DataType::Boolean => self.take(1, Some(found.div_ceil(8))),
            other => {
                let width = other.primitive_width().ok_or("a type is not known")? as u64;
                self.take(width, found.checked_mul(width))
            }
        }
    }

    /// Takes a buffer of values of `width` bytes and of `least` bytes or more.
    fn take(&mut self, width: u64, least: Option<u64>) -> Result<(), String> {
        let buffer = self.buffers.next().ok_or("a buffer is missing")?;
        let (start, len) = (buffer.offset(), buffer.length());
        let fits = || {
            let (start, len) = (u64::try_from(start).ok()?, u64::try_from(len).ok()?);
            let is_whole = start % 8 == 0 && len % width == 0;
            (is_whole && len >= least? && start.checked_add(len)? <= self.body).then_some(())
        };
        fits().ok_or_else(|| {
            format!("a buffer of {len} bytes at {start} does not fit its {} bytes", self.body)
        })
    }
}
