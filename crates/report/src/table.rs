//! A table before it is text.

use salsa_records::confidence::Summary;
use serde::Serialize;

/// Rows of figures with the words around them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Its name in files and addresses, `node-accuracy`.
    pub name: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What a reader must know to understand it, a sentence each.
    pub notes: Vec<String>,
    /// Titles of the columns of labels.
    pub labels: Vec<String>,
    /// Titles of the columns of cells.
    pub columns: Vec<String>,
    /// In the order to be shown.
    pub rows: Vec<Row>,
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// As many as the table has columns of labels.
    pub labels: Vec<String>,
    /// As many as the table has columns of cells.
    pub cells: Vec<Cell>,
}

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Cell {
    /// Nothing was measured.
    Missing,
    /// A figure, mean and spread over seeds.
    Figure(Figure),
    /// How far a figure is from another.
    Difference(Difference),
    /// Words.
    Text {
        /// The words.
        text: String,
    },
}

/// A figure over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// Over seeds, as measured: shares from 0 to 1.
    pub summary: Summary,
    /// How it is shown.
    pub scale: Scale,
    /// Whether no other row that it competes with is better in this column.
    pub best: bool,
}

/// How far ours is from a figure of others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Ours, mean and spread over seeds.
    pub ours: Summary,
    /// Theirs, on the scale of ours.
    pub theirs: f64,
    /// How both are shown.
    pub scale: Scale,
    /// Whether the difference is within the noise; `None` where one seed says nothing of it.
    pub within_noise: Option<bool>,
}

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// A share from 0 to 1, shown in percent with one decimal.
    Percent,
    /// A number as it is, three significant digits.
    Number,
}
