//! Figures as CSV, one a line, for programs that make tables and plots of their own.

use crate::metric::{self, Metric};
use crate::noise::within_noise_of_paper;
use crate::study::{Experiment, Origin, Study};
use crate::tables::{Kind, theirs};

const COLUMNS: [&str; 17] = [
    "algorithm",
    "model",
    "hints",
    "convention",
    "origin",
    "settings",
    "set",
    "metric",
    "seeds",
    "graphs",
    "mean",
    "deviation",
    "low",
    "high",
    "paper",
    "difference",
    "within_noise",
];

/// The figures of a study, all of them or those that a table shows; shares are from 0 to 1.
///
/// `settings` says what tells an experiment from others of the same name, `graphs` is the fewest
/// that a seed was evaluated on, `low` and `high` are the 95% interval of the mean over seeds.
/// What is not known is left empty.
pub fn figures(study: &Study, kind: Option<&Kind>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let sets = study.sets();
    for experiment in &study.experiments {
        for metric in metric::ALL {
            if kind.is_some_and(|kind| !(kind.shows)(study, experiment, metric)) {
                continue;
            }
            for line in sets.iter().filter_map(|set| figure(experiment, set, metric)) {
                writer.write_record(line)?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn figure(experiment: &Experiment, set: &str, metric: Metric) -> Option<[String; COLUMNS.len()]> {
    let measured = experiment.measured(set, metric.name)?;
    let summary = measured.summary;
    let paper = theirs(experiment, set, metric);
    let or_empty = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let graphs = match measured.graphs.0 {
        0 => String::new(),
        graphs => graphs.to_string(),
    };
    let within_noise = paper.and_then(|theirs| within_noise_of_paper(&measured, theirs));
    Some([
        experiment.algorithm.clone(),
        experiment.model.clone(),
        experiment.hints.to_string(),
        experiment.convention.to_string(),
        match experiment.origin {
            Origin::Here => "here".to_owned(),
            Origin::Elsewhere => "elsewhere".to_owned(),
        },
        experiment.label.clone(),
        set.to_owned(),
        metric.name.to_owned(),
        summary.count.to_string(),
        graphs,
        summary.mean.to_string(),
        or_empty(summary.deviation),
        or_empty(summary.interval.map(|interval| interval.low)),
        or_empty(summary.interval.map(|interval| interval.high)),
        or_empty(paper),
        or_empty(paper.map(|theirs| summary.mean - theirs)),
        within_noise.map_or(String::new(), |within| within.to_string()),
    ])
}
