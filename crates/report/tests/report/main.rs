//! Reports from records: every table in every format, and what must be true of any records.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod compiled;
mod fixture;
mod mistakes;
mod properties;
mod snapshots;
mod studies;
