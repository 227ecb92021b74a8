//! Collecting the samples of a shard that is written at once.

use arrow_array::RecordBatch;

use super::batch::Batch;
use super::header::Header;
use super::table::Table;
use crate::export::{SHARD_BYTES, ShardError};
use crate::sample::Sample;

/// The samples of a shard in the making.
pub(crate) struct RowsWriter {
    table: Table,
    first: u64,
    batch: Batch,
}

impl RowsWriter {
    /// A shard that starts with sample `first` of a data set.
    pub(crate) fn new(header: Header, first: u64) -> Result<Self, ShardError> {
        let table = Table::new(header)?;
        let batch = table.batch();
        Ok(Self { table, first, batch })
    }

    /// Adds the next sample.
    pub(crate) fn push(&mut self, sample: &Sample) -> Result<(), ShardError> {
        let index = self.first + self.batch.samples;
        let pushed = self.table.push(&mut self.batch, sample);
        pushed.map_err(|problem| ShardError::Unfit { index, problem })
    }

    /// Whether the shard has reached its size.
    pub(crate) fn is_full(&self) -> bool {
        self.batch.bytes() >= SHARD_BYTES
    }

    /// The columns, the index of the first sample, and the rows.
    pub(in crate::export) fn finish(self) -> Result<(Table, u64, RecordBatch), ShardError> {
        let Self { table, first, batch } = self;
        let records = batch
            .into_records(table.schema.clone())
            .map_err(|error| ShardError::Unfit { index: first, problem: error.to_string() })?;
        Ok((table, first, records))
    }
}
