//! Values of one type, on their way into a column and out of it.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array};
use arrow_array::{UInt8Array, UInt16Array, UInt32Array};
use arrow_schema::DataType;

/// The bits of a whole number that counts from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    Bits8,
    Bits16,
    Bits32,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Whole(Width),
    Real,
    Bit,
}

/// Values of one type.
#[derive(Debug)]
pub(super) enum Cells {
    Whole(Width, Vec<u32>),
    Real(Vec<f64>),
    Bit(Vec<bool>),
}

impl Width {
    /// The narrowest for the nodes of graphs of at most so many.
    pub(super) fn of_nodes(n_nodes: u64) -> Self {
        match n_nodes {
            0..=0x100 => Self::Bits8,
            0x101..=0x1_0000 => Self::Bits16,
            _ => Self::Bits32,
        }
    }

    pub(super) fn of_bits(bits: u8) -> Option<Self> {
        [Self::Bits8, Self::Bits16, Self::Bits32].into_iter().find(|width| width.bits() == bits)
    }

    pub(super) fn bits(self) -> u8 {
        match self {
            Self::Bits8 => 8,
            Self::Bits16 => 16,
            Self::Bits32 => 32,
        }
    }

    /// How many nodes can be numbered.
    pub(super) fn n_nodes(self) -> u64 {
        1 << self.bits()
    }

    /// What entries need where nodes need this: there are at most n squared of them, and never
    /// more than 32 bits can number.
    pub(super) fn of_entries(self) -> Self {
        match self {
            Self::Bits8 => Self::Bits16,
            _ => Self::Bits32,
        }
    }
}

impl Cell {
    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Whole(Width::Bits8) => DataType::UInt8,
            Self::Whole(Width::Bits16) => DataType::UInt16,
            Self::Whole(Width::Bits32) => DataType::UInt32,
            Self::Real => DataType::Float64,
            Self::Bit => DataType::Boolean,
        }
    }
}

impl Cells {
    pub(super) fn new(cell: Cell) -> Self {
        match cell {
            Cell::Whole(width) => Self::Whole(width, Vec::new()),
            Cell::Real => Self::Real(Vec::new()),
            Cell::Bit => Self::Bit(Vec::new()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Whole(_, values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Bit(values) => values.len(),
        }
    }

    /// Bytes that the values take in a file.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Whole(width, values) => values.len() * usize::from(width.bits() / 8),
            Self::Real(values) => 8 * values.len(),
            Self::Bit(values) => values.len().div_ceil(8),
        }
    }

    /// One value as a trajectory keeps it: a number's bits, a whole number, 0 or 1.
    pub(super) fn push(&mut self, value: u64) {
        match self {
            Self::Whole(_, values) => values.push(value as u32),
            Self::Real(values) => values.push(f64::from_bits(value)),
            Self::Bit(values) => values.push(value == 1),
        }
    }

    pub(super) fn into_array(self) -> ArrayRef {
        match self {
            Self::Whole(Width::Bits8, values) => {
                Arc::new(values.into_iter().map(|value| value as u8).collect::<UInt8Array>())
            }
            Self::Whole(Width::Bits16, values) => {
                Arc::new(values.into_iter().map(|value| value as u16).collect::<UInt16Array>())
            }
            Self::Whole(Width::Bits32, values) => Arc::new(UInt32Array::from(values)),
            Self::Real(values) => Arc::new(Float64Array::from(values)),
            Self::Bit(values) => Arc::new(BooleanArray::from(values)),
        }
    }
}

/// Whole numbers of any width.
pub(super) fn wholes(array: &dyn Array, range: Range<usize>) -> Vec<u32> {
    match array.data_type() {
        DataType::UInt8 => {
            array.as_primitive::<UInt8Type>().values()[range].iter().map(|&v| v.into()).collect()
        }
        DataType::UInt16 => {
            array.as_primitive::<UInt16Type>().values()[range].iter().map(|&v| v.into()).collect()
        }
        _ => array.as_primitive::<UInt32Type>().values()[range].to_vec(),
    }
}

/// Real numbers.
pub(super) fn reals(array: &dyn Array, range: Range<usize>) -> &[f64] {
    &array.as_primitive::<Float64Type>().values()[range]
}

/// Bits.
pub(super) fn bits(array: &dyn Array, range: Range<usize>) -> Vec<bool> {
    let bits = array.as_boolean().values();
    range.map(|place| bits.value(place)).collect()
}

/// Values of any type, as a trajectory keeps them.
pub(super) fn kept(array: &dyn Array, range: Range<usize>) -> Vec<u64> {
    match array.data_type() {
        DataType::Float64 => reals(array, range).iter().map(|value| value.to_bits()).collect(),
        DataType::Boolean => bits(array, range).into_iter().map(u64::from).collect(),
        _ => wholes(array, range).into_iter().map(u64::from).collect(),
    }
}
