//! How good networks are over sizes of graphs: a panel for each algorithm and family.
//!
//! Sizes and families are those in the names of sets, `er_160`; sets with other names have no
//! place on such an axis and stand in the tables only.

use std::collections::{BTreeMap, BTreeSet};

use salsa_records::Record;
use salsa_records::confidence::Summary;
use serde::Serialize;

use super::rounded::Rounded;

/// What others report for an algorithm, a model and a set: the metric and the figure.
pub type Published<'a> = &'a dyn Fn(&str, &str, &str) -> Option<(String, f64)>;

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

type Key = (Series, String);

/// A panel for each algorithm and family, in the order of the records.
pub fn panels(records: &[Record], published: Published<'_>) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    for record in records {
        for set in &record.evaluation {
            let Some((family, _)) = family_and_nodes(&set.result.split) else { continue };
            let is_this =
                |panel: &Panel| panel.algorithm == record.algorithm && panel.family == family;
            if !panels.iter().any(is_this) {
                let (algorithm, family) = (record.algorithm.clone(), family.to_owned());
                panels.push(Panel { algorithm, family, lines: Vec::new(), quoted: Vec::new() });
            }
        }
    }
    for panel in &mut panels {
        panel.fill(records, published);
    }
    // Algorithms stay together where sweeps follow each other.
    let order: Vec<String> = panels.iter().map(|panel| panel.algorithm.clone()).collect();
    let place = |panel: &Panel| order.iter().position(|algorithm| *algorithm == panel.algorithm);
    panels.sort_by_key(place);
    panels
}

impl Panel {
    fn fill(&mut self, records: &[Record], published: Published<'_>) {
        let mut found: BTreeMap<Key, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
        let mut quoted: BTreeMap<(String, String), BTreeSet<(usize, u64)>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.algorithm == self.algorithm) {
            let series = Series {
                model: record.model.clone(),
                hints: record.hints,
                convention: record.convention.to_string(),
            };
            for set in &record.evaluation {
                let name = set.result.split.as_str();
                let Some((family, nodes)) = family_and_nodes(name) else { continue };
                if family != self.family {
                    continue;
                }
                let all = &set.result.all;
                let valid = all.valid.iter().map(|valid| ("valid", valid));
                let metrics = all.metrics.iter().map(|(name, summary)| (name.as_str(), summary));
                for (metric, summary) in metrics.chain(valid) {
                    let line = found.entry((series.clone(), metric.to_owned())).or_default();
                    line.entry(nodes).or_default().push(summary.mean);
                }
                if let Some((metric, figure)) = published(&record.algorithm, &record.model, name) {
                    let line = quoted.entry((record.model.clone(), metric)).or_default();
                    line.insert((nodes, figure.to_bits()));
                }
            }
        }
        let line = |((series, metric), sizes): (Key, BTreeMap<usize, Vec<f64>>)| {
            let points = sizes.into_iter().filter_map(|(nodes, values)| point(nodes, &values));
            PanelLine { series, metric, points: points.collect() }
        };
        self.lines = found.into_iter().map(line).collect();
        let quote = |((model, metric), points): ((String, String), BTreeSet<(usize, u64)>)| {
            let point = |(nodes, bits)| (nodes, Rounded(f64::from_bits(bits)));
            Quoted { model, metric, points: points.into_iter().map(point).collect() }
        };
        self.quoted = quoted.into_iter().map(quote).collect();
    }
}

fn point(nodes: usize, values: &[f64]) -> Option<Point> {
    let Summary { count, mean, deviation, .. } = Summary::of_numbers(values)?;
    Some(Point { nodes, mean: Rounded(mean), deviation: deviation.map(Rounded), seeds: count })
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
