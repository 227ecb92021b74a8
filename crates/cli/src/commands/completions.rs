//! `salsa completions`: shell completions, from the same definition as the help texts.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::help::command_line;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example: salsa completions bash > ~/.local/share/bash-completion/completions/salsa"
)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command_line(), "salsa", &mut text);
        out.write_all(&text).map_err(Failure::output)
    }
}
