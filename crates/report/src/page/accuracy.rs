//! How good networks are over sizes of graphs: a panel for each algorithm and family.
//!
//! Sizes and families are those in the names of sets, `er_160`; sets with other names have no
//! place on such an axis and stand in the tables only.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rounded::Rounded;
use crate::study::{Experiment, Origin, Study};
use crate::{metric, paper};

/// An algorithm on graphs of one family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panel {
    /// The algorithm.
    pub algorithm: String,
    /// The family, as in the names of sets.
    pub family: String,
    /// Ours.
    pub lines: Vec<PanelLine>,
    /// What others report.
    pub quoted: Vec<Quoted>,
}

/// Networks that differ in their seeds only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Series {
    /// The model.
    pub model: String,
    /// Whether hints were learned.
    pub hints: bool,
    /// How model and data are read.
    pub convention: String,
    /// What else tells them from others; mostly empty.
    pub label: String,
}

/// A metric of networks over sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PanelLine {
    /// Which networks.
    #[serde(flatten)]
    pub series: Series,
    /// What was measured.
    pub metric: String,
    /// By size.
    pub points: Vec<Point>,
}

/// A figure over seeds at one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Nodes of the graphs.
    pub nodes: usize,
    /// Over seeds.
    pub mean: Rounded,
    /// The spread over seeds; `None` for one.
    pub deviation: Option<Rounded>,
    /// How many.
    pub seeds: usize,
}

/// What others report of a model over sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quoted {
    /// The model.
    pub model: String,
    /// What was measured.
    pub metric: String,
    /// Sizes and figures.
    pub points: Vec<(usize, Rounded)>,
}

/// A panel for each algorithm and family, in the order of the study.
pub fn panels(study: &Study) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for experiment in &study.experiments {
        for (family, sizes) in families(experiment) {
            let is_this = |panel: &&mut Panel| {
                panel.algorithm == experiment.algorithm && panel.family == family
            };
            let panel = match panels.iter_mut().find(is_this) {
                Some(panel) => panel,
                None => {
                    let (algorithm, family) = (experiment.algorithm.clone(), family.to_owned());
                    panels.push(Panel { algorithm, family, lines: Vec::new(), quoted: Vec::new() });
                    panels.last_mut().unwrap_or_else(|| unreachable!("it was just added"))
                }
            };
            panel.lines.extend(lines(experiment, &sizes));
            let is_new = |quoted: &Quoted| !panel.quoted.contains(quoted);
            let quoted = quoted(experiment, family).filter(is_new);
            panel.quoted.extend(quoted);
        }
    }
    panels
}

/// Sizes and names of the sets of each family, families in the order of the paper, then by name.
fn families(experiment: &Experiment) -> Vec<(&str, BTreeMap<usize, &str>)> {
    let mut found: BTreeMap<(usize, &str), BTreeMap<usize, &str>> = BTreeMap::new();
    for set in experiment.results() {
        let name = set.result.split.as_str();
        let Some((family, nodes)) = family_and_nodes(name) else { continue };
        let is_it = |split: &str| family_and_nodes(split).is_some_and(|(own, _)| own == family);
        let place = paper::splits().position(is_it).unwrap_or(usize::MAX);
        found.entry((place, family)).or_default().insert(nodes, name);
    }
    found.into_iter().map(|((_, family), sizes)| (family, sizes)).collect()
}

/// A line for each metric.
fn lines(experiment: &Experiment, sizes: &BTreeMap<usize, &str>) -> Vec<PanelLine> {
    let series = Series::of(experiment);
    let line = |metric: &str| {
        let point = |(&nodes, set): (&usize, &&str)| {
            let summary = experiment.measured(set, metric)?.summary;
            let (mean, deviation) = (Rounded(summary.mean), summary.deviation.map(Rounded));
            Some(Point { nodes, mean, deviation, seeds: summary.count })
        };
        let points: Vec<Point> = sizes.iter().filter_map(point).collect();
        let metric = metric.to_owned();
        (!points.is_empty()).then(|| PanelLine { series: series.clone(), metric, points })
    };
    let names: BTreeSet<&str> = metric::ALL.iter().map(|metric| metric.name).collect();
    names.into_iter().filter_map(line).collect()
}

/// What the paper has for the model, at all its sizes.
fn quoted(experiment: &Experiment, family: &str) -> Option<Quoted> {
    let row = paper::row(&experiment.algorithm, &experiment.model)
        .filter(|_| experiment.origin == Origin::Here)?;
    let points = paper::splits().filter_map(|split| {
        let (own, nodes) = family_and_nodes(split)?;
        let figure = row.figure(split).filter(|_| own == family)?;
        Some((nodes, Rounded(figure / 100.0)))
    });
    let points: Vec<_> = points.collect();
    let (model, metric) = (experiment.model.clone(), row.metric.to_owned());
    (!points.is_empty()).then_some(Quoted { model, metric, points })
}

impl Series {
    /// Of an experiment.
    pub fn of(experiment: &Experiment) -> Self {
        Self {
            model: experiment.model.clone(),
            hints: experiment.hints,
            convention: experiment.convention.to_string(),
            label: experiment.label.clone(),
        }
    }
}

/// `er_160` is of family `er` and has 160 nodes.
fn family_and_nodes(set: &str) -> Option<(&str, usize)> {
    let (family, nodes) = set.rsplit_once('_')?;
    let nodes = nodes.parse().ok().filter(|&nodes: &usize| nodes > 0)?;
    (!family.is_empty()).then_some((family, nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_family_and_size() {
        assert_eq!(family_and_nodes("er_160"), Some(("er", 160)));
        assert_eq!(family_and_nodes("barabasi_albert_80"), Some(("barabasi_albert", 80)));
        assert_eq!(family_and_nodes("mine"), None);
        assert_eq!(family_and_nodes("er_0"), None);
        assert_eq!(family_and_nodes("_16"), None);
    }
}
