//! The `salsa` command: parses, calls the library, prints.
//!
//! A library, because it is started in two ways: by the binary `salsa`, and by the script of that
//! name which comes with the Python package.

mod arguments;
mod commands;
mod compute;
mod data_sets;
mod describe;
mod failure;
mod files;
mod graph_files;
mod help;
mod json;
mod lines;
mod one_sample;
mod page;
mod player;
mod plot;
mod png;
mod program;
mod progress;
mod results_table;
mod table;
mod trained;
mod written;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

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

/// Does what a command line says and gives its exit code. The first word is the program, which
/// `salsa bench` starts again for measurements in processes of their own, and `salsa sweep submit`
/// on a cluster.
pub fn run(words: Vec<OsString>) -> u8 {
    if let Some(program) = words.first() {
        program::started_as(program);
    }
    let matches = command_line().try_get_matches_from(&words);
    let salsa = match matches.and_then(|matches| Salsa::from_arg_matches(&matches)) {
        Ok(salsa) => salsa,
        Err(error) if error.use_stderr() => {
            let words = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
            eprintln!("{}", failure::usage_line(&error, words));
            return 2;
        }
        Err(help) => {
            // Help and version go to the standard output; a closed one is nobody's mistake.
            let _ = help.print();
            return 0;
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let done = salsa.command.unwrap_or_default().run(&mut out);
    match done.and_then(|()| out.flush().map_err(Failure::output)) {
        Ok(()) | Err(Failure::ClosedOutput) => 0,
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
