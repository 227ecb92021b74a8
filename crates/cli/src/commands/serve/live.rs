//! What a sweep is at, as the page tells it.

use std::io;

use salsa_report::page::{CellProgress, Live};
use salsa_sweep::folder::SweepFolder;
use salsa_sweep::state::{CellState, CellStatus, Progress, states};

/// Seconds between two looks of a page.
const REFRESH_SECONDS: u64 = 3;

/// How far a sweep has come.
pub fn live(sweep: &SweepFolder) -> io::Result<Live> {
    let all = states(sweep)?;
    let finished = all.iter().filter(|status| status.state == CellState::Finished).count();
    Ok(Live {
        sweep: sweep.plan().name().to_owned(),
        cells: all.len(),
        finished,
        each: all.iter().filter_map(progress_of).collect(),
        refresh_seconds: REFRESH_SECONDS,
    })
}

/// Of what is finished or waiting, the number says enough.
fn progress_of(status: &CellStatus) -> Option<CellProgress> {
    let cell = status.cell.clone();
    match &status.state {
        CellState::Finished | CellState::Waiting => None,
        CellState::Failed { message } => {
            let (told, holder) = (message.clone(), String::new());
            Some(CellProgress { cell, state: "failed", told, holder, done: 0.0, loss: None })
        }
        CellState::Stopped { progress } => Some(told(cell, "stopped", progress, String::new())),
        CellState::Claimed { attempt, holder, progress } => {
            let who = format!("{}:{}, attempt {attempt}", holder.host, holder.process);
            Some(told(cell, "claimed", progress, who))
        }
    }
}

/// The share is that of the epochs, and then of the sets.
fn told(cell: String, state: &'static str, progress: &Progress, holder: String) -> CellProgress {
    let Progress { epochs, of_epochs, sets, of_sets, loss, is_trained } = progress;
    let (told, done) = match is_trained {
        true => {
            let share = *sets as f64 / (*of_sets).max(1) as f64;
            (format!("trained, {sets} of {of_sets} sets"), share)
        }
        false => {
            let share = *epochs as f64 / (*of_epochs).max(1) as f64;
            (format!("epoch {epochs} of {of_epochs}"), share)
        }
    };
    CellProgress { cell, state, told, holder, done, loss: loss.filter(|loss| loss.is_finite()) }
}
