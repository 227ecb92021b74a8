//! Writing a shard at once.

use std::io::{Cursor, Write};

use arrow_array::RecordBatch;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::npy::npy;
use super::values::arrays;
use crate::export::ShardError;
use crate::export::columns::RowsWriter;
use crate::export::seal::{LEN, blank, checksum};

/// The file of some samples.
pub(crate) fn file(rows: RowsWriter) -> Result<Vec<u8>, ShardError> {
    let (table, first, records) = rows.finish()?;
    let header = npy(table.header.text().bytes());
    let mut bytes = archive(header, first, &records)
        .map_err(|error| ShardError::Unfit { index: first, problem: error.to_string() })?;
    let end = bytes.len() - LEN;
    let seal = checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(seal.as_bytes());
    Ok(bytes)
}

fn archive(header: Vec<u8>, first: u64, records: &RecordBatch) -> ZipResult<Vec<u8>> {
    let schema = records.schema();
    let columns = schema.fields().iter().zip(records.columns());
    let columns = columns.flat_map(|(field, column)| arrays(field.name(), column));
    let known = [("header".to_owned(), header), ("first".to_owned(), npy([first].into_iter()))];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // No clock in a file that must be the same everywhere.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    for (name, file) in known.into_iter().chain(columns) {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&file)?;
    }
    archive.set_comment(blank())?;
    Ok(archive.finish()?.into_inner())
}
