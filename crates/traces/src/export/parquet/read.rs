//! Reading a shard whole. Its checksum comes first; what is behind it is still not believed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use super::index::Index;
use super::{INDEX_KEY, MARK, NAME};
use crate::export::columns::{Header, KEY, Rows, Table};
use crate::export::{SHARD_BYTES, ShardError, seal};

/// The rows of a file.
pub fn read(bytes: Bytes) -> Result<Rows, ShardError> {
    if !bytes.starts_with(MARK) {
        return Err(ShardError::Start(NAME));
    }
    if !bytes[MARK.len()..].ends_with(MARK) {
        return Err(ShardError::Truncated(NAME));
    }
    if !seal::is_right(&[], &bytes) {
        return Err(ShardError::Damaged);
    }
    // The library panics at some files that make no sense. Behind the checksum those are not
    // damaged but made to deceive, and an error is all they get.
    catch_unwind(AssertUnwindSafe(|| rows(bytes)))
        .unwrap_or_else(|_| Err(ShardError::Footer("its parts contradict each other".to_owned())))
}

fn rows(bytes: Bytes) -> Result<Rows, ShardError> {
    let damaged = |problem: String| ShardError::Footer(problem);
    let failed = |error: ParquetError| ShardError::Footer(error.to_string());
    let file = SerializedFileReader::new(bytes.clone()).map_err(failed)?;
    let metadata = file.metadata();
    let texts = metadata.file_metadata().key_value_metadata().map_or(&[][..], Vec::as_slice);
    let text = |key: &str| {
        let found = texts.iter().find(|text| text.key == key);
        let found = found.and_then(|text| text.value.as_deref());
        found.ok_or_else(|| damaged(format!("it has no {key}")))
    };
    let table = Table::new(Header::parse(text(KEY)?)?)?;
    let index: Index =
        serde_json::from_str(text(INDEX_KEY)?).map_err(|error| damaged(error.to_string()))?;

    let n_rows = checked_size(&file, bytes.len()).map_err(failed)?;
    let options = ArrowReaderOptions::new().with_schema(table.schema.clone());
    let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata.clone()), options)
        .map_err(|error| ShardError::Columns(error.to_string()))?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
        .with_batch_size(n_rows)
        .build()
        .map_err(failed)?;
    let batches: Vec<RecordBatch> =
        reader.collect::<Result<_, _>>().map_err(|error| ShardError::Columns(error.to_string()))?;
    match <[RecordBatch; 1]>::try_from(batches) {
        Ok([records]) => Rows::new(table, index.first, records),
        Err(several) => {
            Err(damaged(format!("expected one batch of rows, found {}", several.len())))
        }
    }
}

/// The number of rows, if neither they nor their values are more than a file of `len` bytes has.
/// Repeated values take next to no bytes, so a few must not ask for gigabytes.
fn checked_size(file: &SerializedFileReader<Bytes>, len: usize) -> Result<usize, ParquetError> {
    let groups = file.metadata().row_groups().iter();
    let n_rows: u128 = groups.map(|group| group.num_rows().max(0) as u128).sum();
    // A row takes more than 8 bytes of columns.
    let n_rows = usize::try_from(n_rows).ok().filter(|rows| (1..SHARD_BYTES / 8).contains(rows));
    let n_rows = n_rows.ok_or_else(|| ParquetError::General("no such number of rows".into()))?;
    let most_values = (256 * len).max(1 << 26);
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        for column in 0..group.num_columns() {
            if !is_within(group.metadata().column(column), len) {
                return Err(ParquetError::General("a column is not in the file".into()));
            }
            let mut pages = group.get_column_page_reader(column)?;
            let mut n_values = 0_usize;
            while let Some(page) = pages.peek_next_page()? {
                n_values = n_values.saturating_add(page.num_levels.unwrap_or(0));
                pages.skip_next_page()?;
            }
            if n_values > most_values {
                let problem = format!("{n_values} values are too many for {len} bytes");
                return Err(ParquetError::General(problem));
            }
        }
    }
    Ok(n_rows)
}

/// Whether the pages of a column are where a file of `len` bytes has any.
fn is_within(column: &ColumnChunkMetaData, len: usize) -> bool {
    let place = |offset: i64| usize::try_from(offset).ok();
    let start = place(column.dictionary_page_offset().unwrap_or(column.data_page_offset()));
    let end = start.zip(place(column.compressed_size())).and_then(|(a, b)| a.checked_add(b));
    end.is_some_and(|end| end <= len)
}

/// Makes the checksum of a changed file right again, so that tests can look behind it.
pub fn reseal(bytes: &mut [u8]) -> Option<()> {
    seal::seal(&[], bytes)
}
