//! The columns of a data set: which samples fit them, and how a row becomes a sample again.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};

use super::batch::Batch;
use super::header::{Header, KEY, fields};
use super::layout::{Column, columns};
use super::row;
use crate::algorithms::{self, Algorithm};
use crate::collate::Ready;
use crate::export::{ShardError, with_wanted_hints};
use crate::sample::Sample;

/// The columns that a header speaks of.
pub(in crate::export) struct Table {
    pub(in crate::export) header: Header,
    columns: Vec<Column>,
    /// With the header as its metadata.
    pub(in crate::export) schema: SchemaRef,
    algorithm: &'static dyn Algorithm,
    /// Nodes that can be numbered.
    most_nodes: u64,
}

impl Table {
    /// The columns of `header`, if it makes sense.
    pub(in crate::export) fn new(header: Header) -> Result<Self, ShardError> {
        let wrong = |problem: String| ShardError::Header(problem);
        let algorithm =
            algorithms::find(&header.algorithm).map_err(|error| wrong(error.to_string()))?;
        if header.fields != fields(algorithm.spec()) {
            return Err(wrong(format!("{} has other features here", header.algorithm)));
        }
        let width = header.features.node_width();
        let width = width.ok_or_else(|| wrong("node_bits is wrong".to_owned()))?;
        let columns = columns(algorithm.spec(), width, header.features);
        let field = |column: &Column| Field::new(&column.name, column.shape.data_type(), false);
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let metadata = HashMap::from([(KEY.to_owned(), header.text())]);
        let schema = Arc::new(Schema::new(fields).with_metadata(metadata));
        Ok(Self { header, columns, schema, algorithm, most_nodes: width.n_nodes() })
    }

    /// No samples yet.
    pub(in crate::export) fn batch(&self) -> Batch {
        Batch::new(&self.columns)
    }

    /// Adds a sample if the columns can hold all there is of it.
    pub(in crate::export) fn push(&self, batch: &mut Batch, sample: &Sample) -> Result<(), String> {
        self.check(sample)?;
        batch.push(&self.columns, sample)
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        let features = self.header.features;
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let (n_nodes, most) = (graph.n_nodes() as u64, self.most_nodes);
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

    /// The sample in a row of `batch`, which has these columns; hints that are wanted and not
    /// stored are made again.
    pub(in crate::export) fn sample(
        &self,
        batch: &RecordBatch,
        row: usize,
        hints: bool,
    ) -> Result<Sample, String> {
        let spec = self.algorithm.spec();
        let sample = row::sample(spec, &self.header, &self.columns, batch, row, hints)?;
        with_wanted_hints(sample, self.algorithm, self.header.convention, hints)
    }

    /// The same without hints and ready for a batch.
    pub(in crate::export) fn ready(
        &self,
        batch: &RecordBatch,
        row: usize,
    ) -> Result<Ready, String> {
        row::ready(self.algorithm.spec(), &self.columns, batch, row)
    }
}
