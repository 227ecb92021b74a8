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
    order_by_type(&mut bytes);
    seal(&[], &mut bytes).expect("the index has a place for it");
    Ok(bytes)
}

/// Says of every column that the order of its values is that of its type.
///
/// The last of a footer, before a zero, its length and a mark, are the orders of all columns. That
/// of floating-point numbers is younger than many readers, which refuse a file that names it. An
/// order is of use to statistics alone, and there are none.
fn order_by_type(file: &mut [u8]) {
    const BY_TYPE: [u8; 3] = [0x1c, 0, 0];
    const OF_FLOATS: [u8; 3] = [0x2c, 0, 0];
    let end = file.len().saturating_sub(1 + 4 + b"PAR1".len());
    for order in file[..end].rchunks_exact_mut(3) {
        match <[u8; 3]>::try_from(&*order) {
            Ok(BY_TYPE) => {}
            Ok(OF_FLOATS) => order.copy_from_slice(&BY_TYPE),
            _ => return,
        }
    }
}
