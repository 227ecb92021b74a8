//! `salsa sweep worker`: takes cells of a sweep until none is left, for any scheduler.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_sweep::crew::Rest;

use super::crew::CrewArguments;
use super::run::{folder_of, tell};
use crate::failure::Failure;

/// Work on a sweep beside others, on one machine or many
///
/// Start as many workers as you like on any machines that share the folder. Each takes a cell
/// that nobody works on, finishes it and takes the next; when one dies, others take its cells
/// over. A worker ends with exit code 0 when nothing is left for it to do, 75 when it was stopped
/// (by a signal or its time limit) and should be started again, 1 when something failed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa sweep worker /shared/paper-table1
  salsa sweep worker /shared/paper-table1 --device cuda --time-limit 3h50m")]
pub struct Worker {
    /// The folder of a sweep, or a sweep file
    #[arg(value_name = "FILE|FOLDER")]
    sweep: PathBuf,

    /// The folder of a sweep file [default: salsa-sweeps/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    crew: CrewArguments,
}

impl Worker {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let folder = folder_of(&self.sweep, self.out.as_deref())?;
        let done = self.crew.work(&folder, Rest::Leave)?;
        let told = tell(out, &folder, &done, "worker");
        match done.stopped {
            // Whoever starts it again must hear so, whatever else happened.
            true => Err(Failure::stopped()),
            false => told,
        }
    }
}
