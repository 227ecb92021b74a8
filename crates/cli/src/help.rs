//! The whole command line, and the help of `salsa` itself, which shows its commands in groups.
//!
//! Clap lists subcommands in one block, so the block is made here, from the commands' own words.

use std::fmt::Write;

use clap::{Command, CommandFactory};

use crate::Salsa;

/// The commands by what one wants.
const GROUPS: &[(&str, &[&str])] = &[
    ("First steps", &["demo", "list"]),
    ("Data sets", &["generate", "convert", "verify", "stats"]),
    ("Single samples", &["inspect", "draw"]),
    ("Graphs of your own", &["execute"]),
    ("Models", &["train", "evaluate", "predict"]),
    ("Experiments", &["sweep", "report", "serve"]),
    ("Measurements", &["bench", "dev"]),
    ("Set up", &["completions", "man"]),
];

/// The whole command line, for parsing, help, completions and manual pages.
pub fn command_line() -> Command {
    let command = numbers_may_be_negative(Salsa::command());
    let groups = groups(&command);
    let header = *command.get_styles().get_header();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// So that -1 is told to be out of range rather than taken for an unknown option.
fn numbers_may_be_negative(command: Command) -> Command {
    command
        .mut_args(|arg| match arg.get_action().takes_values() {
            true => arg.allow_negative_numbers(true),
            false => arg,
        })
        .mut_subcommands(numbers_may_be_negative)
}

fn groups(command: &Command) -> String {
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{header}{group}:{header:#}");
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let (name, about) = (subcommand.get_name(), subcommand.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<11}{literal:#}  {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Salsa::command();
        let mut names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn the_command_line_is_well_formed() {
        command_line().debug_assert();
    }
}
