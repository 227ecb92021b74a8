//! Working on a sweep, watched: what `run` and `worker` share.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use salsa_learn::compute::Compute;
use salsa_sweep::crew::{Done, Observer, Options, Rest, work};
use salsa_sweep::folder::SweepFolder;
use salsa_sweep::plan::Cell;
use salsa_sweep::work::{Event, Failure as CellFailure};

use super::board::Board;
use super::dashboard;
use super::lines;
use crate::commands::train::stop_on_interrupt;
use crate::compute::ComputeArguments;
use crate::failure::Failure;

/// How to work.
#[derive(Debug, Args)]
pub struct CrewArguments {
    /// Work only on cells whose names begin so: dfs,mst-gin,bfs-pgn-release-42
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Cells side by side, which share the threads or the GPU [default: as many as threads, 5 on
    /// a GPU]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Save and stop before so much time is over: 9m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// How long a cell stays with a worker that gives no sign of life
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    lease: Duration,

    /// Try cells again that have failed
    #[arg(long)]
    retry: bool,

    /// Tell the progress in lines, also on a terminal
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    compute: ComputeArguments,
}

/// Networks that a GPU trains at the same time by default: as many as the paper has seeds.
const JOBS_A_GPU: usize = 5;

impl CrewArguments {
    /// Works until nothing is left to do or it is time to stop.
    pub fn work(&self, folder: &SweepFolder, rest: Rest) -> Result<Done, Failure> {
        let started = Instant::now();
        let compute = self.compute.compute()?;
        let cells = folder.plan().cells();
        let unknown = |only: &&String| !cells.iter().any(|cell| cell.name().starts_with(*only));
        if let Some(only) = self.only.iter().find(unknown) {
            return Err(Failure::mistake(format!(
                "--only {only}: no cell of {} is called so; salsa sweep status lists them",
                folder.plan().name()
            )));
        }
        let is_left = |cell: &&Cell| cell.is_one_of(&self.only) && !folder.is_finished(cell);
        let left: Vec<_> = cells.iter().filter(is_left).collect();
        if self.retry {
            for cell in &left {
                CellFailure::forget(folder, cell).map_err(|error| {
                    Failure::writing(&folder.failure(cell).display().to_string(), &error)
                })?;
            }
        }
        let jobs = match self.jobs {
            Some(0) => return Err(Failure::mistake("--jobs: expected at least 1, found 0")),
            Some(jobs) => jobs,
            None => match compute {
                Compute::Cpu { n_threads } => n_threads,
                Compute::Cuda(_) => JOBS_A_GPU,
            },
        };
        let jobs = jobs.min(left.len()).max(1);
        let deadline = self.time_limit.map(|limit| started + limit - margin(limit));
        let stop = stop_on_interrupt()?;
        let lease = self.lease;
        let only = &self.only;
        let options = Options { compute, only, jobs, lease, rest, stop: &stop, deadline };
        let watched = Watched {
            board: Mutex::new(Board::new(folder.plan(), jobs)),
            plain: self.plain || !can_draw(),
        };
        let done = match watched.plain {
            true => work(folder, &options, &watched),
            false => drawn(folder, &options, &watched, &stop)?,
        };
        done.map_err(|error| Failure::System(error.to_string()))
    }
}

/// The crew in the background, the dashboard in front.
fn drawn(
    folder: &SweepFolder,
    options: &Options<'_>,
    watched: &Watched,
    stop: &AtomicBool,
) -> Result<Result<Done, salsa_sweep::crew::CrewError>, Failure> {
    std::thread::scope(|scope| {
        let crew = scope.spawn(|| work(folder, options, watched));
        let shown = dashboard::show(&watched.board, stop, &|| crew.is_finished());
        if shown.is_err() {
            stop.store(true, Ordering::SeqCst);
        }
        let done = crew.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shown.map_err(|error| Failure::System(format!("the terminal: {error}")))?;
        Ok(done)
    })
}

/// What is known of the cells, told in lines or shown by the dashboard.
struct Watched {
    board: Mutex<Board>,
    plain: bool,
}

impl Observer for Watched {
    fn event(&self, cell: usize, event: Event<'_>) {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.apply(cell, &event, Instant::now());
        if let Some(line) = lines::line(&board, cell, &event) {
            match self.plain {
                // Whoever read the lines may be gone; the work goes on.
                true => drop(std::io::Write::write_all(
                    &mut std::io::stderr(),
                    format!("{line}\n").as_bytes(),
                )),
                false => board.tell(line),
            }
        }
    }
}

fn can_draw() -> bool {
    std::io::stderr().is_terminal() && std::io::stdin().is_terminal()
}

/// What saving takes at most: the step or the graph under way has to end.
fn margin(limit: Duration) -> Duration {
    (limit / 10).min(Duration::from_secs(30))
}

/// A hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// A duration as a person writes it.
pub fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() && duration <= LONGEST => Ok(duration),
        _ => Err(format!("expected a time such as 90s, 9m or 1h30m, found {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_leave_time_to_save() {
        assert_eq!(duration("9m"), Ok(Duration::from_secs(540)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert!(duration("0s").is_err() && duration("soon").is_err());
        assert!(duration("101y").is_err() && duration("300000000000y").is_err());
        assert_eq!(margin(Duration::from_secs(540)), Duration::from_secs(30));
        assert_eq!(margin(Duration::from_secs(10)), Duration::from_secs(1));
    }
}
