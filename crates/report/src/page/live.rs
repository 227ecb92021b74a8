//! How far a sweep has come that is still going on.

use serde::Serialize;

/// A sweep while somebody looks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Live {
    /// Its name.
    pub sweep: String,
    /// All its cells.
    pub cells: usize,
    /// Those with a record.
    pub finished: usize,
    /// Those that are not finished and of which there is something to say.
    pub each: Vec<CellProgress>,
    /// Seconds between two looks.
    pub refresh_seconds: u64,
}

/// A cell on its way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellProgress {
    /// The cell.
    pub cell: String,
    /// `claimed`, `stopped` or `failed`.
    pub state: &'static str,
    /// Where it is, in words.
    pub told: String,
    /// Who works on it.
    pub holder: String,
    /// The share of its work that is done.
    pub done: f64,
    /// The last training loss.
    pub loss: Option<f64>,
}
