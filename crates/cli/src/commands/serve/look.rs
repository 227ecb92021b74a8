//! The page of a sweep's folder as it is at this moment.
//!
//! Records never change, so the page is made anew only when there are more of them, and what the
//! player shows only when there are networks of another kind; where cells stand is always new.

use std::sync::{Mutex, PoisonError};

use salsa_report::page::{Episode, Page};
use salsa_report::read::{ReadError, read};
use salsa_report::study::{Entry, Study};
use salsa_sweep::folder::SweepFolder;

use super::live::live;
use crate::failure::Failure;
use crate::page::{Extras, html, page};
use crate::player::{Player, shown};

/// A sweep that is looked at.
pub struct Look {
    sweep: SweepFolder,
    samples: Option<usize>,
    kept: Mutex<Kept>,
}

/// What was made before.
#[derive(Default)]
struct Kept {
    /// The cells that `page` is of.
    cells: Vec<String>,
    page: Option<Page>,
    /// The cells that `episodes` are of.
    played: Vec<String>,
    episodes: Vec<Episode>,
}

impl Look {
    /// At a sweep, with so many samples in the player.
    pub fn new(sweep: SweepFolder, samples: Option<usize>) -> Self {
        Self { sweep, samples, kept: Mutex::default() }
    }

    /// The document.
    pub fn html(&self) -> Result<String, Failure> {
        html(&self.page()?)
    }

    /// Its data.
    pub fn json(&self) -> Result<String, Failure> {
        self.page()?.json().map_err(|error| Failure::System(error.to_string()))
    }

    fn page(&self) -> Result<Page, Failure> {
        let entries = match read(self.sweep.path()) {
            Ok(entries) => entries,
            Err(ReadError::Empty { .. }) => Vec::new(),
            // The folder comes with the first record.
            Err(_) if !self.sweep.records().is_dir() => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let live =
            live(&self.sweep).map_err(|error| Failure::reading(self.sweep.path(), &error))?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut page = kept.page(entries, self.samples, &self.sweep)?;
        if page.overview.sweeps.is_empty() {
            page.title = format!("SALSA results: {}", live.sweep);
        }
        page.live = Some(live);
        Ok(page)
    }
}

impl Kept {
    fn page(
        &mut self,
        entries: Vec<Entry>,
        samples: Option<usize>,
        sweep: &SweepFolder,
    ) -> Result<Page, Failure> {
        let cells: Vec<String> = entries.iter().map(|entry| entry.record.cell.clone()).collect();
        if let Some(page) = &self.page
            && self.cells == cells
        {
            return Ok(page.clone());
        }
        if let Some(samples) = samples {
            let records: Vec<_> = entries.iter().map(|entry| entry.record.clone()).collect();
            let shown: Vec<_> = shown(records.iter()).into_iter().cloned().collect();
            let played: Vec<String> = shown.iter().map(|record| record.cell.clone()).collect();
            if self.played != played {
                let folders = [sweep.path().to_owned()];
                self.episodes = Player { samples, folders: &folders }.episodes(&shown);
                self.played = played;
            }
        }
        let study = Study::new(entries).map_err(Failure::mistake)?;
        let made = Page { episodes: self.episodes.clone(), ..page(&study, &Extras::default())? };
        self.cells = cells;
        Ok(self.page.insert(made).clone())
    }
}
