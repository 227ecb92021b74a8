//! The main table: each algorithm by its own metric, as in the paper, without hints.

use super::best::mark_best;
use super::one_metric::{figure, has};
use super::{Kind, circumstances, sets_with, table, unit};
use crate::metric::Metric;
use crate::study::{Experiment, Study};
use crate::{Row, Table};

/// Each algorithm by its own metric.
pub static KIND: Kind = Kind {
    name: "main",
    summary: "each algorithm by its own metric, as in the paper, without hints",
    of,
    shows: |_, experiment, metric| {
        !experiment.hints && experiment.main_metric() == Some(metric) && has(experiment, metric)
    },
};

fn of(study: &Study) -> Table {
    let shown = KIND.by_main_metric(study);
    let columns = sets_with(study, shown.iter().copied());
    let mut table = table(&KIND, "Main results", &["algorithm", "metric", "model"], columns);
    for rivals in shown.chunk_by(|(a, a_metric), (b, b_metric)| {
        (&a.algorithm, a_metric) == (&b.algorithm, b_metric)
    }) {
        let row = |(one, metric): &(&Experiment, Metric)| Row {
            labels: vec![one.algorithm.clone(), metric.short.to_owned(), one.title()],
            cells: table.columns.iter().map(|set| figure(one, set, *metric)).collect(),
        };
        let mut rows: Vec<Row> = rivals.iter().map(row).collect();
        mark_best(&mut rows, rivals[0].1);
        table.rows.extend(rows);
    }
    if !table.rows.is_empty() {
        let experiments: Vec<&Experiment> = shown.iter().map(|(one, _)| *one).collect();
        table.notes.push(unit(shown.iter().map(|(_, metric)| *metric)));
        table.notes.extend(circumstances(study, &experiments));
    }
    table
}
