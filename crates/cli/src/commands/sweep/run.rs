//! `salsa sweep run`: a whole sweep on this machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_sweep::crew::{Done, Rest};
use salsa_sweep::folder::SweepFolder;
use salsa_sweep::plan::Plan;

use super::crew::CrewArguments;
use crate::failure::Failure;

/// Do everything a sweep file asks for
///
/// Every cell (an algorithm, a model, with or without hints, a seed, a convention) is trained and
/// its best weights are evaluated; its record is then a file in records/. Cells run side by side,
/// each as it would alone. Ctrl-C, q or the time limit saves and stops; the same command goes on,
/// also after a crash, and never does a finished cell again. The folder can be moved to another
/// machine and continued there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa sweep run runs/quick.toml
  salsa sweep run runs/paper-table1.toml --device cuda --time-limit 9m
  salsa sweep run salsa-sweeps/paper-table1")]
pub struct Run {
    /// A sweep file, or the folder of a sweep to go on with
    #[arg(value_name = "FILE|FOLDER")]
    sweep: PathBuf,

    /// The folder to write to [default: salsa-sweeps/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    crew: CrewArguments,
}

impl Run {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let folder = folder_of(&self.sweep, self.out.as_deref())?;
        let done = self.crew.work(&folder, Rest::Wait)?;
        tell(out, &folder, &done, "run")
    }
}

/// The folder of a sweep, made from its file if that is given.
pub fn folder_of(sweep: &Path, out: Option<&Path>) -> Result<SweepFolder, Failure> {
    if sweep.is_dir() {
        return match out {
            Some(_) => Err(Failure::mistake(format!(
                "--out: {} is the folder of a sweep already",
                sweep.display()
            ))),
            None => Ok(SweepFolder::open(sweep)?),
        };
    }
    let plan = Plan::load(sweep)?;
    let path = out.map_or_else(|| Path::new("salsa-sweeps").join(plan.name()), Path::to_owned);
    Ok(SweepFolder::create(&path, plan)?)
}

/// How far the sweep has come, and what to do next.
pub fn tell(
    out: &mut impl Write,
    folder: &SweepFolder,
    done: &Done,
    command: &str,
) -> Result<(), Failure> {
    let (path, all) = (folder.path().display(), folder.plan().cells().len());
    let finished = all - done.left;
    let mut text = format!("{}: {finished} of {all} cells finished", folder.plan().name());
    if done.failed > 0 {
        text += &format!(", {} failed (salsa sweep status {path})", done.failed);
    }
    writeln!(out, "{text}").map_err(Failure::output)?;
    match done.left - done.failed {
        0 if done.failed == 0 => writeln!(out, "records: {}", folder.records().display()),
        0 => writeln!(out, "salsa sweep {command} {path} --retry"),
        _ => writeln!(out, "salsa sweep {command} {path}"),
    }
    .map_err(Failure::output)?;
    match done.failed {
        0 => Ok(()),
        1 => Err(Failure::System("a cell failed".to_owned())),
        failed => Err(Failure::System(format!("{failed} cells failed"))),
    }
}
