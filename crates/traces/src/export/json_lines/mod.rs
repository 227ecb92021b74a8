//! One execution as one JSON object on a line, the format of the conformance cases.
//!
//! `n`, `edges` as pairs (u, v) with u < v, `weights` in their order, `positions` of nodes,
//! `source`, `randomness` by
//! node and step, and `length`; `edge_index` as a list of sources and one of targets, sorted by
//! (source, target) with self-loops; `inputs`, `outputs` as {name: {location, type, data}}, and
//! `hints`, whose data has the step first. Data: for each node the node it points to; masks 0/1;
//! categories as classes; numbers; one number for the graph; a list over `edge_index` for edges.
//! Hints are dense here, so a line can be far larger than the sample.

mod read;
mod write;

pub use read::{Case, CaseError, read_case, read_sample};
pub use write::{line, write_line};
