//! Submitting workers: as many as are missing.

use std::io;
use std::path::Path;

use super::{Job, SlurmError, Tasks, output};
use crate::claim::{ClaimState, Holder, take_next};
use crate::folder::SweepFolder;
use crate::state::{CellState, states};
use salsa_traces::files::write_whole;

/// What a submission did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The job, if one was needed.
    pub job: Option<String>,
    /// Workers in it.
    pub workers: usize,
    /// Workers that were under way before.
    pub active: usize,
    /// Cells that are to be done.
    pub open: usize,
    /// Cells that were taken back from workers which Slurm says are gone.
    pub revoked: usize,
}

const SCRIPT: &str = "job.sh";

/// Submits workers until there are `wanted`, or as many as cells. Without a `job`, they are as in
/// the last submission, or plain.
pub fn submit(
    folder: &SweepFolder,
    job: Option<&Job>,
    wanted: usize,
    salsa: &Path,
) -> Result<Submitted, SlurmError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| SlurmError::File { path, error }
    };
    let place = std::path::absolute(folder.path()).map_err(failed(folder.path()))?;
    let script = place.join("slurm").join(SCRIPT);
    let text = match (job, std::fs::read_to_string(&script)) {
        (None, Ok(last)) => last,
        (job, _) => job.cloned().unwrap_or_default().script(folder.plan().name(), salsa, &place),
    };
    let jobs = jobs(folder).map_err(failed(&place))?;
    let tasks = Tasks::ask(folder.plan().name(), &jobs)?;
    let revoked = revoke(folder, &jobs, &tasks).map_err(failed(&place))?;
    let is_open =
        |state: &CellState| !matches!(state, CellState::Finished | CellState::Failed { .. });
    let all = states(folder).map_err(failed(&place))?;
    let open = all.iter().filter(|cell| is_open(&cell.state)).count();
    let active = tasks.n_active();
    let workers = wanted.min(open).saturating_sub(active);
    let mut submitted = Submitted { job: None, workers, active, open, revoked };
    if workers > 0 {
        write_whole(&script, text.as_bytes()).map_err(failed(&script))?;
        let array = format!("--array=0-{}", workers - 1);
        let told = output("sbatch", &["--parsable", &array, &script.display().to_string()])?;
        // `17` or `17;cluster`
        let job = told.trim().split(';').next().unwrap_or_default().to_owned();
        let kept = place.join("slurm").join(format!("{job}.job"));
        write_whole(&kept, format!("{workers}\n").as_bytes()).map_err(failed(&kept))?;
        submitted.job = Some(job);
    }
    Ok(submitted)
}

/// The jobs that were submitted for a sweep.
pub fn jobs(folder: &SweepFolder) -> io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(folder.slurm()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut jobs = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(job) = name.to_str().and_then(|name| name.strip_suffix(".job")) {
            jobs.push(job.to_owned());
        }
    }
    jobs.sort();
    Ok(jobs)
}

/// Takes cells back from workers that are gone, so that nobody has to wait for their leases.
fn revoke(folder: &SweepFolder, jobs: &[String], tasks: &Tasks) -> io::Result<usize> {
    let (mut count, here) = (0, Holder::this());
    for (cell, status) in folder.plan().cells().iter().zip(states(folder)?) {
        if let CellState::Claimed { attempt, holder: Holder { job: Some(job), .. }, .. } =
            status.state
            && tasks.is_gone(jobs, &job)
        {
            let claims = folder.claims(cell);
            let taken = take_next(&claims, attempt + 1, &here, ClaimState::Released)?;
            count += usize::from(taken.is_some());
        }
    }
    Ok(count)
}
