//! Compact records: hints as changes, integers as variable-length numbers.
//!
//! A file is the 8 bytes `SALSA\0` + version as u16 little-endian, then records. A record is the
//! length of its body as u32 little-endian, the body, and the BLAKE3 hash of the body (32
//! bytes). The body is the postcard encoding of `Body`'s fields in their order; postcard is a
//! specified, stable wire format. Nothing in it needs the rest of the file, so records can be
//! found by skipping.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::algorithms;
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::hash::hash_of_bytes;
use crate::sample::Sample;
use crate::spec::Spec;
use crate::trajectory::{Hints, Trajectory, Values};

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"SALSA\0\x01\0";

/// A record of more bytes than this is taken for damage.
const LARGEST_RECORD: u32 = u32::MAX - 1;

/// What stands in a record.
#[derive(Serialize, Deserialize)]
struct Body {
    algorithm: String,
    generator: String,
    graph: Graph,
    inputs: Inputs,
    length: u32,
    outputs: Vec<Values>,
    hints: Option<Hints>,
}

/// Why bytes are no samples.
#[derive(Debug, Error)]
pub enum BinaryError {
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Not a file of this format.
    #[error("the file does not start with the mark of this format and version")]
    Magic,
    /// The file ends within a record.
    #[error("record {record} is cut off")]
    Truncated {
        /// Which, from 0.
        record: u64,
    },
    /// The hash does not match.
    #[error("record {record} is damaged: its hash does not match")]
    Hash {
        /// Which, from 0.
        record: u64,
    },
    /// The body makes no sense.
    #[error("record {record} holds no sample: {problem}")]
    Body {
        /// Which, from 0.
        record: u64,
        /// Why.
        problem: String,
    },
}

/// One record.
///
/// # Panics
/// For a sample of 4 GiB and more, whose length does not fit.
pub fn record(sample: &Sample) -> Vec<u8> {
    let Sample { generator, graph, inputs, trajectory } = sample.clone();
    let Trajectory { spec, length, hints, outputs } = trajectory;
    let algorithm = spec.algorithm.into_owned();
    // Hints from columns and those that were just recorded are the same bytes.
    let hints = hints.map(|hints| hints.canonical());
    let body = Body { algorithm, generator, graph, inputs, length, outputs, hints };
    let body = postcard::to_stdvec(&body).expect("a sample is plain data");
    let mut record = Vec::with_capacity(body.len() + 36);
    let length = u32::try_from(body.len()).expect("a sample of less than 4 GiB");
    record.extend(length.to_le_bytes());
    record.extend(&body);
    record.extend(hash_of_bytes(&body).0);
    record
}

/// Starts a file.
pub fn write_header(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&MAGIC)
}

/// Reads the samples of a file one after the other.
pub struct Records<R> {
    from: R,
    next: u64,
    /// Of an algorithm that is not built in.
    spec: Option<Spec>,
}

impl<R: Read> Records<R> {
    /// Checks the first bytes of a file.
    pub fn new(mut from: R) -> Result<Self, BinaryError> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic).map_err(|_| BinaryError::Magic)?;
        if magic != MAGIC {
            return Err(BinaryError::Magic);
        }
        Ok(Self { from, next: 0, spec: None })
    }

    /// Reads samples of this algorithm, built in or not.
    pub fn of(self, spec: Spec) -> Self {
        Self { spec: Some(spec), ..self }
    }

    fn read(&mut self, record: u64) -> Result<Option<Sample>, BinaryError> {
        let cut_off = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => BinaryError::Truncated { record },
            _ => BinaryError::Io(error),
        };
        let mut len = [0; 4];
        if self.from.read(&mut len[..1])? == 0 {
            return Ok(None);
        }
        self.from.read_exact(&mut len[1..]).map_err(cut_off)?;
        let len = u32::from_le_bytes(len);
        if len > LARGEST_RECORD {
            return Err(BinaryError::Truncated { record });
        }
        // Grows with what is there, not with what a damaged length claims.
        let mut body = Vec::new();
        self.from.by_ref().take(len.into()).read_to_end(&mut body)?;
        let mut hash = [0; 32];
        self.from.read_exact(&mut hash).map_err(cut_off)?;
        if body.len() != len as usize {
            return Err(BinaryError::Truncated { record });
        }
        if hash_of_bytes(&body).0 != hash {
            return Err(BinaryError::Hash { record });
        }
        let decoded = decode_as(&body, self.spec.as_ref());
        decoded.map(Some).map_err(|problem| BinaryError::Body { record, problem })
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Sample, BinaryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.next;
        self.next += 1;
        self.read(record).transpose()
    }
}

/// The sample in the body of a record.
pub fn decode(body: &[u8]) -> Result<Sample, String> {
    decode_as(body, None)
}

fn decode_as(body: &[u8], spec: Option<&Spec>) -> Result<Sample, String> {
    let (body, rest): (Body, &[u8]) =
        postcard::take_from_bytes(body).map_err(|error| error.to_string())?;
    if !rest.is_empty() {
        return Err(format!("there are {} bytes after it", rest.len()));
    }
    let spec = match spec.filter(|spec| spec.algorithm == body.algorithm) {
        Some(spec) => spec,
        None => algorithms::find(&body.algorithm).map_err(|error| error.to_string())?.spec(),
    };
    let trajectory = Trajectory {
        spec: spec.clone(),
        length: body.length,
        hints: body.hints,
        outputs: body.outputs,
    };
    let Body { generator, graph, inputs, .. } = body;
    let sample = Sample { generator, graph, inputs, trajectory };
    sample.check().map_err(|error| error.to_string())?;
    Ok(sample)
}
