//! The tables there are, one file each.
//!
//! A new one is a file and a line in [`ALL`].

mod best;
mod circumstances;
mod eccentricity_error;
mod graph_accuracy;
mod hints;
mod main_table;
mod mis_f1;
mod node_accuracy;
mod one_metric;
mod paper;
mod valid;

use std::collections::BTreeSet;

use crate::metric::Metric;
use crate::study::{Experiment, Study};
use crate::{Scale, Table};

pub(crate) use circumstances::circumstances;
pub(crate) use paper::theirs;

/// A table that can be made of a study.
#[derive(Debug)]
pub struct Kind {
    /// Its name, as in [`Table::name`].
    pub name: &'static str,
    /// What it shows, in a few words.
    pub summary: &'static str,
    /// The table; without rows where the study has nothing for it.
    pub of: fn(&Study) -> Table,
    /// Whether figures of an experiment and a metric stand in it.
    pub shows: fn(&Study, &Experiment, Metric) -> bool,
}

/// Every table, in the order in which they are shown.
pub static ALL: &[&Kind] = &[
    &main_table::KIND,
    &node_accuracy::KIND,
    &graph_accuracy::KIND,
    &mis_f1::KIND,
    &eccentricity_error::KIND,
    &valid::KIND,
    &hints::KIND,
    &paper::KIND,
];

impl Kind {
    /// The table of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|kind| kind.name == name)
    }

    /// The experiments in it, each by the metric that stands for its algorithm.
    fn by_main_metric<'a>(&self, study: &'a Study) -> Vec<(&'a Experiment, Metric)> {
        study
            .experiments
            .iter()
            .filter_map(|one| Some((one, one.main_metric()?)))
            .filter(|(one, metric)| (self.shows)(study, one, *metric))
            .collect()
    }
}

/// An empty table of a kind, with a column for each set.
fn table(kind: &Kind, title: &str, labels: &[&str], columns: Vec<String>) -> Table {
    Table {
        name: kind.name.to_owned(),
        title: title.to_owned(),
        notes: Vec::new(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        columns,
        rows: Vec::new(),
    }
}

/// The sets on which any of some experiments has a figure.
fn sets_with<'a>(
    study: &Study,
    shown: impl Iterator<Item = (&'a Experiment, Metric)> + Clone,
) -> Vec<String> {
    let has = |set: &String| {
        shown.clone().any(|(experiment, metric)| experiment.measured(set, metric.name).is_some())
    };
    study.sets().into_iter().filter(has).collect()
}

/// How figures of some metrics are to be read.
fn unit(metrics: impl Iterator<Item = Metric>) -> String {
    let errors: BTreeSet<bool> = metrics.map(|metric| metric.scale == Scale::Number).collect();
    let what = match (errors.contains(&false), errors.contains(&true)) {
        (true, true) => "Percent, and errors as they are, of which small ones are good",
        (false, true) => "Errors, of which small ones are good",
        _ => "Percent",
    };
    format!("{what}; mean over seeds ± their standard deviation.")
}
