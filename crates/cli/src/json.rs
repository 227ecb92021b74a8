//! JSON for programs: one line on the standard output.

use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;

/// Prints `value`.
pub fn print_json(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::System(error.to_string()))?;
    writeln!(out, "{text}").map_err(Failure::output)
}
