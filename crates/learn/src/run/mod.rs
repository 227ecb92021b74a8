//! Runs: everything that decides one training, as data.
//!
//! A run file is a TOML text in which every field may be left out; what is missing is as in the
//! paper. Two values depend on others and stay open until asked for: the suite is the built-in
//! one of the convention, the learning rate is the model's. So a command may lay its flags over
//! a file ([`Run::with`]) before they are settled ([`Run::resolved`]).
//!
//! ```
//! use salsa_learn::run::Run;
//!
//! let processors = ["gin", "pgn", "recgnn"];
//! let run = Run::parse("mine.toml", "algorithm = \"dijkstra\"", &processors)?;
//! let run = run.with("--set", "model.processor = \"recgnn\"", &processors)?;
//! assert_eq!((run.suite(), run.learning_rate()), ("paper", 0.0008));
//! # Ok::<(), salsa_learn::run::RunError>(())
//! ```

mod aggregation;
mod parse;
mod seeds;
mod write;

use std::path::Path;

use salsa_traces::convention::Convention;
use salsa_traces::nearest::did_you_mean;
use salsa_traces::toml_table::{Problem, Table};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::processors;

pub use aggregation::{Aggregation, UnknownAggregation};
pub use seeds::Seeds;

/// The learning rate of a processor that is not listed.
const USUAL_LEARNING_RATE: f64 = 0.0004239;

/// One training: what is learned, by which model, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// The algorithm, by its own name rather than the published one.
    pub algorithm: String,
    /// Whether the states between input and output are part of the loss.
    pub hints: bool,
    /// How the model is read where the paper and its code disagree.
    pub convention: Convention,
    /// A built-in suite or a path; without one, the built-in suite of the convention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// The seed of the data; without one, the suite's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_seed: Option<u64>,
    /// The seed of initialisation and shuffling.
    pub seed: u64,
    /// The model.
    pub model: ModelOptions,
    /// The optimisation.
    pub training: TrainingOptions,
}

/// The table `[model]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelOptions {
    /// The name of the processor, which is what models differ in.
    pub processor: String,
    /// The size of a node's state.
    pub hidden: u64,
    /// How a node combines its messages.
    pub aggregation: Aggregation,
    /// Processor steps for one recorded step of the algorithm.
    pub steps_per_hint: u64,
}

/// The table `[training]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingOptions {
    /// Graphs in a batch.
    pub batch: u64,
    /// Epochs at most.
    pub epochs: u64,
    /// The learning rate at the start; without one, the model's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// The decay of AdamW, on all parameters.
    pub weight_decay: f64,
    /// How slowly the two moments of AdamW forget.
    pub betas: [f64; 2],
    /// What AdamW adds to the root of the second moment.
    pub epsilon: f64,
    /// The norm that the gradient of all parameters together is cut to.
    pub clip: f64,
    /// The weight of the hidden states' norm in the loss.
    pub hidden_loss: f64,
    /// The weight of the hints in the loss.
    pub hint_loss: f64,
    /// What the learning rate is multiplied by on a plateau.
    pub plateau_factor: f64,
    /// Epochs without improvement that are still no plateau.
    pub plateau_patience: u64,
    /// The share by which the loss must fall to count as improvement.
    pub plateau_threshold: f64,
    /// Epochs without a lower validation loss after which training ends.
    pub early_stopping: u64,
    /// Only the first samples of the train split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_samples: Option<u64>,
    /// Only the first samples of the validation split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_samples: Option<u64>,
}

/// Why a run file cannot be used.
#[derive(Debug, Error)]
pub enum RunError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The text is no run.
    #[error("{origin}:{line}: {problem}")]
    Invalid {
        /// The file, or where else the text is from.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// The field, what is wrong with it and what would be right.
        problem: String,
    },
    /// No field has this name.
    #[error("there is no setting {name:?}{suggestion}")]
    UnknownSetting {
        /// The name.
        name: String,
        /// A name that is close.
        suggestion: String,
    },
    /// One value of a run is wrong.
    #[error("{origin}: {problem}")]
    Value {
        /// The option or argument that gave it.
        origin: String,
        /// What is wrong with it and what would be right.
        problem: String,
    },
}

