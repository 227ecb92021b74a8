//! The `salsa` command as a person or a script sees it: the real binary, its output, its exit
//! codes and its files.
//!
//! What a person reads is kept in `snapshots/`; after a wanted change, run with
//! `INSTA_UPDATE=always` and read the difference.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod salsa;

mod bench;
mod cluster;
mod cluster_examples;
mod completions;
mod conformance;
mod damaged_files;
mod dev;
mod device;
mod docs;
mod draw;
mod emulated_gpu;
mod execute;
mod files;
mod full_disk;
mod help;
mod inspect;
mod interruption;
mod mistakes;
mod page;
mod report;
mod scaling;
mod side_by_side;
mod summaries;
mod sweep;
mod sweep_crashes;
mod sweep_slurm;
mod train;
mod trained;
