//! JSON for programs: one line on the standard output.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;

/// Prints `value`.
pub fn print_json(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    writeln!(out, "{}", json_text(value)?).map_err(Failure::output)
}

/// `value` on one line.
pub fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::System(error.to_string()))
}
