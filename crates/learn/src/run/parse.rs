//! Reading a run's TOML over the run that gives what is left out.
//!
//! Ranges are checked here, where the line is known: what a run holds after this can be trained
//! with. The limits are those of the definitions (a plateau's factor below 1, as PyTorch asks)
//! rather than of good sense; a user may want a learning rate of 10.

use std::ops::RangeInclusive;

use salsa_traces::algorithms;
use salsa_traces::nearest::did_you_mean;
use salsa_traces::toml_table::{Document, Problem, Table};

use super::{ModelOptions, Run, TrainingOptions};

const TOP: &[&str] =
    &["algorithm", "hints", "convention", "suite", "data_seed", "seed", "model", "training"];
const TABLES: [&str; 2] = ["model", "training"];
const MODEL: &[&str] = &["processor", "hidden", "aggregation", "steps_per_hint"];
const TRAINING: &[&str] = &[
    "batch",
    "epochs",
    "learning_rate",
    "weight_decay",
    "betas",
    "epsilon",
    "clip",
    "hidden_loss",
    "hint_loss",
    "plateau_factor",
    "plateau_patience",
    "plateau_threshold",
    "early_stopping",
    "train_samples",
    "validation_samples",
];

/// The table and the name of every field.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |table: &'static str, names: &'static [&str]| {
        names.iter().filter(|name| !TABLES.contains(name)).map(move |&name| (table, name))
    };
    of("", TOP).chain(of("model.", MODEL)).chain(of("training.", TRAINING))
}

const ANY: RangeInclusive<u64> = 0..=u64::MAX;
/// Counts that become sizes of tensors or of loops.
const COUNT: RangeInclusive<u64> = 1..=u32::MAX as u64;

/// The run in `text`, with what it leaves out as in `base`.
pub(super) fn run(base: &Run, text: &str, processors: &[&str]) -> Result<Run, Problem> {
    let document = Document::parse(text)?;
    let root = document.root();
    root.allow(TOP)?;
    fields(base, &root, processors)
}

/// The fields of a run that `root` has, whatever else stands there.
pub(super) fn fields(base: &Run, root: &Table<'_>, processors: &[&str]) -> Result<Run, Problem> {
    let mut run = base.clone();
    if root.contains("algorithm") {
        let (name, line) = root.string("algorithm")?;
        let algorithm =
            algorithms::find(&name).map_err(|error| (line, root.field("algorithm", error)))?;
        run.algorithm = algorithm.spec().algorithm.to_string();
    }
    if root.contains("hints") {
        run.hints = root.truth("hints")?;
    }
    if root.contains("convention") {
        run.convention = named(root, "convention")?;
    }
    if root.contains("suite") {
        let (suite, line) = root.string("suite")?;
        if suite.is_empty() {
            let problem = root.field("suite", "expected a name or a path, found nothing");
            return Err((line, problem));
        }
        run.suite = Some(suite);
    }
    optional_whole(root, "data_seed", ANY, &mut run.data_seed)?;
    whole(root, "seed", ANY, &mut run.seed)?;
    if let Some(table) = root.table("model")? {
        model(&table, processors, &mut run.model)?;
    }
    if let Some(table) = root.table("training")? {
        training(&table, &mut run.training)?;
    }
    Ok(run)
}

fn model(table: &Table<'_>, processors: &[&str], to: &mut ModelOptions) -> Result<(), Problem> {
    table.allow(MODEL)?;
    if table.contains("processor") {
        let (name, line) = table.string("processor")?;
        if !processors.contains(&name.as_str()) {
            let suggestion = did_you_mean(&name, processors.iter().copied());
            let known = processors.join(", ");
            let problem = format!("unknown processor {name:?}, there is {known}{suggestion}");
            return Err((line, table.field("processor", problem)));
        }
        to.processor = name;
    }
    whole(table, "hidden", COUNT, &mut to.hidden)?;
    if table.contains("aggregation") {
        to.aggregation = named(table, "aggregation")?;
    }
    whole(table, "steps_per_hint", COUNT, &mut to.steps_per_hint)
}

