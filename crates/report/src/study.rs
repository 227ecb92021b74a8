//! Records put together: which of them are seeds of one experiment, and what a figure is over them.
//!
//! Records are seeds of one experiment when all else that was asked for is the same: algorithm,
//! model, hints, convention and every setting. What differs in a setting is another experiment and
//! gets a row of its own, with words that say what differs. A seed may be told by several records
//! with different sets, as those from elsewhere often are; the same set twice is left out where
//! the figures are the same, and refused where they are not. The order of records decides nothing.

mod settings;

use std::collections::{BTreeMap, BTreeSet};

use salsa_records::confidence::Summary;
use salsa_records::{Record, SetResult};
use salsa_traces::convention::Convention;
use serde::Serialize;
use thiserror::Error;

use crate::metric::Metric;
use crate::paper;
use settings::{Settings, name_differences};

/// A record and where it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// Its file and line, or its folder.
    pub from: String,
}

/// Everything there is to report.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its experiments, in the order in which they are shown.
    pub experiments: Vec<Experiment>,
    /// What was left out and why, a sentence each.
    pub notes: Vec<String>,
}

/// Some seeds of the same work.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// The algorithm.
    pub algorithm: String,
    /// The model, by its name in records.
    pub model: String,
    /// Whether the states between input and output were learned.
    pub hints: bool,
    /// How model and data are read.
    pub convention: Convention,
    /// Where it was done.
    pub origin: Origin,
    /// What tells it from others of the same algorithm, model, hints and convention; else empty.
    pub label: String,
    /// By seed; several of one seed have different sets.
    pub records: Vec<Record>,
    settings: Settings,
}

/// Where results come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Trained by this program.
    Here,
    /// Told by others.
    Elsewhere,
}

/// A figure over seeds and what is behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Over seeds.
    pub summary: Summary,
    /// How many graphs each seed was evaluated on, from the fewest to the most; 0 is unknown.
    pub graphs: (u64, u64),
    /// The standard deviation over graphs, mean over seeds, where all tell it.
    pub graph_deviation: Option<f64>,
}

/// Why records cannot stand in one table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StudyError {
    /// Two results of the same work that are not the same.
    #[error(
        "{first} and {second} both tell {what}, with the same settings but other figures; leave one out, or give the model another name"
    )]
    Contradiction {
        /// Where the first was read.
        first: String,
        /// Where the second was read.
        second: String,
        /// Algorithm, model, seed and set.
        what: String,
    },
}

impl Study {
    /// The study of some records.
    pub fn new(entries: Vec<Entry>) -> Result<Self, StudyError> {
        let mut groups: BTreeMap<_, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            let settings = Settings::of(&entry.record);
            groups.entry((sort_key(&entry.record), settings)).or_default().push(entry);
        }
        let (mut experiments, mut dropped) = (Vec::new(), Vec::new());
        for ((key, settings), entries) in groups {
            let (first, origin) = (entries[0].record.clone(), key.origin);
            experiments.push(Experiment {
                algorithm: first.algorithm,
                model: first.model,
                hints: first.hints,
                convention: first.convention,
                origin,
                label: String::new(),
                records: without_repetitions(entries, &mut dropped)?,
                settings,
            });
        }
        name_differences(&mut experiments);
        let mut notes = Vec::new();
        if !dropped.is_empty() {
            dropped.sort();
            let n = dropped.len();
            let results = if n == 1 { "result is" } else { "results are" };
            notes.push(format!(
                "{n} {results} there twice with the same figures and counted once: {}.",
                shortened(&dropped)
            ));
        }
        Ok(Self { experiments, notes })
    }

    /// The sets that any record tells, those of the paper first and in its order.
    pub fn sets(&self) -> Vec<String> {
        let all: BTreeSet<&str> = self.experiments.iter().flat_map(Experiment::set_names).collect();
        let known: Vec<&str> = paper::splits().filter(|split| all.contains(split)).collect();
        let others = all.iter().copied().filter(|set| !known.contains(set));
        known.iter().copied().chain(others).map(str::to_owned).collect()
    }
}

