//! Whether a file has the schema that it should have.
//!
//! The comparison walks through the file's own description, because the library that reads it
//! into types of its own may panic at what it does not know.

use arrow_schema::{DataType, Field, Schema};

/// Whether the schema that a file describes has these columns.
pub(super) fn check(found: arrow_ipc::Schema<'_>, expected: &Schema) -> Result<(), String> {
    if found.endianness() != arrow_ipc::Endianness::Little {
        return Err("expected little-endian numbers".to_owned());
    }
    let fields: Vec<arrow_ipc::Field<'_>> = found.fields().into_iter().flatten().collect();
    let mut expected = expected.fields().iter();
    for field in &fields {
        let name = field.name().unwrap_or_default();
        let wanted = expected.next().ok_or_else(|| format!("{name} is one too many"))?;
        if !is_same(*field, wanted) {
            return Err(format!("expected {}, found {name} of another type", wanted.name()));
        }
    }
    match expected.next() {
        None => Ok(()),
        Some(missing) => Err(format!("{} is missing", missing.name())),
    }
}

fn is_same(found: arrow_ipc::Field<'_>, expected: &Field) -> bool {
    let children: Vec<arrow_ipc::Field<'_>> = found.children().into_iter().flatten().collect();
    let are_children = |expected: &[&Field]| {
        children.len() == expected.len()
            && children.iter().zip(expected).all(|(found, expected)| is_same(*found, expected))
    };
    let is_whole = |bits: i32| {
        found.type_as_int().is_some_and(|int| int.bitWidth() == bits && !int.is_signed())
            && children.is_empty()
    };
    let is_double = |real: arrow_ipc::FloatingPoint<'_>| {
        real.precision() == arrow_ipc::Precision::DOUBLE && children.is_empty()
    };
    found.name() == Some(expected.name())
        && found.dictionary().is_none()
        && match expected.data_type() {
            DataType::UInt8 => is_whole(8),
            DataType::UInt16 => is_whole(16),
            DataType::UInt32 => is_whole(32),
            DataType::Float64 => found.type_as_floating_point().is_some_and(is_double),
            DataType::Boolean => found.type_as_bool().is_some() && children.is_empty(),
            DataType::List(item) => found.type_as_list().is_some() && are_children(&[item]),
            DataType::Struct(fields) => {
                let fields: Vec<&Field> = fields.iter().map(|field| &**field).collect();
                found.type_as_struct_().is_some() && are_children(&fields)
            }
            _ => false,
        }
}
