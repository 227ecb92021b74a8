//! What is behind the figures of a table: seeds, graphs and machines.

use std::collections::{BTreeMap, BTreeSet};

use salsa_records::{Data, Record};
use salsa_traces::suite::Suite;

use crate::study::{Experiment, Study};

/// A sentence each on seeds, graphs and what computed them, and what was left out.
pub fn circumstances(study: &Study, shown: &[&Experiment]) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(seeds(shown));
    notes.extend(graphs(study, shown));
    notes.extend(computed(shown));
    notes.extend(study.notes.iter().cloned());
    notes
}

fn seeds(shown: &[&Experiment]) -> Option<String> {
    let counts: BTreeSet<usize> = shown.iter().map(|one| one.seeds().len()).collect();
    Some(match (*counts.first()?, *counts.last()?) {
        (1, 1) => "One seed, so no deviation.".to_owned(),
        (few, many) if few == many => format!("{few} seeds each."),
        (1, many) => format!("1 to {many} seeds each; one alone has no deviation."),
        (few, many) => format!("{few} to {many} seeds each."),
    })
}

/// How many graphs were evaluated, sets with the same numbers together.
fn graphs(study: &Study, shown: &[&Experiment]) -> Option<String> {
    let mut of_set: BTreeMap<&str, (BTreeSet<u64>, Option<u64>)> = BTreeMap::new();
    let mut suites: BTreeMap<(&str, u32), Option<Suite>> = BTreeMap::new();
    for record in shown.iter().flat_map(|experiment| &experiment.records) {
        let suite = named(record).and_then(|(name, version)| {
            let find = || Suite::named(name).ok().filter(|suite| suite.version == version);
            suites.entry((name, version)).or_insert_with(find).as_ref()
        });
        for set in &record.evaluation {
            let (counts, whole) = of_set.entry(&set.result.split).or_default();
            counts.insert(set.result.all.graphs);
            let split = suite.and_then(|suite| suite.split(&set.result.split).ok());
            *whole = (*whole).max(split.map(|split| split.samples));
        }
    }
    let mut sets_of: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let sets = study.sets();
    for set in &sets {
        if let Some((counts, whole)) = of_set.get(set.as_str()) {
            sets_of.entry(count(counts, *whole)).or_default().push(set);
        }
    }
    if let [(count, _)] = sets_of.iter().collect::<Vec<_>>()[..] {
        return Some(format!("Graphs a set: {count}."));
    }
    let told: Vec<String> =
        sets_of.iter().map(|(count, sets)| format!("{count} ({})", sets.join(", "))).collect();
    (!told.is_empty()).then(|| format!("Graphs a set: {}.", told.join("; ")))
}

fn count(counts: &BTreeSet<u64>, whole: Option<u64>) -> String {
    let known: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
    let (Some(fewest), Some(most)) = (known.first(), known.last()) else {
        return "not told".to_owned();
    };
    let range = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    match whole {
        Some(whole) if *fewest < whole => format!("{range} of {whole}"),
        _ => range,
    }
}

/// The suite that a record is about.
fn named(record: &Record) -> Option<(&str, u32)> {
    match record.data.as_ref()? {
        Data::Suite { name, version, .. } => Some((name, *version)),
        Data::Files { .. } => None,
    }
}

fn computed(shown: &[&Experiment]) -> Option<String> {
    let ours = shown.iter().flat_map(|one| &one.records).filter(|record| record.training.is_some());
    let names: BTreeSet<String> = ours
        .flat_map(|record| {
            let trained = record.training.iter().flat_map(|training| &training.computed);
            trained.chain(record.evaluation.iter().map(|set| &set.computed))
        })
        .map(|computed| computed.name())
        .collect();
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("Computed on {}.", names.join(" and ")))
}
