//! The page of a report, with what a study alone cannot tell: executions and measurements.

use std::path::{Path, PathBuf};

use salsa_records::Record;
use salsa_report::page::Page;
use salsa_report::study::Study;

use crate::commands::scaling_lines;
use crate::failure::Failure;
use crate::player::Player;

/// What is on the page beside tables and plots.
#[derive(Debug, Default)]
pub struct Extras {
    /// Small samples of each algorithm to be played; `None` for no player.
    pub samples: Option<usize>,
    /// Folders where checkpoints may be.
    pub folders: Vec<PathBuf>,
    /// A file of `salsa bench scaling`.
    pub scaling: Option<PathBuf>,
}

/// The page of a study.
pub fn page(study: &Study, extras: &Extras) -> Result<Page, Failure> {
    let mut page = Page::new(study);
    if let Some(file) = &extras.scaling {
        page.scaling = scaling_lines(file)?;
    }
    if let Some(samples) = extras.samples {
        let records: Vec<Record> =
            study.experiments.iter().flat_map(|experiment| experiment.records.clone()).collect();
        page.episodes = Player { samples, folders: &extras.folders }.episodes(&records);
    }
    Ok(page)
}

/// A page as a whole document.
pub fn html(page: &Page) -> Result<String, Failure> {
    page.html().map_err(|error| Failure::System(error.to_string()))
}

/// Opens a file or an address as the system does, and says so if it cannot.
pub fn open_in_browser(what: &Path) -> Result<(), Failure> {
    open::that_detached(what).map_err(|error| {
        Failure::System(format!("{}: it is there, but no browser opens: {error}", what.display()))
    })
}
