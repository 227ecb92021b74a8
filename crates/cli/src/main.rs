//! The `salsa` command: parses, calls the library, prints.

mod arguments;
mod commands;
mod failure;
mod files;
mod plot;
mod png;
mod progress;
mod table;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::commands::Command;
use crate::failure::Failure;

/// Generate, execute, inspect and draw algorithm trajectories on sparse graphs.
///
/// Without a command, makes a small BFS data set, summarises it and draws one of its
/// trajectories.
#[derive(Debug, Parser)]
#[command(
    name = "salsa",
    version,
    after_help = "Example: salsa inspect --algorithm dijkstra --split er_16 --index 3"
)]
struct Salsa {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Samples are many small vectors or a few huge ones; this allocator is fast at both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let salsa = match Salsa::try_parse() {
        Ok(salsa) => salsa,
        Err(error) if error.use_stderr() => {
            eprintln!("{}", failure::usage_line(&error));
            return ExitCode::from(2);
        }
        Err(help) => {
            // Help and version go to the standard output; a closed one is nobody's mistake.
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let done = salsa.command.unwrap_or_default().run(&mut out);
    match done.and_then(|()| out.flush().map_err(Failure::output)) {
        Ok(()) | Err(Failure::ClosedOutput) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

/// The whole command line, for completions and manual pages.
fn command_line() -> clap::Command {
    Salsa::command()
}
