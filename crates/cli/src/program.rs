//! How this program was started, for measurements in processes of their own and for workers on a
//! cluster: the script of the Python package is not the process that runs it.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

static PROGRAM: OnceLock<OsString> = OnceLock::new();

/// Notes the program; only the first note counts.
pub fn started_as(program: &OsStr) {
    PROGRAM.get_or_init(|| program.to_owned());
}

/// The program to start again.
pub fn program() -> &'static OsStr {
    PROGRAM.get().map_or(OsStr::new("salsa"), OsString::as_os_str)
}
