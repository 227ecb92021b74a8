//! What hints help: the same training with and without them, and the difference.

use super::one_metric::{figure, has};
use super::{Kind, circumstances, sets_with, table, unit};
use crate::metric::Metric;
use crate::noise::within_noise;
use crate::study::{Experiment, Study};
use crate::{Cell, Difference, Row, Table};

/// Hints against none.
pub static KIND: Kind = Kind {
    name: "hints",
    summary: "the same trainings with and without hints, and the difference",
    of,
    shows: |study, experiment, metric| {
        experiment.main_metric() == Some(metric)
            && has(experiment, metric)
            && study.experiments.iter().any(|other| experiment.differs_in_hints_only(other))
    },
};

fn of(study: &Study) -> Table {
    let with_hints = study.experiments.iter().filter(|one| one.hints);
    let pairs: Vec<(&Experiment, &Experiment, Metric)> = with_hints
        .filter_map(|with| {
            let metric = with.main_metric().filter(|metric| has(with, *metric))?;
            let mut others = study.experiments.iter();
            Some((others.find(|other| with.differs_in_hints_only(other))?, with, metric))
        })
        .filter(|(without, _, metric)| has(without, *metric))
        .collect();
    let shown =
        pairs.iter().flat_map(|(without, with, metric)| [(*without, *metric), (*with, *metric)]);
    let columns = sets_with(study, shown.clone());
    let labels = ["algorithm", "metric", "model", "hints"];
    let mut table = table(&KIND, "Hints against none", &labels, columns);
    for (without, with, metric) in &pairs {
        let row = |hints: &str, cell: &dyn Fn(&String) -> Cell| Row {
            labels: vec![
                without.algorithm.clone(),
                metric.short.to_owned(),
                without.title(),
                hints.to_owned(),
            ],
            cells: table.columns.iter().map(cell).collect(),
        };
        let rows = [
            row("no", &|set| figure(without, set, *metric)),
            row("yes", &|set| figure(with, set, *metric)),
            row("difference", &|set| difference(without, with, set, *metric)),
        ];
        table.rows.extend(rows);
    }
    if !table.rows.is_empty() {
        let experiments: Vec<&Experiment> = shown.clone().map(|(one, _)| one).collect();
        table.notes.push(unit(shown.map(|(_, metric)| metric)));
        table.notes.push(
            "Differences marked * are beyond the noise: Student's test of both sets of seeds at \
             95%. Those marked ? have too few seeds to say."
                .to_owned(),
        );
        table.notes.extend(circumstances(study, &experiments));
    }
    table
}

fn difference(without: &Experiment, with: &Experiment, set: &str, metric: Metric) -> Cell {
    let (before, after) = (without.measured(set, metric.name), with.measured(set, metric.name));
    match (before, after) {
        (Some(before), Some(after)) => Cell::Difference(Difference {
            ours: after.summary,
            theirs: before.summary.mean,
            scale: metric.scale,
            within_noise: within_noise(&before.summary, &after.summary),
        }),
        _ => Cell::Missing,
    }
}
