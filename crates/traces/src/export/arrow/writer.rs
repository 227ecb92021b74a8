//! Writing a shard: samples are pushed, whole record batches are encoded, the end is sealed.
//!
//! Where one batch or shard ends and the next begins depends on the samples alone, so the bytes
//! do not depend on threads or on where a run was stopped.

use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, SchemaRef};

use super::batch::Batch;
use super::header::{BatchText, Header, Index};
use super::layout::{Column, columns};
use super::schema::schema;
use super::seal::{blank, checksum, seal};
use super::{KEY, ShardError};
use crate::algorithms;
use crate::sample::Sample;

/// A record batch is what must be read for one sample: it ends with the sample that reaches this.
/// Other limits give other bytes: whoever changes them raises the version.
const BATCH_BYTES: usize = 1 << 17;

/// A shard is what is lost when a run is killed: it ends with the batch that reaches this.
const SHARD_BYTES: usize = 1 << 24;

/// A shard in the making.
pub struct ShardWriter {
    header: Header,
    columns: Vec<Column>,
    schema: SchemaRef,
    largest: u64,
    first: u64,
    batch: Batch,
    batches: Vec<BatchText>,
    file: FileWriter<Vec<u8>>,
    /// Where the record batches are.
    blocks: Range<usize>,
}

impl ShardWriter {
    /// A shard that starts with sample `first` of a data set.
    pub fn new(header: Header, first: u64) -> Result<Self, ShardError> {
        let algorithm = algorithms::find(&header.algorithm)
            .map_err(|error| ShardError::Header(error.to_string()))?;
        let width = header.features.node_width();
        let width = width.ok_or_else(|| ShardError::Header("node_bits is wrong".to_owned()))?;
        let columns = columns(algorithm.spec(), width, header.features);
        let text = serde_json::to_string(&header).expect("a header is plain data");
        let schema = Arc::new(schema(&columns, text));
        let file = FileWriter::try_new_with_options(Vec::new(), &schema, options()?)
            .map_err(|error| failed(first, &error))?;
        let start = file.get_ref().len();
        Ok(Self {
            largest: width.n_nodes(),
            batch: Batch::new(&columns),
            batches: Vec::new(),
            blocks: start..start,
            header,
            columns,
            schema,
            first,
            file,
        })
    }

    /// The index of the next sample.
    pub fn next(&self) -> u64 {
        let written: u64 = self.batches.iter().map(|batch| batch.samples).sum();
        self.first + written + self.batch.samples
    }

    /// Whether the shard has reached its size.
    pub fn is_full(&self) -> bool {
        self.blocks.len() >= SHARD_BYTES
    }

    /// Adds the next sample.
    pub fn push(&mut self, sample: &Sample) -> Result<(), ShardError> {
        let index = self.next();
        let unfit = |problem| ShardError::Unfit { index, problem };
        self.check(sample).map_err(unfit)?;
        self.batch.push(&self.columns, sample).map_err(unfit)?;
        if self.batch.bytes() >= BATCH_BYTES { self.end_batch() } else { Ok(()) }
    }

    /// The bytes of the whole file.
    pub fn finish(mut self) -> Result<Vec<u8>, ShardError> {
        if self.batch.samples > 0 {
            self.end_batch()?;
        }
        let index = Index { first: self.first, batches: self.batches, seal: blank() };
        let text = serde_json::to_string(&index).expect("an index is plain data");
        self.file.write_metadata(KEY, text);
        let mut bytes = self.file.into_inner().map_err(|error| failed(self.first, &error))?;
        let (head, rest) = bytes.split_at_mut(self.blocks.start);
        seal(head, &mut rest[self.blocks.len()..])?;
        Ok(bytes)
    }

    fn end_batch(&mut self) -> Result<(), ShardError> {
        let batch = std::mem::replace(&mut self.batch, Batch::new(&self.columns));
        let (samples, first) = (batch.samples, self.first);
        batch
            .into_records(self.schema.clone())
            .and_then(|records| self.file.write(&records))
            .map_err(|error| failed(first, &error))?;
        let start = self.blocks.end;
        self.blocks.end = self.file.get_ref().len();
        let checksum = checksum(&self.file.get_ref()[start..]);
        self.batches.push(BatchText { samples, checksum });
        Ok(())
    }

    /// Whether the columns can hold all there is of a sample.
    fn check(&self, sample: &Sample) -> Result<(), String> {
        let features = self.header.features;
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let (n_nodes, most) = (graph.n_nodes() as u64, self.largest);
        if n_nodes > most {
            return Err(format!("it has {n_nodes} nodes, its columns number {most}"));
        }
        let claims = [
            ("weights", features.weights, graph.is_weighted()),
            ("positions", features.positions, graph.positions().is_some()),
            ("hints", features.hints, trajectory.hints.is_some()),
            ("generator", true, sample.generator == self.header.generator),
            ("algorithm", true, trajectory.spec.algorithm == self.header.algorithm),
        ];
        if let Some((what, ..)) = claims.into_iter().find(|(_, expected, is)| expected != is) {
            return Err(format!("its {what} are not as in the rest of the data set"));
        }
        sample.check().map_err(|error| error.to_string())
    }
}

/// Buffers start at multiples of 64 bytes, as the Arrow format recommends.
fn options() -> Result<IpcWriteOptions, ShardError> {
    IpcWriteOptions::try_new(64, false, arrow_ipc::MetadataVersion::V5)
        .map_err(|error| failed(0, &error))
}

fn failed(index: u64, error: &ArrowError) -> ShardError {
    ShardError::Unfit { index, problem: error.to_string() }
}
