//! The `salsa` command: parses, calls the library, prints.

mod arguments;
mod commands;
mod compute;
mod describe;
mod failure;
mod files;
mod graph_files;
mod help;
mod json;
mod lines;
mod one_sample;
mod paper;
mod plot;
mod png;
mod progress;
mod results_table;
mod table;
mod trained;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{FromArgMatches, Parser};

use crate::commands::Command;
use crate::failure::Failure;
use crate::help::command_line;

/// Algorithms on sparse graphs, step by step, and networks that learn to execute them.
///
/// Without a command, does as salsa demo: makes a small data set, trains a network on it and
/// compares what it has learned with the paper.
#[derive(Debug, Parser)]
#[command(
    name = "salsa",
    version,
    after_help = "\
Examples:
  salsa inspect --algorithm dijkstra --split er_16 --index 3
  salsa train --algorithm bfs
  salsa generate --help"
)]
struct Salsa {
    #[command(subcommand)]
    command: Option<Command>,
}

/// Samples are many small vectors or a few huge ones; this allocator is fast at both.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let matches = command_line().try_get_matches();
    let salsa = match matches.and_then(|matches| Salsa::from_arg_matches(&matches)) {
        Ok(salsa) => salsa,
        Err(error) if error.use_stderr() => {
            eprintln!("{}", failure::usage_line(&error, std::env::args().skip(1)));
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
        Err(Failure::Unfinished(told)) => {
            eprintln!("{told}");
            Failure::Unfinished(told).exit_code()
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
