//! Records as people want to see them: tables for papers and one page for browsers.
//!
//! Everything is made of [`salsa_records::Record`]s alone, so results from elsewhere stand in the
//! same tables. A [`Table`] says what is shown; how it looks is the business of each format.

pub mod page;
mod table;

pub use table::{Cell, Difference, Figure, Row, Scale, Table};
