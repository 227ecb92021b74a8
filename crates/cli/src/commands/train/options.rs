//! The run that a file and options describe together.

use salsa_learn::model::processors;
use salsa_learn::run::{Run, RunError};

use super::Train;
use crate::failure::Failure;

impl Train {
    /// The run file with the options laid over it.
    pub fn settled(&self) -> Result<Run, Failure> {
        let names = processors::names();
        let mut run = match &self.file {
            Some(file) => Run::load(file, &names)?,
            None => Run::default(),
        };
        let quoted = |value: &String| format!("{value:?}");
        let options = [
            ("--algorithm", "algorithm", self.algorithm.as_ref().map(quoted)),
            ("--model", "model.processor", self.model.as_ref().map(quoted)),
            ("--hints", "hints", self.hints.then(|| "true".to_owned())),
            ("--convention", "convention", self.convention.as_ref().map(quoted)),
            ("--seed", "seed", self.seed.map(|seed| seed.to_string())),
            ("--suite", "suite", self.suite.as_ref().map(quoted)),
            ("--hidden", "model.hidden", self.hidden.map(|n| n.to_string())),
            ("--aggregation", "model.aggregation", self.aggregation.as_ref().map(quoted)),
            (
                "--steps-per-hint",
                "model.steps_per_hint",
                self.steps_per_hint.map(|n| n.to_string()),
            ),
            ("--epochs", "training.epochs", self.epochs.map(|n| n.to_string())),
            ("--batch", "training.batch", self.batch.map(|n| n.to_string())),
            (
                "--learning-rate",
                "training.learning_rate",
                self.learning_rate.map(|rate| format!("{rate:?}")),
            ),
        ];
        for (option, field, value) in options {
            if let Some(value) = value {
                run = run.with_value(option, field, &value, &names)?;
            }
        }
        for field in &self.fields {
            let (name, value) = field.split_once('=').ok_or_else(|| {
                Failure::mistake(format!("--set: expected FIELD=VALUE, found {field:?}"))
            })?;
            // A word that is no TOML value is meant as text.
            let given = format!("{name} = {value}");
            let as_text = format!("{name} = {value:?}");
            let laid = run.with("--set", &given, &names);
            run = match laid {
                Err(_)
                    if value.starts_with(char::is_alphabetic)
                        && value != "true"
                        && value != "false" =>
                {
                    run.with("--set", &as_text, &names)
                }
                laid => laid,
            }
            .map_err(|error| on_option(&error))?;
        }
        Ok(run.resolved())
    }

    /// The same run with another seed.
    pub fn seeded(run: &Run, seed: u64) -> Result<Run, Failure> {
        Ok(run.with_value("--seeds", "seed", &seed.to_string(), &processors::names())?)
    }
}

/// A problem of `--set`: there is only one line.
fn on_option(error: &RunError) -> Failure {
    Failure::mistake(error.to_string().replacen(":1: ", ": ", 1))
}
