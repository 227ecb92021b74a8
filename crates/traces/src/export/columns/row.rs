//! A row of a record batch as a sample. Nothing in it is believed: a file may say anything.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};

use super::cells::{bits, kept, reals, wholes};
use super::header::Header;
use super::layout::{Column, Role};
use crate::collate::{Raw, Ready};
use crate::execution::{Inputs, Randomness};
use crate::graph::{Entries, Graph, GraphError};
use crate::sample::Sample;
use crate::spec::{Kind, Spec};
use crate::trajectory::{Hints, StepChange, Trajectory, TrajectoryError, Values, check_length};

/// What stands in a row; its columns are of the types they should be.
struct Cells<'a> {
    length: u32,
    row_lengths: Vec<u32>,
    neighbours: Vec<u32>,
    weights: Option<&'a [f64]>,
    positions: Option<&'a [f64]>,
    inputs: Inputs,
    outputs: Vec<Values>,
    /// If they are stored and wanted.
    changes: Option<Vec<StepChange>>,
}

impl<'a> Cells<'a> {
    fn read(
        spec: &Spec,
        columns: &[Column],
        batch: &'a RecordBatch,
        row: usize,
        hints: bool,
    ) -> Self {
        let (mut length, mut row_lengths, mut neighbours) = (0, Vec::new(), Vec::new());
        let (mut weights, mut positions, mut source, mut randomness) = (None, None, None, None);
        let mut outputs = Vec::new();
        let mut changes = hints.then(Vec::new);
        let kinds: Vec<Kind> = spec.outputs().map(|field| field.kind).collect();
        for (column, array) in columns.iter().zip(batch.columns()) {
            let (values, range) = values_of(array, row);
            match column.role {
                Role::Length => length = one(values, range),
                Role::RowLengths => row_lengths = wholes(values, range),
                Role::Neighbours => neighbours = wholes(values, range),
                Role::Weights => weights = Some(reals(values, range)),
                Role::Positions => positions = Some(reals(values, range)),
                Role::Source => source = Some(one(values, range)),
                Role::Randomness => randomness = Some(reals(values, range)),
                Role::Output(place) => outputs.push(match kinds[place] {
                    Kind::Mask => Values::Mask(bits(values, range)),
                    Kind::MaskOne => Values::MaskOne(one(values, range)),
                    Kind::Categorical { .. } => {
                        // The column has 8 bits.
                        let classes = wholes(values, range).into_iter().map(|class| class as u8);
                        Values::Categorical(classes.collect())
                    }
                    Kind::Scalar => Values::Scalar(reals(values, range).to_vec()),
                    Kind::Pointer => Values::Pointer(wholes(values, range)),
                }),
                Role::Hint(hint) => {
                    let changes = changes.iter_mut();
                    changes
                        .for_each(|all| all.extend(changes_of(hint as u32, values, range.clone())));
                }
            }
        }
        let n_nodes = row_lengths.len().max(1);
        let randomness = randomness.map(|values: &[f64]| {
            Randomness::given(values.chunks(n_nodes).map(<[f64]>::to_vec).collect())
        });
        let inputs = Inputs { source, randomness };
        Self { length, row_lengths, neighbours, weights, positions, inputs, outputs, changes }
    }

    fn positions(&self) -> Result<Option<&'a [[f64; 2]]>, String> {
        let Some(positions) = self.positions else { return Ok(None) };
        match positions.as_chunks() {
            (places, []) => Ok(Some(places)),
            _ => Err("a position has one coordinate".to_owned()),
        }
    }
}

/// The sample in row `row`, with the hints that are stored if they are wanted.
pub(super) fn sample(
    spec: &Spec,
    header: &Header,
    columns: &[Column],
    batch: &RecordBatch,
    row: usize,
    hints: bool,
) -> Result<Sample, String> {
    let cells = Cells::read(spec, columns, batch, row, header.features.hints && hints);
    let graph = Graph::from_upper_rows(&cells.row_lengths, &cells.neighbours);
    let graph = graph.and_then(|graph| match cells.weights {
        Some(weights) => graph.with_weights(weights),
        None => Ok(graph),
    });
    let mut graph = graph.map_err(|error| error.to_string())?;
    if let Some(places) = cells.positions()? {
        graph = graph.with_positions(places.to_vec()).map_err(|error| error.to_string())?;
    }
    let Cells { length, inputs, outputs, changes, .. } = cells;
    let hints = changes.map(|changes| Hints::from_changes(spec, &graph, length, changes));
    let trajectory = Trajectory { spec: spec.clone(), length, hints: hints.transpose()?, outputs };
    let generator = header.generator.clone();
    let sample = Sample { generator, graph, inputs, trajectory };
    sample.check().map_err(|error| error.to_string())?;
    Ok(sample)
}

/// The same without hints and ready for a batch, without a graph in between. What [`sample`]
/// refuses is refused here.
pub(super) fn ready(
    spec: &Spec,
    columns: &[Column],
    batch: &RecordBatch,
    row: usize,
) -> Result<Ready, String> {
    let cells = Cells::read(spec, columns, batch, row, false);
    let (entries, weights) =
        Entries::of_upper_rows(&cells.row_lengths, &cells.neighbours, cells.weights)
            .map_err(|error| error.to_string())?;
    let n_nodes = entries.n_nodes();
    if let Some(found) = cells.positions()?.map(<[_]>::len).filter(|&found| found != n_nodes) {
        return Err(GraphError::PositionCount { expected: n_nodes, found }.to_string());
    }
    let Cells { length, inputs, outputs, .. } = cells;
    inputs
        .check(spec, n_nodes, weights.is_some(), length)
        .and_then(|()| check_length(length))
        .map_err(|error| error.to_string())?;
    let raw = Raw { spec, length, entries, weights, inputs: &inputs, outputs: &outputs };
    raw.laid_out().map_err(|name| TrajectoryError::unfit(&name).to_string())
}

/// The values that a row has, and where they stand.
fn values_of(array: &dyn Array, row: usize) -> (&dyn Array, Range<usize>) {
    match array.as_list_opt::<i32>() {
        None => (array, row..row + 1),
        Some(list) => {
            let ends = list.value_offsets();
            (list.values(), ends[row] as usize..ends[row + 1] as usize)
        }
    }
}

fn one(values: &dyn Array, range: Range<usize>) -> u32 {
    wholes(values, range)[0]
}

/// The changes of a hint; without an index there is only one place.
fn changes_of(
    hint: u32,
    changes: &dyn Array,
    range: Range<usize>,
) -> impl Iterator<Item = StepChange> {
    let columns = changes.as_struct().columns();
    let steps = wholes(&columns[0], range.clone());
    let indices = match columns.len() {
        3 => wholes(&columns[1], range.clone()),
        _ => vec![0; range.len()],
    };
    let values = kept(&columns[columns.len() - 1], range);
    let changes = steps.into_iter().zip(indices).zip(values);
    changes.map(move |((step, index), value)| StepChange { step, hint, index, value })
}
