//! Reading a shard: checked once when it is opened, each record batch once when it is first used.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, KeyValue, MetadataVersion, root_as_footer};
use bytes::Bytes;

use super::index::Index;
use super::map::map;
use super::{NAME, block, schema};
use crate::collate::Ready;
use crate::export::columns::{Header, KEY, Table, check_version};
use crate::export::{ShardError, seal};
use crate::sample::Sample;

/// How an Arrow IPC file starts.
const START: &[u8] = b"ARROW1\0\0";

/// How it ends, after the length of the footer.
const END: &[u8] = b"ARROW1";

/// An open shard.
pub struct Shard {
    bytes: Buffer,
    table: Table,
    index: Index,
    blocks: Vec<Block>,
    /// For each record batch the index of its first sample, and the one after the last.
    starts: Vec<u64>,
    /// The record batches that were read and found right.
    batches: Vec<OnceLock<RecordBatch>>,
}

impl Shard {
    /// Maps a file into memory and checks its header and footer.
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        Self::from_bytes(map(path)?)
    }

    /// The same for bytes that are there already.
    pub fn from_bytes(bytes: Bytes) -> Result<Self, ShardError> {
        if !bytes.starts_with(START) {
            return Err(ShardError::Start(NAME));
        }
        let before_end = bytes.strip_suffix(END).ok_or(ShardError::Truncated(NAME))?;
        let (rest, len) = before_end.split_last_chunk::<4>().ok_or(ShardError::Truncated(NAME))?;
        let damaged = |problem: &str| ShardError::Footer(problem.to_owned());
        let len = usize::try_from(i32::from_le_bytes(*len));
        let start = len.ok().and_then(|len| rest.len().checked_sub(len));
        let start = start.ok_or_else(|| damaged("its length is wrong"))?;
        let footer = root_as_footer(&rest[start..]).map_err(|error| damaged(&one_line(&error)))?;
        let found = footer.schema().ok_or_else(|| damaged("it has no schema"))?;
        let header = text(found.custom_metadata()).ok_or_else(|| damaged("it has no header"))?;
        check_version(header)?;
        if footer.version() != MetadataVersion::V5
            || footer.dictionaries().is_some_and(|d| !d.is_empty())
        {
            return Err(damaged("it is of another version of Arrow, or has dictionaries"));
        }
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        let span = span(&blocks).filter(|span| span.end <= start);
        let span = span.ok_or_else(|| damaged("its record batches do not follow each other"))?;
        if !seal::is_right(&bytes[..span.start], &bytes[span.end..]) {
            return Err(ShardError::Seal);
        }
        let table = Table::new(Header::parse(header)?)?;
        schema::check(found, &table.schema).map_err(ShardError::Columns)?;
        let index = text(footer.custom_metadata()).ok_or_else(|| damaged("it has no index"))?;
        let index: Index =
            serde_json::from_str(index).map_err(|error| damaged(&error.to_string()))?;
        if index.batches.len() != blocks.len() {
            return Err(damaged("its index names another number of record batches"));
        }
        let mut starts = vec![index.first];
        for batch in &index.batches {
            let end = starts[starts.len() - 1].checked_add(batch.samples);
            let end = end.filter(|&end| end <= table.header.samples && batch.samples > 0);
            starts.push(end.ok_or_else(|| damaged("its index counts the samples wrong"))?);
        }
        let batches = blocks.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { bytes: bytes.into(), table, index, blocks, starts, batches })
    }

    /// What the shard says of its data set.
    pub fn header(&self) -> &Header {
        &self.table.header
    }

    /// The indices of its samples.
    pub fn samples(&self) -> Range<u64> {
        self.starts[0]..self.starts[self.starts.len() - 1]
    }

    /// Number of record batches.
    pub fn n_batches(&self) -> usize {
        self.blocks.len()
    }

    /// The indices of the samples of a record batch.
    pub fn samples_of(&self, batch: usize) -> Range<u64> {
        self.starts[batch]..self.starts[batch + 1]
    }

    /// The columns of a record batch, checked; they point into the map of the file.
    ///
    /// # Panics
    /// If `batch` is not below [`Shard::n_batches`].
    pub fn batch(&self, batch: usize) -> Result<&RecordBatch, ShardError> {
        if let Some(read) = self.batches[batch].get() {
            return Ok(read);
        }
        let samples = self.samples_of(batch);
        let (first, last) = (samples.start, samples.end - 1);
        let block = &self.blocks[batch];
        let bytes = self.bytes.slice_with_length(
            block.offset() as usize,
            block.metaDataLength() as usize + block.bodyLength() as usize,
        );
        if seal::checksum(&bytes) != self.index.batches[batch].checksum {
            return Err(ShardError::Checksum { first, last });
        }
        let wrong = |problem: String| ShardError::Batch { first, last, problem };
        let metadata_len = block.metaDataLength() as usize;
        block::check(&bytes, metadata_len, &self.table.schema, last - first + 1).map_err(wrong)?;
        let read = FileDecoder::new(self.table.schema.clone(), MetadataVersion::V5)
            .read_record_batch(block, &bytes)
            .map_err(|error| wrong(error.to_string()))?
            .ok_or_else(|| wrong("it is empty".to_owned()))?;
        Ok(self.batches[batch].get_or_init(|| read))
    }

    /// Sample `index` of the data set; hints that are wanted and not stored are made again.
    pub fn sample(&self, index: u64, hints: bool) -> Result<Sample, ShardError> {
        self.read(index, |records, row| self.table.sample(records, row, hints))
    }

    /// The same without hints and ready for a batch, which takes a third of the time.
    pub fn ready(&self, index: u64) -> Result<Ready, ShardError> {
        self.read(index, |records, row| self.table.ready(records, row))
    }

    fn read<T>(
        &self,
        index: u64,
        read: impl FnOnce(&RecordBatch, usize) -> Result<T, String>,
    ) -> Result<T, ShardError> {
        if !self.samples().contains(&index) {
            return Err(ShardError::NoSample { index });
        }
        let batch = self.starts.partition_point(|&start| start <= index) - 1;
        let row = (index - self.starts[batch]) as usize;
        read(self.batch(batch)?, row).map_err(|problem| ShardError::Sample { index, problem })
    }
}

/// Where the record batches stand, if they follow each other.
fn span(blocks: &[Block]) -> Option<Range<usize>> {
    let start = usize::try_from(blocks.first()?.offset()).ok()?;
    let mut end = start;
    for block in blocks {
        let metadata = usize::try_from(block.metaDataLength()).ok()?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        let is_aligned = end % 8 == 0 && metadata % 8 == 0;
        if usize::try_from(block.offset()) != Ok(end) || !is_aligned {
            return None;
        }
        end = end.checked_add(metadata)?.checked_add(body)?;
    }
    (start >= START.len()).then_some(start..end)
}

/// This format's text among the metadata.
fn text<'a>(metadata: Option<impl IntoIterator<Item = KeyValue<'a>>>) -> Option<&'a str> {
    metadata?.into_iter().find(|pair| pair.key() == Some(KEY))?.value()
}

fn one_line(error: &impl ToString) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
