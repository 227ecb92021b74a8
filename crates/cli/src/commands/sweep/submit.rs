//! `salsa sweep submit`: workers on a cluster.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use salsa_sweep::slurm::{Job, Submitted, submit};

use super::crew::duration;
use super::run::folder_of;
use crate::failure::Failure;
use crate::program::program;

/// Submit workers for a sweep to Slurm, or those that are missing
///
/// Makes the sweep's folder, which all nodes must see, and submits a job array of workers. Each
/// takes cells until none is left; before its time limit or when it is preempted it saves, and
/// begins again. The same command submits what is missing: cells of workers that Slurm says are
/// gone are taken back, and as many workers added as there should be. Without options, those are
/// as they were submitted last.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa sweep submit runs/paper-table1.toml --slurm --workers 16 --cpus 4
  salsa sweep submit runs/paper-table1.toml --slurm --workers 4 --time 4:00:00 \\
      --device cuda --sbatch=--partition=gpu --sbatch=--gres=gpu:1
  salsa sweep submit salsa-sweeps/paper-table1 --slurm
  salsa sweep submit runs/quick.toml --slurm --print")]
pub struct Submit {
    /// A sweep file, or the folder of a sweep to go on with
    #[arg(value_name = "FILE|FOLDER")]
    sweep: PathBuf,

    /// Submit to Slurm
    #[arg(long, required = true)]
    slurm: bool,

    /// The folder to write to [default: salsa-sweeps/NAME]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Workers that there should be; never more than cells to do
    #[arg(long, value_name = "N", default_value_t = 8)]
    workers: usize,

    /// Time limit of a worker, as sbatch takes it: 4:00:00
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// CPUs of a worker [default: 1]
    #[arg(long, value_name = "N")]
    cpus: Option<u32>,

    /// Any other option of sbatch
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,

    /// Where a worker computes: cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,

    /// Cells side by side in a worker [default: as many as its CPUs, 5 on a GPU]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// How long a cell stays with a worker that gives no sign of life [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    lease: Option<Duration>,

    /// Print the job script and submit nothing
    #[arg(long)]
    print: bool,
}

impl Submit {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.workers == 0 || self.cpus == Some(0) {
            return Err(Failure::mistake("--workers and --cpus: expected at least 1, found 0"));
        }
        // The workers of a sweep are found by their name and their number.
        let ours = ["--job-name", "-J", "--array", "-a"];
        if let Some(option) =
            self.sbatch.iter().find(|it| ours.iter().any(|our| it.starts_with(our)))
        {
            return Err(Failure::mistake(format!("--sbatch={option}: that is chosen here")));
        }
        let folder = folder_of(&self.sweep, self.out.as_deref())?;
        let failed = |error: std::io::Error| Failure::System(format!("this program: {error}"));
        let salsa = std::path::absolute(program()).map_err(failed)?;
        if self.print {
            let place = std::path::absolute(folder.path()).map_err(failed)?;
            let text = self.job().script(folder.plan().name(), &salsa, &place);
            return out.write_all(text.as_bytes()).map_err(Failure::output);
        }
        let job = self.has_options().then(|| self.job());
        let submitted = submit(&folder, job.as_ref(), self.workers, &salsa)
            .map_err(|error| Failure::System(error.to_string()))?;
        let Submitted { job, workers, active, open, revoked } = submitted;
        let mut text = match job {
            Some(job) => format!("job {job} with {workers} more workers, {active} were under way"),
            None if open == 0 => "nothing is left to do".to_owned(),
            None => format!("{active} workers are under way, no more are needed"),
        };
        text += &format!("; {open} cells to do");
        if revoked > 0 {
            text += &format!(", {revoked} taken back from workers that are gone");
        }
        writeln!(out, "{text}\nsalsa sweep status {}", folder.path().display())
            .map_err(Failure::output)
    }

    fn has_options(&self) -> bool {
        self.time.is_some()
            || self.cpus.is_some()
            || !self.sbatch.is_empty()
            || self.device.is_some()
            || self.jobs.is_some()
            || self.lease.is_some()
    }

    /// What a worker is, as asked for.
    fn job(&self) -> Job {
        let mut words = vec!["--plain".to_owned()];
        let mut give = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        give("--device", self.device.clone());
        if self.device.as_deref().is_none_or(|device| device == "cpu") {
            give("--threads", Some(self.cpus.unwrap_or(1).to_string()));
        }
        give("--jobs", self.jobs.map(|jobs| jobs.to_string()));
        give("--lease", self.lease.map(|lease| format!("{}ms", lease.as_millis())));
        Job { time: self.time.clone(), cpus: self.cpus, options: self.sbatch.clone(), words }
    }
}
