//! From a seed to a sample: graphs, algorithm executions and their recorded trajectories.
//!
//! The modules stand in the order of the data flow. A [`graph`] comes from a family in
//! [`generators`] or from a file through [`readers`]; an algorithm of [`algorithms`] runs on it
//! and writes what its [`spec`] declares into a [`trajectory`]; a [`suite`] names the splits of a
//! benchmark, and [`sample`] gives sample *i* of a split as a pure function of its name. [`draw`]
//! makes pictures of all that.
//!
//! ```
//! use salsa_traces::{algorithms, sample::sample, suite::Suite};
//!
//! let suite = Suite::named("paper")?;
//! let bfs = algorithms::find("bfs")?;
//! let first = sample(&suite, suite.seed, bfs, "train", 0)?;
//! assert_eq!(first.trajectory.length as usize, first.trajectory.hint("pi_h").unwrap().all().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod files;
pub mod nearest;
pub mod random;
pub mod toml_table;

pub mod graph;

pub mod parameters;
pub mod redraw;
pub mod skipping;

pub mod generators;

pub mod readers;

pub mod spec;

pub mod trajectory;

pub mod convention;

pub mod execution;

pub mod priority_first;

pub mod algorithms;

pub mod suite;

pub mod sample;

pub mod collate;

pub mod hash;

pub mod export;

pub mod dataset;

pub mod stats;

pub mod draw;
