//! `salsa sweep status`: how far a sweep has come.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_sweep::folder::SweepFolder;
use salsa_sweep::slurm::{Tasks, jobs};
use salsa_sweep::state::{CellState, CellStatus, Progress, states};
use serde::Serialize;

use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::table::table;

/// Tell how far a sweep has come
///
/// Reads the sweep's folder, so it can be asked anywhere and at any time. Where workers were
/// submitted to Slurm, it is asked how they are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa sweep status salsa-sweeps/quick
  salsa sweep status salsa-sweeps/quick --format json")]
pub struct Status {
    /// The folder of a sweep
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What is printed for programs.
#[derive(Debug, Serialize)]
struct Told<'a> {
    sweep: &'a str,
    cells: usize,
    finished: usize,
    claimed: usize,
    stopped: usize,
    waiting: usize,
    failed: usize,
    /// Jobs that were submitted, and what Slurm says of their tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    slurm: Option<Slurm>,
    each: Vec<CellStatus>,
}

#[derive(Debug, Serialize)]
struct Slurm {
    jobs: Vec<String>,
    tasks: Tasks,
    /// Why it could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Status {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let folder = SweepFolder::open(&self.folder)?;
        let each = states(&folder).map_err(|error| Failure::reading(folder.path(), &error))?;
        let count = |is_so: fn(&CellState) -> bool| {
            each.iter().filter(|status| is_so(&status.state)).count()
        };
        let told = Told {
            sweep: folder.plan().name(),
            cells: each.len(),
            finished: count(|state| *state == CellState::Finished),
            claimed: count(|state| matches!(state, CellState::Claimed { .. })),
            stopped: count(|state| matches!(state, CellState::Stopped { .. })),
            waiting: count(|state| *state == CellState::Waiting),
            failed: count(|state| matches!(state, CellState::Failed { .. })),
            slurm: Slurm::of(&folder)?,
            each,
        };
        match self.format {
            Format::Json => print_json(out, &told),
            Format::Text => writeln!(out, "{}", told.text()).map_err(Failure::output),
        }
    }
}

impl Told<'_> {
    fn text(&self) -> String {
        let mut text =
            format!("{}: {} of {} cells finished", self.sweep, self.finished, self.cells);
        let others = [
            (self.claimed, "claimed"),
            (self.stopped, "stopped"),
            (self.waiting, "waiting"),
            (self.failed, "failed"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            text += &format!(", {count} {what}");
        }
        if let Some(slurm) = &self.slurm {
            text += &slurm.text(self.claimed + self.stopped + self.waiting > 0);
        }
        let slurm = self.slurm.as_ref().filter(|slurm| slurm.problem.is_none());
        let row = |status| row(status, slurm);
        let rows: Vec<[String; 4]> = self.each.iter().filter_map(row).collect();
        if !rows.is_empty() {
            text += "\n\n";
            text += &table(["cell", "state", "progress", "who"], 4, rows);
        }
        text
    }
}

/// Of what is finished or waiting, the number says enough.
fn row(status: &CellStatus, slurm: Option<&Slurm>) -> Option<[String; 4]> {
    let (state, progress, who) = match &status.state {
        CellState::Finished | CellState::Waiting => return None,
        CellState::Failed { message } => ("failed", message.clone(), String::new()),
        CellState::Stopped { progress } => ("stopped", reached(progress), String::new()),
        CellState::Claimed { attempt, holder, progress } => {
            let job = holder.job.as_ref().map_or(String::new(), |job| format!(", job {job}"));
            let who = format!("{}:{}{job}, attempt {attempt}", holder.host, holder.process);
            let is_gone = match (slurm, &holder.job) {
                (Some(slurm), Some(job)) => slurm.tasks.is_gone(&slurm.jobs, job),
                _ => false,
            };
            (if is_gone { "lost" } else { "claimed" }, reached(progress), who)
        }
    };
    Some([status.cell.clone(), state.to_owned(), progress, who])
}

impl Slurm {
    /// What there is to say of a sweep that was submitted.
    fn of(folder: &SweepFolder) -> Result<Option<Self>, Failure> {
        let jobs = jobs(folder).map_err(|error| Failure::reading(&folder.slurm(), &error))?;
        if jobs.is_empty() {
            return Ok(None);
        }
        let (tasks, problem) = match Tasks::ask(folder.plan().name(), &jobs) {
            Ok(tasks) => (tasks, None),
            Err(error) => (Tasks::default(), Some(error.to_string())),
        };
        Ok(Some(Self { jobs, tasks, problem }))
    }

    fn text(&self, has_work: bool) -> String {
        if let Some(problem) = &self.problem {
            return format!("\nSlurm jobs {}: {problem}", self.jobs.join(", "));
        }
        let counts: Vec<String> = self
            .tasks
            .counts()
            .into_iter()
            .map(|(state, count)| format!("{count} {}", state.to_lowercase()))
            .collect();
        let counts = if counts.is_empty() { "all over".to_owned() } else { counts.join(", ") };
        let hint = match has_work && self.tasks.n_active() == 0 {
            true => "; nobody is at work, submit again",
            false => "",
        };
        format!("\nSlurm jobs {}: {counts}{hint}", self.jobs.join(", "))
    }
}

fn reached(progress: &Progress) -> String {
    let Progress { epochs, of_epochs, sets, of_sets, .. } = progress;
    match progress.is_trained {
        true => format!("trained, {sets} of {of_sets} sets"),
        false => format!("epoch {epochs} of {of_epochs}"),
    }
}
