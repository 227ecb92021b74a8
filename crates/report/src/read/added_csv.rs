//! Figures from any framework as CSV: one metric of one seed on one set a line.
//!
//! The columns `algorithm`, `model`, `seed`, `split`, `metric` and `value` must be there, in any
//! order; `graphs`, `hints` and `convention` may be.

use std::collections::BTreeMap;
use std::path::Path;

use csv::StringRecord;
use salsa_records::confidence::Summary;
use salsa_records::store::StoreError;
use salsa_records::{Circumstances, Computed, Group, Record, SCHEMA, SetResult, SplitResult};
use salsa_traces::convention::Convention;

use super::ReadError;
use super::checked::{can_be, metric_named, own_name};
use crate::metric::VALID;
use crate::study::Entry;

const NEEDED: [&str; 6] = ["algorithm", "model", "seed", "split", "metric", "value"];
const OPTIONAL: [&str; 3] = ["graphs", "hints", "convention"];

/// The results in a file, lines of the same seed put together.
pub fn read(path: &Path) -> Result<Vec<Entry>, ReadError> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).map_err(|error| StoreError::File { path: name.clone(), error })?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&bytes[..]);
    let at = |line: u64, reason: String| ReadError::Line { path: name.clone(), line, reason };
    let columns = reader.headers().map_err(|error| at(1, described(&error)))?.clone();
    check_columns(&columns).map_err(|reason| at(1, reason))?;
    let mut entries: Vec<Entry> = Vec::new();
    for line in reader.records() {
        let line = line.map_err(|error| {
            at(error.position().map_or(1, csv::Position::line), described(&error))
        })?;
        let number = line.position().map_or(1, csv::Position::line);
        let fields = Fields { columns: &columns, line: &line };
        let record = fields.record().map_err(|reason| at(number, reason))?;
        add(&mut entries, record, &name, number).map_err(|reason| at(number, reason))?;
    }
    Ok(entries)
}

fn check_columns(columns: &StringRecord) -> Result<(), String> {
    let expected = format!("{}[,{}]", NEEDED.join(","), OPTIONAL.join(","));
    let has = |name: &&str| columns.iter().any(|column| column == *name);
    if let Some(missing) = NEEDED.iter().find(|name| !has(name)) {
        return Err(format!("column {missing:?} is missing, expected {expected}"));
    }
    let known = |name: &&str| NEEDED.contains(name) || OPTIONAL.contains(name);
    match columns.iter().find(|name| !known(name)) {
        Some(unknown) => Err(format!("unknown column {unknown:?}, expected {expected}")),
        None => Ok(()),
    }
}

struct Fields<'a> {
    columns: &'a StringRecord,
    line: &'a StringRecord,
}

impl<'a> Fields<'a> {
    fn optional(&self, name: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|column| column == name)?;
        self.line.get(place).filter(|field| !field.is_empty())
    }

    fn needed(&self, name: &str) -> Result<&'a str, String> {
        self.optional(name).ok_or_else(|| format!("{name} is empty"))
    }

    fn number<T: std::str::FromStr>(name: &str, text: &str, what: &str) -> Result<T, String> {
        text.parse().map_err(|_| format!("{name} is {text:?}, expected {what}"))
    }

    /// A record of one metric on one set.
    fn record(&self) -> Result<Record, String> {
        let metric = metric_named(self.needed("metric")?)?;
        let mean: f64 = Self::number("value", self.needed("value")?, "a number")?;
        can_be(metric, mean)?;
        let graphs: u64 = match self.optional("graphs") {
            Some(text) => Self::number("graphs", text, "a whole number")?,
            None => 0,
        };
        let hints = match self.optional("hints") {
            None | Some("false" | "no" | "0") => false,
            Some("true" | "yes" | "1") => true,
            Some(other) => return Err(format!("hints is {other:?}, expected true or false")),
        };
        let convention: Convention = match self.optional("convention") {
            Some(name) => name.parse().map_err(|error| format!("{error}"))?,
            None => Convention::default(),
        };
        let summary = Summary { count: graphs as usize, mean, deviation: None, interval: None };
        let is_valid = metric == VALID;
        let metrics = match is_valid {
            true => BTreeMap::new(),
            false => BTreeMap::from([(metric.name.to_owned(), summary)]),
        };
        let all = Group {
            graphs,
            metrics,
            valid: is_valid.then_some(summary),
            violations: BTreeMap::new(),
            mean_steps: 0.0,
        };
        let split = self.needed("split")?.to_owned();
        let (by_size, by_family) = (BTreeMap::new(), BTreeMap::new());
        Ok(Record {
            schema: SCHEMA,
            sweep: String::new(),
            cell: String::new(),
            fingerprint: String::new(),
            algorithm: own_name(self.needed("algorithm")?),
            model: self.needed("model")?.to_owned(),
            hints,
            convention,
            seed: Self::number("seed", self.needed("seed")?, "a whole number from 0 up")?,
            code_version: String::new(),
            run: serde_json::Map::new(),
            training: None,
            checkpoint: None,
            data: None,
            steps: "recorded".to_owned(),
            evaluation: vec![SetResult {
                result: SplitResult { split, all, by_size, by_family },
                computed: Computed::default(),
            }],
            circumstances: Circumstances::default(),
        })
    }
}

/// Puts a record of one metric to those of the same seed.
fn add(entries: &mut Vec<Entry>, record: Record, path: &str, line: u64) -> Result<(), String> {
    let is_same = |entry: &&mut Entry| {
        let (a, b) = (&entry.record, &record);
        (&a.algorithm, &a.model, a.seed, a.hints, a.convention)
            == (&b.algorithm, &b.model, b.seed, b.hints, b.convention)
    };
    let Some(before) = entries.iter_mut().find(is_same) else {
        entries.push(Entry { record, from: format!("{path}:{line}") });
        return Ok(());
    };
    for new in record.evaluation {
        let sets = &mut before.record.evaluation;
        let Some(set) = sets.iter_mut().find(|set| set.result.split == new.result.split) else {
            sets.push(new);
            continue;
        };
        let (all, more) = (&mut set.result.all, new.result.all);
        if all.graphs != more.graphs {
            let (split, graphs) = (&set.result.split, all.graphs);
            return Err(format!("{} graphs of {split}, but {graphs} before", more.graphs));
        }
        let is_there = more.metrics.keys().any(|name| all.metrics.contains_key(name))
            || (more.valid.is_some() && all.valid.is_some());
        if is_there {
            return Err(format!("this metric of seed {} is there before", before.record.seed));
        }
        all.metrics.extend(more.metrics);
        all.valid = all.valid.or(more.valid);
    }
    Ok(())
}

/// What is wrong, without the place, which is told apart.
fn described(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields, expected {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "expected UTF-8 text, found other bytes".to_owned(),
        _ => error.to_string(),
    }
}