fn training(table: &Table<'_>, to: &mut TrainingOptions) -> Result<(), Problem> {
    table.allow(TRAINING)?;
    whole(table, "batch", COUNT, &mut to.batch)?;
    whole(table, "epochs", COUNT, &mut to.epochs)?;
    if table.contains("learning_rate") {
        let mut rate = 0.0;
        number(table, "learning_rate", POSITIVE, &mut rate)?;
        to.learning_rate = Some(rate);
    }
    number(table, "weight_decay", NOT_NEGATIVE, &mut to.weight_decay)?;
    if table.contains("betas") {
        to.betas = betas(table)?;
    }
    number(table, "epsilon", POSITIVE, &mut to.epsilon)?;
    number(table, "clip", POSITIVE, &mut to.clip)?;
    number(table, "hidden_loss", NOT_NEGATIVE, &mut to.hidden_loss)?;
    number(table, "hint_loss", NOT_NEGATIVE, &mut to.hint_loss)?;
    number(table, "plateau_factor", INSIDE_0_1, &mut to.plateau_factor)?;
    whole(table, "plateau_patience", ANY, &mut to.plateau_patience)?;
    number(table, "plateau_threshold", FROM_0_BELOW_1, &mut to.plateau_threshold)?;
    whole(table, "early_stopping", COUNT, &mut to.early_stopping)?;
    optional_whole(table, "train_samples", COUNT, &mut to.train_samples)?;
    optional_whole(table, "validation_samples", COUNT, &mut to.validation_samples)
}

fn betas(table: &Table<'_>) -> Result<[f64; 2], Problem> {
    let (given, line) = table.numbers("betas")?;
    match <[f64; 2]>::try_from(given.as_slice()) {
        Ok(betas) if betas.iter().all(|beta| (FROM_0_BELOW_1.holds)(*beta)) => Ok(betas),
        _ => {
            let problem =
                format!("expected two numbers of at least 0 and below 1, found {given:?}");
            Err((line, table.field("betas", problem)))
        }
    }
}

/// A range of real numbers, in words and as a test.
#[derive(Clone, Copy)]
struct Range {
    words: &'static str,
    holds: fn(f64) -> bool,
}

const POSITIVE: Range = Range { words: "a number above 0", holds: |x| x > 0.0 && x.is_finite() };
const NOT_NEGATIVE: Range =
    Range { words: "a number of at least 0", holds: |x| x >= 0.0 && x.is_finite() };
const INSIDE_0_1: Range =
    Range { words: "a number above 0 and below 1", holds: |x| x > 0.0 && x < 1.0 };
const FROM_0_BELOW_1: Range =
    Range { words: "a number of at least 0 and below 1", holds: |x| (0.0..1.0).contains(&x) };

fn number(table: &Table<'_>, name: &str, range: Range, to: &mut f64) -> Result<(), Problem> {
    if table.contains(name) {
        let (value, line) = table.number(name)?;
        if !(range.holds)(value) {
            let problem = format!("expected {}, found {value:?}", range.words);
            return Err((line, table.field(name, problem)));
        }
        *to = value;
    }
    Ok(())
}

fn whole(
    table: &Table<'_>,
    name: &str,
    range: RangeInclusive<u64>,
    to: &mut u64,
) -> Result<(), Problem> {
    if table.contains(name) {
        let (value, line) = table.whole(name)?;
        if !range.contains(&value) {
            let (least, most) = (range.start(), range.end());
            let problem = format!("expected a whole number from {least} to {most}, found {value}");
            return Err((line, table.field(name, problem)));
        }
        *to = value;
    }
    Ok(())
}

fn optional_whole(
    table: &Table<'_>,
    name: &str,
    range: RangeInclusive<u64>,
    to: &mut Option<u64>,
) -> Result<(), Problem> {
    if table.contains(name) {
        let mut value = 0;
        whole(table, name, range, &mut value)?;
        *to = Some(value);
    }
    Ok(())
}

fn named<T>(table: &Table<'_>, name: &str) -> Result<T, Problem>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let (text, line) = table.string(name)?;
    text.parse().map_err(|error| (line, table.field(name, error)))
}
