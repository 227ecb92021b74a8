//! A column: its type, and the values that wait to be written.
//!
//! A sample has one value, a list of values, or a list of changes (step, index, value) in it.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};

use super::cells::{Cell, Cells, Width};

/// What a sample has in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    One(Cell),
    List(Cell),
    /// Without an index where there is only one place.
    Changes {
        index: Option<Width>,
        value: Cell,
    },
}

/// The values of some samples.
#[derive(Debug)]
pub(super) enum Pending {
    One(Cells),
    List { ends: Vec<i32>, values: Cells },
    Changes { ends: Vec<i32>, steps: Cells, indices: Option<Cells>, values: Cells },
}

impl Shape {
    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::One(cell) => cell.data_type(),
            Self::List(cell) => DataType::List(item(cell.data_type())),
            Self::Changes { index, value } => {
                DataType::List(item(DataType::Struct(change_fields(index, value))))
            }
        }
    }

    pub(super) fn pending(self) -> Pending {
        match self {
            Self::One(cell) => Pending::One(Cells::new(cell)),
            Self::List(cell) => Pending::List { ends: vec![0], values: Cells::new(cell) },
            Self::Changes { index, value } => Pending::Changes {
                ends: vec![0],
                steps: Cells::new(Cell::Whole(Width::Bits32)),
                indices: index.map(|width| Cells::new(Cell::Whole(width))),
                values: Cells::new(value),
            },
        }
    }
}

impl Pending {
    /// Bytes that the values take in a file.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::One(values) => values.bytes(),
            Self::List { ends, values } => 4 * ends.len() + values.bytes(),
            Self::Changes { ends, steps, indices, values } => {
                let indices = indices.as_ref().map_or(0, Cells::bytes);
                4 * ends.len() + steps.bytes() + indices + values.bytes()
            }
        }
    }

    /// Ends the list of a sample; false if a column cannot hold so many values.
    #[must_use]
    pub(super) fn end_sample(&mut self) -> bool {
        let (ends, values) = match self {
            Self::One(_) => return true,
            Self::List { ends, values } | Self::Changes { ends, values, .. } => (ends, values),
        };
        let end = i32::try_from(values.len());
        ends.extend(end.ok());
        end.is_ok()
    }

    pub(super) fn into_array(self) -> Result<ArrayRef, ArrowError> {
        let (ends, values) = match self {
            Self::One(values) => return Ok(values.into_array()),
            Self::List { ends, values } => (ends, values.into_array()),
            Self::Changes { ends, steps, indices, values } => {
                let values = values.into_array();
                let index = indices.map(Cells::into_array);
                let mut fields = vec![field("step", DataType::UInt32)];
                fields.extend(index.as_ref().map(|a| field("index", a.data_type().clone())));
                fields.push(field("value", values.data_type().clone()));
                let arrays = [Some(steps.into_array()), index, Some(values)].into_iter().flatten();
                let changes = StructArray::try_new(fields.into(), arrays.collect(), None)?;
                (ends, Arc::new(changes) as ArrayRef)
            }
        };
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        Ok(Arc::new(ListArray::try_new(item(values.data_type().clone()), ends, values, None)?))
    }
}

fn change_fields(index: Option<Width>, value: Cell) -> Fields {
    let index = index.map(|width| field("index", Cell::Whole(width).data_type()));
    [Some(field("step", DataType::UInt32)), index, Some(field("value", value.data_type()))]
        .into_iter()
        .flatten()
        .collect()
}

fn field(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, false))
}

fn item(data_type: DataType) -> FieldRef {
    field(Field::LIST_FIELD_DEFAULT_NAME, data_type)
}