impl Experiment {
    /// The figure of a metric on a set, over all seeds that have it.
    pub fn measured(&self, set: &str, metric: &str) -> Option<Measured> {
        let (mut means, mut graphs, mut deviations) = (Vec::new(), Vec::new(), Vec::new());
        for record in &self.records {
            let Some(result) = record.set(set) else { continue };
            let all = &result.result.all;
            let Some(summary) = all.summary(metric) else { continue };
            means.push(summary.mean);
            graphs.push(all.graphs);
            deviations.push(summary.deviation);
        }
        let fewest = *graphs.iter().min()?;
        let most = *graphs.iter().max()?;
        let deviations: Option<Vec<f64>> = deviations.into_iter().collect();
        Some(Measured {
            summary: Summary::of_numbers(&means)?,
            graphs: (fewest, most),
            graph_deviation: deviations
                .map(|all| all.iter().sum::<f64>() / all.len() as f64)
                .filter(|deviation| deviation.is_finite()),
        })
    }

    /// The metric that stands for the algorithm: that of the paper, or the first there is.
    pub fn main_metric(&self) -> Option<Metric> {
        let has = |metric: &Metric| {
            self.set_names().iter().any(|set| self.measured(set, metric.name).is_some())
        };
        match paper::metric(&self.algorithm) {
            Some(name) => Metric::named(name),
            None => crate::metric::ALL.into_iter().find(has),
        }
    }

    /// Its model with what must be known to tell it from others.
    pub fn title(&self) -> String {
        let mut title = self.model.clone();
        if self.hints {
            title += " (H)";
        }
        if self.convention != Convention::Paper {
            title += &format!(", {}", self.convention);
        }
        if !self.label.is_empty() {
            title += &format!(", {}", self.label);
        }
        title
    }

    /// Whether another is the same but for hints.
    pub fn differs_in_hints_only(&self, other: &Self) -> bool {
        self.hints != other.hints
            && (&self.algorithm, &self.model) == (&other.algorithm, &other.model)
            && (self.convention, self.origin) == (other.convention, other.origin)
            && self.settings == other.settings
    }

    /// Its seeds, each once.
    pub fn seeds(&self) -> BTreeSet<u64> {
        self.records.iter().map(|record| record.seed).collect()
    }

    /// The results on each set of each seed.
    pub fn results(&self) -> impl Iterator<Item = &SetResult> {
        self.records.iter().flat_map(|record| &record.evaluation)
    }

    fn set_names(&self) -> BTreeSet<&str> {
        self.results().map(|set| set.result.split.as_str()).collect()
    }
}

/// What decides the place of an experiment in a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SortKey {
    algorithm: (usize, String),
    origin: Origin,
    model: String,
    is_release: bool,
    hints: bool,
}

fn sort_key(record: &Record) -> SortKey {
    let place = paper::algorithms().iter().position(|name| *name == record.algorithm);
    SortKey {
        algorithm: (place.unwrap_or(usize::MAX), record.algorithm.clone()),
        origin: if record.training.is_some() { Origin::Here } else { Origin::Elsewhere },
        model: record.model.clone(),
        is_release: record.convention == Convention::Release,
        hints: record.hints,
    }
}

/// The records of an experiment by seed, each set of a seed once.
fn without_repetitions(
    mut entries: Vec<Entry>,
    dropped: &mut Vec<String>,
) -> Result<Vec<Record>, StudyError> {
    // Of two that tell the same, the one that stays must not depend on who came first.
    entries.sort_by_cached_key(|entry| {
        (entry.record.seed, entry.record.cell.clone(), entry.from.clone())
    });
    let mut told: BTreeMap<(u64, String), (String, SetResult)> = BTreeMap::new();
    let mut records = Vec::new();
    for Entry { mut record, from } in entries {
        let mut left = Vec::new();
        for set in std::mem::take(&mut record.evaluation) {
            let key = (record.seed, set.result.split.clone());
            let what = || {
                let (algorithm, model) = (&record.algorithm, &record.model);
                format!("{algorithm} by {model}, seed {}, on {}", key.0, key.1)
            };
            match told.get(&key) {
                Some((_, before)) if same(&before.result, &set.result) => dropped.push(what()),
                Some((first, _)) => {
                    let (first, what) = (first.clone(), what());
                    return Err(StudyError::Contradiction { first, second: from, what });
                }
                None => {
                    told.insert(key, (from.clone(), set.clone()));
                    left.push(set);
                }
            }
        }
        if !left.is_empty() {
            record.evaluation = left;
            records.push(record);
        }
    }
    Ok(records)
}

/// Whether two results are the same, as their text is: what is no number equals itself there.
fn same(a: &impl Serialize, b: &impl Serialize) -> bool {
    match (serde_json::to_string(a), serde_json::to_string(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The first few of many names.
fn shortened(names: &[String]) -> String {
    match names.get(..3) {
        Some(few) if names.len() > 3 => format!("{}; and {} more", few.join("; "), names.len() - 3),
        _ => names.join("; "),
    }
}
