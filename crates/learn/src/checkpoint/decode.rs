//! A checkpoint from bytes, which may be anything.
//!
//! The checks go from the outside in, so that the first one that fails is the one to tell: a
//! file that was cut in half is truncated, not a file with a bad checksum.

use std::collections::BTreeMap;

use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::encode::{checksum, key};
use super::{Checkpoint, Group, Malformation, Progress, Tensor, VERSION};
use crate::run::Run;

/// The longest header that the safetensors format allows.
const LONGEST_HEADER: u64 = 100_000_000;

impl Checkpoint {
    /// The checkpoint in `bytes`; `processors` are the names that its run may have.
    pub fn from_bytes(bytes: &[u8], processors: &[&str]) -> Result<Self, Malformation> {
        let (header, data) = split(bytes)?;
        let mut metadata: BTreeMap<String, String> = match header.metadata() {
            Some(metadata) => {
                metadata.iter().map(|(key, text)| (key.clone(), text.clone())).collect()
            }
            None => BTreeMap::new(),
        };
        let version = required(&metadata, key::VERSION)?;
        if version != VERSION {
            return Err(Malformation::WrongVersion { expected: VERSION, found: version });
        }
        let tensors = tensors(&header, data)?;
        let expected = required(&metadata, key::CHECKSUM)?;
        metadata.remove(key::CHECKSUM);
        let found = checksum(&metadata, &tensors, data).map_err(not_safetensors)?;
        if expected != found {
            return Err(Malformation::WrongChecksum { expected, found });
        }
        let run = Run::parse(key::RUN, &required(&metadata, key::RUN)?, processors)?;
        let progress: Progress = serde_json::from_str(&required(&metadata, key::PROGRESS)?)
            .map_err(|error| Malformation::Progress { reason: one_line(&error) })?;
        Ok(Self { run, progress, tensors })
    }
}

/// The header, whose offsets and shapes agree, and the data, which are as long as it says.
fn split(bytes: &[u8]) -> Result<(Metadata, &[u8]), Malformation> {
    let found = bytes.len() as u64;
    let truncated = |expected: u64| Malformation::Truncated { expected, found };
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| truncated(8))?;
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER {
        let reason = format!("a header of {length} bytes, expected at most {LONGEST_HEADER}");
        return Err(Malformation::NotSafetensors { reason });
    }
    let (header, data) =
        rest.split_at_checked(length as usize).ok_or_else(|| truncated(8 + length))?;
    let header: Metadata = serde_json::from_slice(header).map_err(not_safetensors)?;
    // Offsets are whatever the file says: their sum with the header's length may be too large.
    let expected = (8 + length).saturating_add(header.data_len() as u64);
    if found < expected {
        Err(truncated(expected))
    } else if found > expected {
        Err(Malformation::TooLong { expected, found })
    } else {
        Ok((header, data))
    }
}

/// The tensors, whose offsets lie within the data as [`split`] has seen.
fn tensors(header: &Metadata, data: &[u8]) -> Result<BTreeMap<String, Tensor>, Malformation> {
    let mut tensors = BTreeMap::new();
    for name in header.offset_keys() {
        let Some(info) = header.info(&name) else { continue };
        if info.dtype != Dtype::F32 {
            return Err(Malformation::WrongType { name, found: info.dtype.to_string() });
        }
        if !Group::ALL.iter().any(|group| name.starts_with(group.prefix())) {
            return Err(Malformation::UnknownGroup { name });
        }
        let (start, end) = info.data_offsets;
        let (numbers, _) = data[start..end].as_chunks::<4>();
        let values = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        tensors.insert(name, Tensor::new(&info.shape, values));
    }
    Ok(tensors)
}

fn required(
    metadata: &BTreeMap<String, String>,
    key: &'static str,
) -> Result<String, Malformation> {
    metadata.get(key).cloned().ok_or(Malformation::MissingMetadata { key })
}

fn not_safetensors(error: serde_json::Error) -> Malformation {
    Malformation::NotSafetensors { reason: one_line(&error) }
}

/// An error may quote a name from the file, whatever is in it.
fn one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(['\n', '\r'], " ")
}
