//! Everything that was asked for besides the seed, to tell experiments apart and to say how.

use std::collections::BTreeMap;

use salsa_records::Record;
use serde_json::Value;

use super::{Experiment, Origin};

/// Settings by their path, `training.epochs`, each as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Those of a record. What a group is named by has no place here, and neither has the machine.
    pub fn of(record: &Record) -> Self {
        let mut settings = BTreeMap::new();
        for (name, value) in &record.run {
            if !["seed", "algorithm", "hints", "convention"].contains(&name.as_str()) {
                flatten(name, value, &mut settings);
            }
        }
        if let Some(Ok(data)) = record.data.as_ref().map(serde_json::to_value) {
            flatten("data", &data, &mut settings);
        }
        settings.insert("steps".to_owned(), record.steps.clone());
        Self(settings)
    }
}

fn flatten(path: &str, value: &Value, settings: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, settings);
            }
        }
        Value::String(text) => {
            settings.insert(path.to_owned(), text.clone());
        }
        other => {
            settings.insert(path.to_owned(), other.to_string());
        }
    }
}

/// Gives each experiment that shares its name with others the settings in which they differ.
pub fn name_differences(experiments: &mut [Experiment]) {
    let labels: Vec<String> = experiments
        .iter()
        .map(|this| {
            let rivals: Vec<&Experiment> =
                experiments.iter().filter(|other| is_called_the_same(this, other)).collect();
            label(this, &rivals)
        })
        .collect();
    for (experiment, label) in experiments.iter_mut().zip(labels) {
        experiment.label = label;
    }
}

fn is_called_the_same(a: &Experiment, b: &Experiment) -> bool {
    (&a.algorithm, &a.model, a.hints, a.convention)
        == (&b.algorithm, &b.model, b.hints, b.convention)
}

fn label(this: &Experiment, rivals: &[&Experiment]) -> String {
    let mut words = Vec::new();
    // Results from elsewhere have few settings or none: that they are from elsewhere says enough.
    let peers: Vec<&&Experiment> =
        rivals.iter().filter(|rival| rival.origin == this.origin).collect();
    if peers.len() < rivals.len() && this.origin == Origin::Elsewhere {
        words.push("from elsewhere".to_owned());
    }
    let mut paths: Vec<&String> = peers.iter().flat_map(|peer| peer.settings.0.keys()).collect();
    paths.sort();
    paths.dedup();
    for path in paths {
        let mine = this.settings.0.get(path);
        if peers.iter().any(|peer| peer.settings.0.get(path) != mine) {
            let short = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
            // `data.seed` is not the seed of a training.
            let name = if path.starts_with("data.") { format!("data {short}") } else { short };
            words.push(format!("{name} {}", mine.map_or("not told", String::as_str)));
        }
    }
    words.join(", ")
}
