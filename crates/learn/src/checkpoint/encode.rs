//! A checkpoint as bytes.
//!
//! The header is JSON over ordered maps; the reader computes the checksum over the same text,
//! made anew from what it has read, so a file that another tool wrote in another order passes.

use std::collections::BTreeMap;

use crc::{CRC_32_ISCSI, Crc, Table};
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use serde::Serialize;

use super::{Checkpoint, Tensor, VERSION};

/// The names of the metadata.
pub(super) mod key {
    pub const VERSION: &str = "salsa_checkpoint";
    pub const RUN: &str = "run";
    pub const PROGRESS: &str = "progress";
    pub const CHECKSUM: &str = "checksum";
}

/// CRC-32C, sixteen bytes at a time: the tables take 16 KiB.
static CHECKSUM: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISCSI);

impl Checkpoint {
    /// The bytes of the file; equal checkpoints have equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut metadata = BTreeMap::from([
            (key::VERSION.to_owned(), VERSION.to_owned()),
            (key::RUN.to_owned(), self.run.to_toml()),
            (key::PROGRESS.to_owned(), serde_json::to_string(&self.progress)?),
        ]);
        let mut data = Vec::new();
        for tensor in self.tensors.values() {
            data.reserve(4 * tensor.values().len());
            for value in tensor.values() {
                data.extend_from_slice(&value.to_le_bytes());
            }
        }
        let checksum = checksum(&metadata, &self.tensors, &data)?;
        metadata.insert(key::CHECKSUM.to_owned(), checksum);

        let mut header = header(&metadata, &self.tensors)?;
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = Vec::with_capacity(8 + header.len() + data.len());
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&data);
        Ok(bytes)
    }
}

/// The checksum of metadata that do not have it yet, of the tensors' names and shapes, and of
/// their data.
pub(super) fn checksum(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, Tensor>,
    data: &[u8],
) -> Result<String, serde_json::Error> {
    let mut digest = CHECKSUM.digest();
    digest.update(&header(metadata, tensors)?);
    digest.update(data);
    Ok(format!("{:08x}", digest.finalize()))
}

fn header(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, Tensor>,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Header<'a> {
        #[serde(rename = "__metadata__")]
        metadata: &'a BTreeMap<String, String>,
        #[serde(flatten)]
        tensors: BTreeMap<&'a str, TensorInfo>,
    }
    let mut start = 0;
    let mut infos = BTreeMap::new();
    for (name, tensor) in tensors {
        let end = start + 4 * tensor.values().len();
        let shape = tensor.shape().to_vec();
        let info = TensorInfo { dtype: Dtype::F32, shape, data_offsets: (start, end) };
        infos.insert(name.as_str(), info);
        start = end;
    }
    serde_json::to_vec(&Header { metadata, tensors: infos })
}
