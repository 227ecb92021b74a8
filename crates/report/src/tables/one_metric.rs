//! Tables of one metric: an experiment a row, a set a column.

use super::best::mark_best;
use super::{Kind, circumstances, sets_with, table, unit};
use crate::metric::Metric;
use crate::study::{Experiment, Study};
use crate::{Cell, Figure, Row, Table};

/// The table of a metric, of all experiments that a kind shows.
pub fn one_metric(kind: &Kind, study: &Study, title: &str, metric: Metric) -> Table {
    let shown = || study.experiments.iter().filter(|one| (kind.shows)(study, one, metric));
    let columns = sets_with(study, shown().map(|one| (one, metric)));
    let mut table = table(kind, title, &["algorithm", "model"], columns);
    let experiments: Vec<&Experiment> = shown().collect();
    for rivals in experiments.chunk_by(|a, b| a.algorithm == b.algorithm) {
        let row = |one: &&Experiment| Row {
            labels: vec![one.algorithm.clone(), one.title()],
            cells: table.columns.iter().map(|set| figure(one, set, metric)).collect(),
        };
        let mut rows: Vec<Row> = rivals.iter().map(row).collect();
        mark_best(&mut rows, metric);
        table.rows.extend(rows);
    }
    if table.rows.is_empty() {
        return table;
    }
    table.notes.push(unit(std::iter::once(metric)));
    if experiments.iter().any(|one| one.hints) {
        table.notes.push("(H): trained with hints.".to_owned());
    }
    table.notes.extend(circumstances(study, &experiments));
    table
}

/// The figure of an experiment on a set.
pub fn figure(experiment: &Experiment, set: &str, metric: Metric) -> Cell {
    match experiment.measured(set, metric.name) {
        Some(measured) => {
            let (summary, scale) = (measured.summary, metric.scale);
            Cell::Figure(Figure { summary, scale, best: false })
        }
        None => Cell::Missing,
    }
}

/// Whether an experiment has a metric anywhere.
pub fn has(experiment: &Experiment, metric: Metric) -> bool {
    experiment.results().any(|set| set.result.all.summary(metric.name).is_some())
}
