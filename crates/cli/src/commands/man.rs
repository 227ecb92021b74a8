//! `salsa man`: manual pages, from the same definition as the help texts.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::files::write_whole;
use crate::help::command_line;

/// Write the manual pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa man --out ~/.local/share/man/man1")]
pub struct Man {
    /// The folder, made if missing
    #[arg(long, value_name = "FOLDER", default_value = "man")]
    out: PathBuf,
}

impl Man {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let mut root = command_line();
        root.build();
        let mut pages = vec![root];
        while let Some(page) = pages.pop() {
            let name = page.get_display_name().unwrap_or(page.get_name()).to_owned();
            let mut text = Vec::new();
            clap_mangen::Man::new(page.clone()).render(&mut text).map_err(Failure::output)?;
            let path = self.out.join(format!("{name}.1"));
            write_whole(&path, &text)?;
            writeln!(out, "{}", path.display()).map_err(Failure::output)?;
            pages.extend(page.get_subcommands().filter(|sub| sub.get_name() != "help").cloned());
        }
        Ok(())
    }
}
