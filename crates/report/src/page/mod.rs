//! One page for browsers, in one file that needs nothing else.
//!
//! A [`Page`] is data; [`Page::html`] puts it as JSON into a document whose styles and scripts are
//! inside it. The scripts draw everything, so that `salsa serve` can give them new data while
//! somebody looks. Sections without data are not shown.

mod accuracy;
mod curve;
mod document;
mod live;
mod overview;
mod rounded;
mod scaling;
mod scripts;
mod trajectory;

#[cfg(test)]
mod tests;

use salsa_records::Record;
use serde::Serialize;

pub use accuracy::{Panel, PanelLine, Point, Quoted, Series};
pub use curve::Curve;
pub use live::{CellProgress, Live};
pub use overview::Overview;
pub use rounded::Rounded;
pub use scaling::{ScalingLine, ScalingPoint};
pub use trajectory::{Answer, Changes, Drawing, Episode, Judgement, Place, Quantity, Track};

use crate::study::Study;
use crate::{Table, tables};

/// Everything the page shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// What it is about.
    pub overview: Overview,
    /// Its tables, in order.
    pub tables: Vec<Table>,
    /// How good networks are over sizes of graphs.
    pub accuracy: Vec<Panel>,
    /// How they were trained.
    pub curves: Vec<Curve>,
    /// How time and memory grow with graphs.
    pub scaling: Vec<ScalingLine>,
    /// Executions to be played.
    pub episodes: Vec<Episode>,
    /// How far a sweep has come that is still going on.
    pub live: Option<Live>,
}

impl Page {
    /// What records show; the rest may be added.
    pub fn new(study: &Study) -> Self {
        let records: Vec<&Record> =
            study.experiments.iter().flat_map(|experiment| &experiment.records).collect();
        let overview = Overview::of(&records);
        let tables = tables::ALL.iter().map(|kind| (kind.of)(study));
        let curves = study.experiments.iter().flat_map(|experiment| {
            let series = Series::of(experiment);
            experiment.records.iter().filter_map(move |record| Curve::of(&series, record))
        });
        let title = match overview.sweeps.is_empty() {
            true => "SALSA results".to_owned(),
            false => format!("SALSA results: {}", overview.sweeps.join(", ")),
        };
        Self {
            title,
            overview,
            tables: tables.filter(|table| !table.rows.is_empty()).collect(),
            accuracy: accuracy::panels(study),
            curves: curves.collect(),
            scaling: Vec::new(),
            episodes: Vec::new(),
            live: None,
        }
    }

    /// The data alone, as the scripts read it.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The whole document.
    pub fn html(&self) -> serde_json::Result<String> {
        Ok(document::document(self, &self.json()?))
    }
}
