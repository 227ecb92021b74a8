//! Every `--help`, and what there is to choose from.

use insta::assert_snapshot;
use serde_json::Value;

use crate::salsa::{folder, printed, salsa};

/// Every command, those of `bench` too.
pub const COMMANDS: [&str; 30] = [
    "list",
    "generate",
    "convert",
    "inspect",
    "draw",
    "execute",
    "stats",
    "verify",
    "train",
    "evaluate",
    "predict",
    "sweep",
    "sweep run",
    "sweep worker",
    "sweep submit",
    "sweep status",
    "report",
    "serve",
    "demo",
    "bench",
    "bench generate",
    "bench execution",
    "bench scale",
    "bench train",
    "bench infer",
    "bench scaling",
    "dev",
    "dev parity",
    "completions",
    "man",
];

#[test]
fn help_of_salsa() {
    assert_snapshot!(printed(folder().path(), "--help"));
}

#[test]
fn help_of_every_command() {
    let at = folder();
    for command in COMMANDS {
        let name = format!("help_of_{}", command.replace(' ', "_"));
        assert_snapshot!(name, printed(at.path(), &format!("{command} --help")));
    }
}

#[test]
fn every_help_has_an_example_and_fits_the_terminal() {
    let at = folder();
    for command in [""].iter().chain(&COMMANDS) {
        let help = printed(at.path(), &format!("{command} --help"));
        assert!(help.contains("Example"), "{command}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{command}: {widest:?}");
    }
}

#[test]
fn short_help_and_version() {
    let at = folder();
    assert_snapshot!(printed(at.path(), "-h"));
    let version = printed(at.path(), "--version");
    assert_eq!(version, format!("salsa {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn list_for_people() {
    let at = folder();
    for what in ["algorithms", "generators", "suites"] {
        assert_snapshot!(format!("list_{what}"), printed(at.path(), &format!("list {what}")));
    }
}

#[test]
fn list_for_programs_holds_the_same() {
    let at = folder();
    let all: Value = serde_json::from_str(&printed(at.path(), "list --format json")).unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&all).unwrap());
    let text = printed(at.path(), "list");
    for what in ["algorithms", "generators", "suites"] {
        for entry in all[what].as_array().unwrap() {
            assert!(text.contains(entry["name"].as_str().unwrap()), "{entry}");
        }
    }
}

#[test]
fn help_of_an_unknown_command_is_a_mistake() {
    let run = salsa(folder().path(), "help nope");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "error: unrecognized subcommand 'nope' (see salsa --help)\n");
}
