//! Files of samples: what is written reads back, and no change of a file is read as a sample.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod arrow;
mod every_format;
mod lines_and_records;
mod wanted;
