//! The `salsa` command, for the script that is installed with the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what a command line says and gives its exit code; the first word is the program.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| salsa_cli::run(words))
}
