//! The values of a column as arrays with names, and back.
//!
//! A column of one value a sample is one array of its name. A list has its values under its name
//! and their ends under `NAME_offsets`; a list of changes has them under `NAME_step`, `NAME_index`
//! and `NAME_value`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, ListArray, StructArray, UInt8Array, UInt16Array,
    UInt32Array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::npy::{npy, numbers};

/// The arrays of a column.
pub(super) fn arrays(name: &str, column: &dyn Array) -> Vec<(String, Vec<u8>)> {
    match column.data_type() {
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            let ends = npy(list.value_offsets().iter().map(|&end| i64::from(end)));
            let mut files = arrays(name, list.values());
            files.push((format!("{name}_offsets"), ends));
            files
        }
        DataType::Struct(fields) => {
            let parts = fields.iter().zip(column.as_struct().columns());
            parts
                .flat_map(|(field, part)| arrays(&format!("{name}_{}", field.name()), part))
                .collect()
        }
        _ => vec![(name.to_owned(), leaf_file(column))],
    }
}

/// The column of this type; `take` gives the file of a name.
pub(super) fn column(
    name: &str,
    data_type: &DataType,
    take: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<ArrayRef, String> {
    match data_type {
        DataType::List(item) => {
            let values = column(name, item.data_type(), take)?;
            let ends: Vec<i64> = numbers(&take(&format!("{name}_offsets"))?)?;
            let is_rising = ends.is_sorted() && ends.first() == Some(&0);
            let ends: Option<Vec<i32>> = ends.into_iter().map(|end| end.try_into().ok()).collect();
            let last = ends.as_ref().and_then(|ends| ends.last());
            let ends = match (is_rising, last.map(|&last| last as usize == values.len()), ends) {
                (true, Some(true), Some(ends)) => OffsetBuffer::new(ScalarBuffer::from(ends)),
                _ => return Err(format!("{name}_offsets do not rise from 0 to the values' end")),
            };
            let list = ListArray::try_new(item.clone(), ends, values, None);
            Ok(Arc::new(list.map_err(|error| error.to_string())?))
        }
        DataType::Struct(fields) => {
            let part = |field: &arrow_schema::FieldRef| {
                column(&format!("{name}_{}", field.name()), field.data_type(), take)
            };
            let parts = fields.iter().map(part).collect::<Result<_, _>>()?;
            let parts = StructArray::try_new(fields.clone(), parts, None);
            Ok(Arc::new(parts.map_err(|error| error.to_string())?))
        }
        leaf => {
            let file = take(name)?;
            leaf_array(leaf, &file).map_err(|problem| format!("{name}: {problem}"))
        }
    }
}

fn leaf_file(array: &dyn Array) -> Vec<u8> {
    match array.data_type() {
        DataType::UInt8 => npy(array.as_primitive::<UInt8Type>().values().iter().copied()),
        DataType::UInt16 => npy(array.as_primitive::<UInt16Type>().values().iter().copied()),
        DataType::UInt32 => npy(array.as_primitive::<UInt32Type>().values().iter().copied()),
        DataType::Float64 => npy(array.as_primitive::<Float64Type>().values().iter().copied()),
        _ => {
            let bits: Vec<bool> = array.as_boolean().values().iter().collect();
            npy(bits.into_iter())
        }
    }
}

fn leaf_array(data_type: &DataType, file: &[u8]) -> Result<ArrayRef, String> {
    Ok(match data_type {
        DataType::UInt8 => Arc::new(UInt8Array::from(numbers::<u8>(file)?)),
        DataType::UInt16 => Arc::new(UInt16Array::from(numbers::<u16>(file)?)),
        DataType::UInt32 => Arc::new(UInt32Array::from(numbers::<u32>(file)?)),
        DataType::Float64 => Arc::new(Float64Array::from(numbers::<f64>(file)?)),
        _ => Arc::new(BooleanArray::from(numbers::<bool>(file)?)),
    })
}
