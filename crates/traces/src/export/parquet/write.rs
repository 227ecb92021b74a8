//! Writing a shard at once.

use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::INDEX_KEY;
use super::index::Index;
use crate::export::ShardError;
use crate::export::columns::{KEY, RowsWriter};
use crate::export::seal::{blank, seal};

/// The file of some samples.
pub(crate) fn file(rows: RowsWriter) -> Result<Vec<u8>, ShardError> {
    let (table, first, records) = rows.finish()?;
    let failed =
        |error: ParquetError| ShardError::Unfit { index: first, problem: error.to_string() };
    let index = Index { first, seal: blank() };
    let index = serde_json::to_string(&index).expect("an index is plain data");
    let texts = [(KEY, table.header.text()), (INDEX_KEY, index)];
    let texts = texts.map(|(key, text)| KeyValue::new(key.to_owned(), text));
    // Nobody filters samples by the smallest number in a list.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_max_row_group_row_count(None)
        .set_key_value_metadata(Some(texts.to_vec()));
    let mut file = ArrowWriter::try_new(Vec::new(), records.schema(), Some(properties.build()))
        .map_err(failed)?;
    file.write(&records).map_err(failed)?;
    let mut bytes = file.into_inner().map_err(failed)?;
    seal(&[], &mut bytes).expect("the index has a place for it");
    Ok(bytes)
}
