//! The binary `salsa`; see the library for what it does.

use std::ffi::OsString;
use std::process::ExitCode;

/// Samples are many small vectors or a few huge ones; this allocator is fast at both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    // The name it was called by may lead to another program by the time it is started again.
    if let (Some(name), Ok(program)) = (words.first_mut(), std::env::current_exe()) {
        *name = program.into();
    }
    salsa_cli::run(words).into()
}
