//! The records to test with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use salsa_records::Record;
use salsa_report::read::read;
use salsa_report::study::{Entry, Study};

/// The sweep that the records' own tests use.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/tests/fixture")
}

/// Its records.
pub fn entries() -> Vec<Entry> {
    let mut entries = read(&folder()).unwrap();
    for entry in &mut entries {
        entry.from = entry.record.cell.clone();
    }
    entries
}

/// The study of them.
pub fn study() -> Study {
    Study::new(entries()).unwrap()
}

/// A record from elsewhere: one metric on some sets.
pub fn elsewhere(model: &str, seed: u64, metric: &str, figures: &[(&str, f64)]) -> Record {
    let sets: Vec<serde_json::Value> = figures
        .iter()
        .map(|(set, mean)| {
            let summary = serde_json::json!({"count": 100, "mean": mean});
            let metrics = BTreeMap::from([(metric, summary)]);
            serde_json::json!({"split": set, "graphs": 100, "metrics": metrics})
        })
        .collect();
    let record = serde_json::json!({
        "schema": 1, "algorithm": "bfs", "model": model, "seed": seed, "evaluation": sets,
    });
    serde_json::from_value(record).unwrap()
}

/// An entry of a record.
pub fn entry(record: Record) -> Entry {
    Entry { record, from: "mine.jsonl:1".to_owned() }
}

/// A study as large as the paper's: each algorithm, model and set, five seeds.
pub fn large() -> Study {
    let mut entries = Vec::new();
    for algorithm in salsa_report::paper::algorithms() {
        for (model, seed) in
            ["gin", "pgn", "recgnn"].iter().flat_map(|m| (0..5).map(move |s| (m, s)))
        {
            let metric = salsa_report::paper::metric(algorithm).unwrap();
            let figure = |(place, set)| (set, (place + seed * 3 + model.len()) as f64 / 40.0);
            let figures: Vec<(&str, f64)> =
                salsa_report::paper::splits().enumerate().map(figure).collect();
            let mut record = elsewhere(model, seed as u64, metric, &figures);
            record.algorithm = algorithm.to_owned();
            entries.push(entry(record));
        }
    }
    Study::new(entries).unwrap()
}
