//! Records as people want to see them: tables for papers and one page for browsers.
//!
//! Everything is made of [`salsa_records::Record`]s alone, so results from elsewhere stand in the
//! same tables. [`read`] finds them in files, a [`study::Study`] puts them together, and
//! [`tables`] are made of it. A [`Table`] says what is shown; how it looks is the business of each
//! of the [`formats`].

pub mod metric;
pub mod paper;
pub mod read;

pub mod study;

pub mod noise;

pub mod page;
mod table;
pub mod tables;

pub mod formats;

pub use table::{Cell, Difference, Figure, Row, Scale, Table};
