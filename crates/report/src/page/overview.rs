//! What a report is about, in a few words.

use std::collections::BTreeSet;

use salsa_records::{Data, Record};
use serde::Serialize;

/// What there are records of; every list without repetitions, in the order of the records.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Overview {
    /// Names of sweeps.
    pub sweeps: Vec<String>,
    /// How many networks.
    pub networks: usize,
    /// Algorithms.
    pub algorithms: Vec<String>,
    /// Models.
    pub models: Vec<String>,
    /// How many different seeds.
    pub seeds: usize,
    /// What trained them and computed their answers.
    pub devices: Vec<String>,
    /// Versions of the program.
    pub versions: Vec<String>,
    /// Suites of graphs.
    pub suites: Vec<String>,
    /// How many answers were judged.
    pub answers: u64,
}

impl Overview {
    /// Of records.
    pub fn of(records: &[&Record]) -> Self {
        let trained = records.iter().filter_map(|record| record.training.as_ref());
        let trained = trained.flat_map(|training| &training.computed);
        let results = || records.iter().flat_map(|record| &record.evaluation);
        let suites = records.iter().filter_map(|record| match record.data.as_ref()? {
            Data::Suite { name, version, .. } => Some(format!("{name} {version}")),
            Data::Files { .. } => None,
        });
        let seeds: BTreeSet<u64> = records.iter().map(|record| record.seed).collect();
        Self {
            sweeps: distinct(records.iter().map(|record| record.sweep.clone())),
            networks: records.len(),
            algorithms: distinct(records.iter().map(|record| record.algorithm.clone())),
            models: distinct(records.iter().map(|record| record.model.clone())),
            seeds: seeds.len(),
            devices: distinct(
                trained.chain(results().map(|set| &set.computed)).map(|computed| computed.name()),
            ),
            versions: distinct(records.iter().map(|record| record.code_version.clone())),
            suites: distinct(suites),
            answers: results().map(|set| set.result.all.graphs).sum(),
        }
    }
}

/// Each text once, empty ones left out.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        if !text.is_empty() && !found.contains(&text) {
            found.push(text);
        }
    }
    found
}
