//! The samples of a shard that is read whole.

use std::ops::Range;

use arrow_array::RecordBatch;

use super::header::Header;
use super::table::Table;
use crate::export::ShardError;
use crate::sample::Sample;

/// The rows of a shard, in memory.
pub struct Rows {
    table: Table,
    first: u64,
    records: RecordBatch,
}

impl Rows {
    /// Rows from sample `first` on, if the header promises so many.
    pub(in crate::export) fn new(
        table: Table,
        first: u64,
        records: RecordBatch,
    ) -> Result<Self, ShardError> {
        let end = first.checked_add(records.num_rows() as u64);
        match end.is_some_and(|end| end <= table.header.samples) {
            true => Ok(Self { table, first, records }),
            false => Err(ShardError::Header("there are more samples than it says".to_owned())),
        }
    }

    /// What the shard says of its data set.
    pub fn header(&self) -> &Header {
        &self.table.header
    }

    /// The indices of its samples.
    pub fn samples(&self) -> Range<u64> {
        self.first..self.first + self.records.num_rows() as u64
    }

    /// Sample `index` of the data set; hints that are wanted and not stored are made again.
    pub fn sample(&self, index: u64, hints: bool) -> Result<Sample, ShardError> {
        if !self.samples().contains(&index) {
            return Err(ShardError::NoSample { index });
        }
        let row = (index - self.first) as usize;
        self.table
            .sample(&self.records, row, hints)
            .map_err(|problem| ShardError::Sample { index, problem })
    }
}