impl Default for Run {
    fn default() -> Self {
        Self {
            algorithm: "bfs".to_owned(),
            hints: false,
            convention: Convention::Paper,
            suite: None,
            data_seed: None,
            seed: 42,
            model: ModelOptions::default(),
            training: TrainingOptions::default(),
        }
    }
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            processor: "pgn".to_owned(),
            hidden: 128,
            aggregation: Aggregation::Max,
            steps_per_hint: 1,
        }
    }
}

impl Default for TrainingOptions {
    fn default() -> Self {
        Self {
            batch: 8,
            epochs: 100,
            learning_rate: None,
            weight_decay: 0.01,
            betas: [0.9, 0.999],
            epsilon: 1e-8,
            clip: 1.0,
            hidden_loss: 0.01,
            hint_loss: 1.0,
            plateau_factor: 0.1,
            plateau_patience: 10,
            plateau_threshold: 1e-4,
            early_stopping: 30,
            train_samples: None,
            validation_samples: None,
        }
    }
}

impl Run {
    /// Reads and checks a run; `origin` is what errors call it, `processors` the known names.
    pub fn parse(origin: &str, text: &str, processors: &[&str]) -> Result<Self, RunError> {
        Self::default().with(origin, text, processors)
    }

    /// The run in the file at `path`.
    pub fn load(path: &Path, processors: &[&str]) -> Result<Self, RunError> {
        let origin = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| RunError::Read { path: origin.clone(), error })?;
        Self::parse(&origin, &text, processors)
    }

    /// This run with the fields that `text` gives.
    pub fn with(&self, origin: &str, text: &str, processors: &[&str]) -> Result<Self, RunError> {
        parse::run(self, text, processors).map_err(|(line, problem)| RunError::Invalid {
            origin: origin.to_owned(),
            line,
            problem,
        })
    }

    /// This run with one field, such as `model.hidden`, and its value in TOML; `origin` is the
    /// option or argument that errors are about.
    pub fn with_value(
        &self,
        origin: &str,
        field: &str,
        value: &str,
        processors: &[&str],
    ) -> Result<Self, RunError> {
        parse::run(self, &format!("{field} = {value}"), processors).map_err(|(_, problem)| {
            let known = format!("{field}: ");
            let problem = problem.strip_prefix(&known).unwrap_or(&problem).to_owned();
            RunError::Value { origin: origin.to_owned(), problem }
        })
    }

    /// The same for a field by the last part of its name, which says enough: `hidden`.
    ///
    /// ```
    /// use salsa_learn::run::Run;
    ///
    /// let run = Run::default().with_setting("hidden", "32", &["pgn"])?;
    /// assert_eq!(run.model.hidden, 32);
    /// # Ok::<(), salsa_learn::run::RunError>(())
    /// ```
    pub fn with_setting(
        &self,
        name: &str,
        value: &str,
        processors: &[&str],
    ) -> Result<Self, RunError> {
        let Some((table, _)) = parse::names().find(|(_, field)| *field == name) else {
            let suggestion = did_you_mean(name, parse::names().map(|(_, field)| field));
            return Err(RunError::UnknownSetting { name: name.to_owned(), suggestion });
        };
        self.with_value(name, &format!("{table}{name}"), value, processors)
    }

    /// This run with the fields that a table of another kind of file gives; which fields that
    /// table may have is for the caller to say.
    pub fn with_fields(&self, table: &Table<'_>, processors: &[&str]) -> Result<Self, Problem> {
        parse::fields(self, table, processors)
    }

    /// The suite, a built-in name or a path.
    pub fn suite(&self) -> &str {
        self.suite.as_deref().unwrap_or(self.convention.name())
    }

    /// The learning rate at the start.
    pub fn learning_rate(&self) -> f64 {
        let of_the_model = processors::find(&self.model.processor);
        let usual = of_the_model.map_or(USUAL_LEARNING_RATE, |kind| kind.learning_rate);
        self.training.learning_rate.unwrap_or(usual)
    }

    /// The same run with the suite and the learning rate written out.
    pub fn resolved(&self) -> Self {
        let mut run = self.clone();
        run.suite = Some(self.suite().to_owned());
        run.training.learning_rate = Some(self.learning_rate());
        run
    }

    /// A complete run file: parsed, it gives [`Run::resolved`].
    pub fn to_toml(&self) -> String {
        write::run(&self.resolved())
    }
}

#[cfg(test)]
mod tests;
