//! Reading a shard whole. Its checksum comes first; what is behind it is still not believed.

use std::io::{Cursor, Read};

use arrow_array::RecordBatch;
use bytes::Bytes;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::NAME;
use super::npy::numbers;
use super::values::column;
use crate::export::ShardError;
use crate::export::columns::{Header, Rows, Table};
use crate::export::seal::{LEN, checksum};

/// How an archive with something in it starts.
const START: &[u8] = b"PK\x03\x04";

/// The rows of a file.
pub fn read(bytes: Bytes) -> Result<Rows, ShardError> {
    if !bytes.starts_with(START) {
        return Err(ShardError::Start(NAME));
    }
    let end = bytes.len().checked_sub(LEN).ok_or(ShardError::Truncated(NAME))?;
    if checksum(&bytes[..end]).as_bytes() != &bytes[end..] {
        return Err(ShardError::Damaged);
    }
    let failed = |error: ZipError| ShardError::Footer(error.to_string());
    let mut archive = ZipArchive::new(Cursor::new(&bytes[..])).map_err(failed)?;
    let mut taken = 0;
    let mut take = |name: &str| -> Result<Vec<u8>, String> {
        taken += 1;
        let mut file =
            archive.by_name(&format!("{name}.npy")).map_err(|error| format!("{name}: {error}"))?;
        if file.compression() != CompressionMethod::Stored {
            return Err(format!("{name} is compressed"));
        }
        // Grows with what is there, not with what a damaged length claims.
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))?;
        Ok(bytes)
    };
    let text: Vec<u8> =
        take("header").and_then(|file| numbers(&file)).map_err(ShardError::Header)?;
    let text = String::from_utf8(text).map_err(|error| ShardError::Header(error.to_string()))?;
    let table = Table::new(Header::parse(&text)?)?;
    let first: Vec<u64> =
        take("first").and_then(|file| numbers(&file)).map_err(ShardError::Columns)?;
    let &[first] = &first[..] else {
        return Err(ShardError::Columns("first is not one number".to_owned()));
    };
    let columns = table.schema.fields().iter();
    let columns: Result<Vec<_>, String> =
        columns.map(|field| column(field.name(), field.data_type(), &mut take)).collect();
    let columns = columns.map_err(ShardError::Columns)?;
    if archive.len() != taken {
        return Err(ShardError::Columns("there are arrays of other names".to_owned()));
    }
    let records = RecordBatch::try_new(table.schema.clone(), columns)
        .map_err(|error| ShardError::Columns(error.to_string()))?;
    Rows::new(table, first, records)
}

/// Makes the checksum of a changed file right again, so that tests can look behind it.
pub fn reseal(bytes: &mut [u8]) -> Option<()> {
    let end = bytes.len().checked_sub(LEN)?;
    let seal = checksum(&bytes[..end]);
    bytes[end..].copy_from_slice(seal.as_bytes());
    Some(())
}
