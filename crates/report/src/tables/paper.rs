//! Ours beside the paper's Table 1, and whether they differ by more than noise.

use salsa_records::confidence::Summary;

use super::one_metric::{figure, has};
use super::{Kind, circumstances, table, unit};
use crate::metric::Metric;
use crate::noise::within_noise_of_paper;
use crate::paper;
use crate::study::{Experiment, Study};
use crate::{Cell, Difference, Figure, Row, Table};

/// Ours beside the paper's.
pub static KIND: Kind = Kind {
    name: "paper",
    summary: "ours beside the paper's Table 1, with the difference",
    of,
    shows: |_, experiment, metric| {
        !experiment.hints
            && has(experiment, metric)
            && paper::row(&experiment.algorithm, &experiment.model)
                .is_some_and(|row| row.metric == metric.name)
    },
};

/// The paper's mean for an experiment, as a share.
pub(crate) fn theirs(experiment: &Experiment, set: &str, metric: Metric) -> Option<f64> {
    let row = paper::row(&experiment.algorithm, &experiment.model)?;
    let is_comparable = !experiment.hints && row.metric == metric.name;
    // The nearest number to what is printed; a division would miss it.
    row.figure(set).filter(|_| is_comparable).map(|percent| (10.0 * percent).round() / 1000.0)
}

fn of(study: &Study) -> Table {
    let shown = KIND.by_main_metric(study);
    let is_compared = |set: &String| {
        shown.iter().any(|(one, metric)| {
            theirs(one, set, *metric).is_some() && one.measured(set, metric.name).is_some()
        })
    };
    let columns = study.sets().into_iter().filter(is_compared).collect();
    let labels = ["algorithm", "metric", "model", "of"];
    let mut table = table(&KIND, "Ours beside the paper's", &labels, columns);
    for (one, metric) in &shown {
        let row = |of: &str, cell: &dyn Fn(&String) -> Cell| Row {
            labels: vec![
                one.algorithm.clone(),
                metric.short.to_owned(),
                one.title(),
                of.to_owned(),
            ],
            cells: table.columns.iter().map(cell).collect(),
        };
        let rows = [
            row("ours", &|set| figure(one, set, *metric)),
            row("paper", &|set| of_paper(one, set, *metric)),
            row("difference", &|set| difference(one, set, *metric)),
        ];
        table.rows.extend(rows);
    }
    if !table.rows.is_empty() {
        let experiments: Vec<&Experiment> = shown.iter().map(|(one, _)| *one).collect();
        table.notes.push(unit(shown.iter().map(|(_, metric)| *metric)));
        table.notes.push(counted(&table));
        table.notes.push(RULE.to_owned());
        table.notes.extend(circumstances(study, &experiments));
    }
    table
}

const RULE: &str = "The paper tells means of five runs and no spread, so its runs are taken to \
    scatter as ours: with n seeds of deviation s, and m graphs of deviation g, noise is \
    sqrt(t²s²(1/n + 1/5) + z²g²(1/m + 1/1000)) at 95%, and half of the last printed digit. One \
    seed has no s: what the rest explains is noise, and more remains unknown. Two or three seeds \
    tell s badly, and t makes up for it: much is within the noise then.";

fn of_paper(experiment: &Experiment, set: &str, metric: Metric) -> Cell {
    match theirs(experiment, set, metric) {
        Some(mean) => Cell::Figure(Figure {
            summary: Summary { count: paper::SEEDS, mean, deviation: None, interval: None },
            scale: metric.scale,
            best: false,
        }),
        None => Cell::Missing,
    }
}

fn difference(experiment: &Experiment, set: &str, metric: Metric) -> Cell {
    match (experiment.measured(set, metric.name), theirs(experiment, set, metric)) {
        (Some(ours), Some(theirs)) => Cell::Difference(Difference {
            ours: ours.summary,
            theirs,
            scale: metric.scale,
            within_noise: within_noise_of_paper(&ours, theirs),
        }),
        _ => Cell::Missing,
    }
}

/// How many differences are noise.
fn counted(table: &Table) -> String {
    let count = |within_noise: Option<bool>| {
        let cells = table.rows.iter().flat_map(|row| &row.cells);
        let is_so = |cell: &&Cell| match cell {
            Cell::Difference(difference) => difference.within_noise == within_noise,
            _ => false,
        };
        cells.filter(is_so).count()
    };
    let (within, beyond, unknown) = (count(Some(true)), count(Some(false)), count(None));
    format!(
        "Of {} differences {within} are within the noise, {beyond} beyond it (*), and {unknown} \
         unknown (?).",
        within + beyond + unknown
    )
}
