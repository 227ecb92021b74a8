//! Writing a shard: samples are pushed, whole record batches are encoded, the end is sealed.
//!
//! Where one batch or shard ends and the next begins depends on the samples alone, so the bytes
//! do not depend on threads or on where a run was stopped.

use std::ops::Range;

use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::ArrowError;

use super::index::{BatchText, Index};
use crate::export::columns::{Batch, Header, KEY, Table};
use crate::export::seal::{blank, checksum, seal};
use crate::export::{SHARD_BYTES, ShardError};
use crate::sample::Sample;

/// A record batch is what must be read for one sample: it ends with the sample that reaches this.
/// Other limits give other bytes: whoever changes them raises the version.
const BATCH_BYTES: usize = 1 << 17;

/// A shard in the making.
pub struct ShardWriter {
    table: Table,
    first: u64,
    batch: Batch,
    batches: Vec<BatchText>,
    file: FileWriter<Vec<u8>>,
    /// Where the record batches are.
    blocks: Range<usize>,
}

impl ShardWriter {
    /// A shard that starts with sample `first` of a data set.
    pub fn new(header: Header, first: u64) -> Result<Self, ShardError> {
        let table = Table::new(header)?;
        let file = FileWriter::try_new_with_options(Vec::new(), &table.schema, options()?)
            .map_err(|error| failed(first, &error))?;
        let start = file.get_ref().len();
        let batch = table.batch();
        Ok(Self { table, first, batch, batches: Vec::new(), file, blocks: start..start })
    }

    /// The index of the next sample.
    pub fn next(&self) -> u64 {
        let written: u64 = self.batches.iter().map(|batch| batch.samples).sum();
        self.first + written + self.batch.samples
    }

    /// Whether the shard has reached its size.
    pub fn is_full(&self) -> bool {
        self.blocks.len() >= SHARD_BYTES
    }

    /// Adds the next sample.
    pub fn push(&mut self, sample: &Sample) -> Result<(), ShardError> {
        let index = self.next();
        let unfit = |problem| ShardError::Unfit { index, problem };
        self.table.push(&mut self.batch, sample).map_err(unfit)?;
        if self.batch.bytes() >= BATCH_BYTES { self.end_batch() } else { Ok(()) }
    }

    /// The bytes of the whole file.
    pub fn finish(mut self) -> Result<Vec<u8>, ShardError> {
        if self.batch.samples > 0 {
            self.end_batch()?;
        }
        let index = Index { first: self.first, batches: self.batches, seal: blank() };
        let text = serde_json::to_string(&index).expect("an index is plain data");
        self.file.write_metadata(KEY, text);
        let mut bytes = self.file.into_inner().map_err(|error| failed(self.first, &error))?;
        let (head, rest) = bytes.split_at_mut(self.blocks.start);
        seal(head, &mut rest[self.blocks.len()..]).expect("the index has a place for it");
        Ok(bytes)
    }

    fn end_batch(&mut self) -> Result<(), ShardError> {
        let batch = std::mem::replace(&mut self.batch, self.table.batch());
        let (samples, first) = (batch.samples, self.first);
        batch
            .into_records(self.table.schema.clone())
            .and_then(|records| self.file.write(&records))
            .map_err(|error| failed(first, &error))?;
        let start = self.blocks.end;
        self.blocks.end = self.file.get_ref().len();
        let checksum = checksum(&self.file.get_ref()[start..]);
        self.batches.push(BatchText { samples, checksum });
        Ok(())
    }
}

/// Buffers start at multiples of 64 bytes, as the Arrow format recommends.
fn options() -> Result<IpcWriteOptions, ShardError> {
    IpcWriteOptions::try_new(64, false, arrow_ipc::MetadataVersion::V5)
        .map_err(|error| failed(0, &error))
}

fn failed(index: u64, error: &ArrowError) -> ShardError {
    ShardError::Unfit { index, problem: error.to_string() }
}
