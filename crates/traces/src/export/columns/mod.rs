//! Samples as columns, whatever file they stand in: Arrow, Parquet and NPZ share this.
//!
//! A row is a sample. Whole numbers have the narrowest type that the largest graph of the data
//! set needs, every undirected edge stands there once, and hints are changes or left out, because
//! those of the built-in algorithms are a function of the inputs. `docs/format.md` is the
//! specification.

mod batch;
mod cells;
mod column;
mod header;
mod layout;
mod row;
mod rows;
mod rows_writer;
mod table;

pub(super) use batch::Batch;
pub(crate) use header::fields;
pub use header::{FieldText, Header};
pub(super) use header::{KEY, check_version};
pub use layout::Features;
pub use rows::Rows;
pub(crate) use rows_writer::RowsWriter;
pub(super) use table::Table;

/// The version of the columns; files of another are refused.
pub const VERSION: u32 = 1;
