//! How far a sweep has come, cell by cell, as its folder tells.

use std::io;

use salsa_learn::training::Folder;
use salsa_learn::training::log::{Record, RunLog, json_lines};
use serde::Serialize;

use crate::claim::{ClaimState, Content, Holder, current};
use crate::folder::SweepFolder;
use crate::plan::Cell;
use crate::work::Failure;

/// Where a cell stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CellState {
    /// It has its record.
    Finished,
    /// It cannot be done.
    Failed {
        /// Why.
        message: String,
    },
    /// Somebody holds it; whether they are alive, only time or their scheduler can tell.
    Claimed {
        /// The number of the claim.
        attempt: u64,
        /// Who.
        holder: Holder,
        /// How far they have come.
        progress: Progress,
    },
    /// It was begun, and nobody holds it.
    Stopped {
        /// How far it has come.
        progress: Progress,
    },
    /// Nobody has begun it.
    Waiting,
}

/// How far a cell has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Progress {
    /// Epochs that are over.
    pub epochs: u64,
    /// Epochs at most.
    pub of_epochs: u64,
    /// The last training loss.
    pub loss: Option<f64>,
    /// Whether training is over.
    pub is_trained: bool,
    /// Sets that are evaluated.
    pub sets: usize,
    /// Sets to evaluate.
    pub of_sets: usize,
}

/// A cell and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellStatus {
    /// Its name.
    pub cell: String,
    /// Where it stands.
    #[serde(flatten)]
    pub state: CellState,
}

/// Where every cell stands.
pub fn states(folder: &SweepFolder) -> io::Result<Vec<CellStatus>> {
    let cells = folder.plan().cells().iter();
    cells
        .map(|cell| Ok(CellStatus { cell: cell.name().to_owned(), state: state(folder, cell)? }))
        .collect()
}

fn state(folder: &SweepFolder, cell: &Cell) -> io::Result<CellState> {
    if folder.is_finished(cell) {
        return Ok(CellState::Finished);
    }
    if let Some(Failure { message, .. }) = Failure::read(folder, cell) {
        return Ok(CellState::Failed { message });
    }
    let claim = current(&folder.claims(cell))?;
    let progress = || progress(folder, cell);
    let content = claim.map(|(attempt, bytes)| (attempt, Content::parse(&bytes)));
    Ok(match content {
        Some((attempt, Some(Content { state: ClaimState::Held, holder, .. }))) => {
            CellState::Claimed { attempt, holder, progress: progress() }
        }
        _ if folder.work(cell).is_dir() => CellState::Stopped { progress: progress() },
        _ => CellState::Waiting,
    })
}

/// What the files of the latest attempt tell; where they are being written, as much as can be
/// read.
fn progress(folder: &SweepFolder, cell: &Cell) -> Progress {
    let mut progress = Progress {
        of_epochs: cell.run().training.epochs,
        of_sets: cell.sets().len(),
        ..Progress::default()
    };
    let entries = std::fs::read_dir(folder.work(cell)).into_iter().flatten().flatten();
    let latest = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok()).max();
    let Some(latest) = latest else { return progress };
    let place = folder.work(cell).join(latest.to_string());
    let records = json_lines::read(&place.join(RunLog::FILE)).unwrap_or_default();
    for record in records {
        if let Record::Epoch(summary) = record {
            progress.epochs = summary.epoch + 1;
            progress.loss = Some(summary.train.total);
        }
    }
    let has = |name: &str| place.join(name).exists();
    progress.is_trained = has("trained.json") && Folder::new(&place).best().exists();
    let is_done = |set: &&crate::plan::EvaluationSet| has(&format!("result-{}.json", set.split));
    progress.sets = cell.sets().iter().filter(is_done).count();
    progress
}
