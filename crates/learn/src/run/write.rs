//! Writing a run as TOML, every field in its place.
//!
//! By hand rather than derived: seeds may be any `u64`, which the general serialiser refuses,
//! and floats are written in the shortest form that reads back as the same bits.

use std::fmt::{Display, Write};

use toml_writer::ToTomlValue;

use super::Run;

/// The run file of `run`, which is resolved.
pub(super) fn run(run: &Run) -> String {
    let mut text = String::new();
    let mut put = |name: &str, value: Option<&dyn Display>| {
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name} = {value}");
        }
    };
    let Run { algorithm, hints, convention, suite, data_seed, seed, model, training } = run;
    put("algorithm", Some(&algorithm.to_toml_value()));
    put("hints", Some(hints));
    put("convention", Some(&convention.name().to_toml_value()));
    put("suite", optional(&suite.as_ref().map(|suite| suite.to_toml_value())));
    put("data_seed", optional(data_seed));
    put("seed", Some(seed));

    put("\n[model]\nprocessor", Some(&model.processor.to_toml_value()));
    put("hidden", Some(&model.hidden));
    put("aggregation", Some(&model.aggregation.name().to_toml_value()));
    put("steps_per_hint", Some(&model.steps_per_hint));

    let [first, second] = training.betas;
    put("\n[training]\nbatch", Some(&training.batch));
    put("epochs", Some(&training.epochs));
    put("learning_rate", optional(&training.learning_rate.map(float)));
    put("weight_decay", Some(&float(training.weight_decay)));
    put("betas", Some(&format!("[{}, {}]", float(first), float(second))));
    put("epsilon", Some(&float(training.epsilon)));
    put("clip", Some(&float(training.clip)));
    put("hidden_loss", Some(&float(training.hidden_loss)));
    put("hint_loss", Some(&float(training.hint_loss)));
    put("plateau_factor", Some(&float(training.plateau_factor)));
    put("plateau_patience", Some(&training.plateau_patience));
    put("plateau_threshold", Some(&float(training.plateau_threshold)));
    put("early_stopping", Some(&training.early_stopping));
    put("train_samples", optional(&training.train_samples));
    put("validation_samples", optional(&training.validation_samples));
    text
}

/// Rust's shortest text of a float is a TOML float too: `1.0`, `0.01`, `1e-8`.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn optional<T: Display>(value: &Option<T>) -> Option<&dyn Display> {
    value.as_ref().map(|value| value as &dyn Display)
}
