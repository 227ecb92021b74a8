//! Reading a sweep's TOML, with the line and the field in every error.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;

use salsa_learn::evaluation::Steps;
use salsa_learn::model::processors;
use salsa_learn::run::{Run, Seeds};
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::nearest::did_you_mean;
use salsa_traces::suite::Suite;
use salsa_traces::toml_table::{Document, Problem, Table};

use super::sets::{Wanted, settled};
use super::{Cell, Plan, PlanError};

const TOP: &[&str] =
    &["name", "summary", "suite", "data_seed", "cells", "model", "training", "evaluation"];
const CELLS: &[&str] = &["algorithms", "models", "hints", "conventions", "seeds"];
const EVALUATION: &[&str] = &["steps", "sets"];
const SET: &[&str] = &["splits", "graphs"];

/// More would hardly be meant, and every one costs files.
const MOST_CELLS: usize = 10_000;

/// What a file says, before suites are read.
struct Read {
    name: Option<String>,
    summary: String,
    steps: Steps,
    runs: Vec<Run>,
    wanted: Vec<Wanted>,
}

/// The plan in `text`.
pub(super) fn plan(origin: &str, text: &str, given: Option<&str>) -> Result<Plan, PlanError> {
    let Read { name, summary, steps, runs, wanted } = read(text).map_err(|(line, problem)| {
        PlanError::Invalid { origin: origin.to_owned(), line, problem }
    })?;
    let mut suites: Vec<(String, Suite)> = Vec::new();
    let (mut cells, mut names) = (Vec::new(), HashSet::new());
    for run in runs {
        let run = run.resolved();
        let place = match suites.iter().position(|(known, _)| known == run.suite()) {
            Some(place) => place,
            None => {
                let suite = match given {
                    Some(text) if Suite::is_path(run.suite()) => Suite::parse(run.suite(), text)?,
                    _ => Suite::named_or_load(run.suite())?,
                };
                // Better told now than by the first worker.
                suite.split("train")?;
                suite.split("val")?;
                suites.push((run.suite().to_owned(), suite));
                suites.len() - 1
            }
        };
        let suite = &suites[place].1;
        let cell = Cell::new(run, settled(&wanted, suite)?, steps, (place, suite));
        if names.insert(cell.name().to_owned()) {
            cells.push(cell);
        }
    }
    let file = suites.iter().find(|(name, _)| Suite::is_path(name));
    let stem = Path::new(origin).file_stem().map(|stem| as_name(&stem.to_string_lossy()));
    Ok(Plan {
        name: name.or(stem).unwrap_or_default(),
        summary,
        steps,
        cells,
        suite_text: file.map(|(_, suite)| suite.text.clone()),
        suites: suites.into_iter().map(|(_, suite)| suite).collect(),
        text: text.to_owned(),
    })
}

fn read(text: &str) -> Result<Read, Problem> {
    let document = Document::parse(text)?;
    let root = document.root();
    root.allow(TOP)?;
    let text_of = |name| match root.contains(name) {
        true => root.string(name).map(Some),
        false => Ok(None),
    };
    let name = match text_of("name")? {
        Some((name, line)) if !is_name(&name) => {
            let problem = format!("expected letters, digits, - and _, found {name:?}");
            return Err((line, root.field("name", problem)));
        }
        named => named.map(|(name, _)| name),
    };
    if let Some(model) = root.table("model")?
        && model.contains("processor")
    {
        let problem = model.field("processor", "models are listed under [[cells]]");
        return Err((model.line_of_key("processor"), problem));
    }
    let base = Run::default().with_fields(&root, &processors::names())?;
    let mut runs = Vec::new();
    for table in root.tables("cells")? {
        cells(&table, &base, &mut runs)?;
    }
    let (steps, wanted) = match root.table("evaluation")? {
        Some(table) => evaluation(&table)?,
        None => (Steps::default(), vec![Wanted { splits: vec!["test".to_owned()], graphs: None }]),
    };
    let summary = text_of("summary")?.map(|(summary, _)| summary).unwrap_or_default();
    Ok(Read { name, summary, steps, runs, wanted })
}

/// All combinations of a block. Seeds are outermost: every combination gets its first seed before
/// any gets its second.
fn cells(table: &Table<'_>, base: &Run, runs: &mut Vec<Run>) -> Result<(), Problem> {
    table.allow(CELLS)?;
    let algorithms = named(table, "algorithms", |name| {
        let found = algorithms::find(name).map_err(|error| error.to_string())?;
        Ok(found.spec().algorithm.to_string())
    })?;
    let models = named(table, "models", |name| {
        let names = processors::names();
        let suggestion = did_you_mean(name, names.iter().copied());
        let known = names.join(", ");
        match names.contains(&name) {
            true => Ok(name.to_owned()),
            false => Err(format!("unknown model {name:?}, there is {known}{suggestion}")),
        }
    })?;
    let conventions: Vec<Convention> = match table.contains("conventions") {
        true => named(table, "conventions", |name| {
            name.parse()
                .map_err(|error: salsa_traces::convention::UnknownConvention| error.to_string())
        })?,
        false => vec![Convention::default()],
    };
    let hints = match table.contains("hints") {
        true => filled(table, "hints", table.truths("hints")?)?,
        false => vec![false],
    };
    let seeds = seeds(table)?;
    let per_seed = algorithms.len() * models.len() * conventions.len() * hints.len();
    if per_seed.saturating_mul(seeds.len()) > MOST_CELLS.saturating_sub(runs.len()) {
        let problem = format!("expected at most {MOST_CELLS} cells in all");
        return Err((table.line_of_key("algorithms"), table.field("algorithms", problem)));
    }
    for &seed in &seeds {
        for algorithm in &algorithms {
            for model in &models {
                for &convention in &conventions {
                    for &hints in &hints {
                        let mut run = base.clone();
                        run.algorithm.clone_from(algorithm);
                        run.model.processor.clone_from(model);
                        (run.convention, run.hints, run.seed) = (convention, hints, seed);
                        runs.push(run);
                    }
                }
            }
        }
    }
    Ok(())
}

/// A list of numbers, or a text as on the command line.
fn seeds(table: &Table<'_>) -> Result<Vec<u64>, Problem> {
    if !table.contains("seeds") {
        return Ok(vec![Run::default().seed]);
    }
    if !table.is_string("seeds") {
        return filled(table, "seeds", table.wholes("seeds")?);
    }
    let (text, line) = table.string("seeds")?;
    let seeds: Seeds = text.parse().map_err(|error: String| (line, table.field("seeds", error)))?;
    Ok(seeds.iter().collect())
}

fn evaluation(table: &Table<'_>) -> Result<(Steps, Vec<Wanted>), Problem> {
    table.allow(EVALUATION)?;
    let steps = match table.contains("steps") {
        true => {
            let (text, line) = table.string("steps")?;
            text.parse().map_err(|error| (line, table.field("steps", error)))?
        }
        false => Steps::default(),
    };
    let mut wanted = Vec::new();
    for set in table.tables("sets")? {
        set.allow(SET)?;
        let splits = filled(&set, "splits", set.strings("splits")?)?;
        let graphs = match set.contains("graphs") {
            true => match set.whole("graphs")? {
                (0, line) => {
                    return Err((line, set.field("graphs", "expected at least 1, found 0")));
                }
                (graphs, _) => Some(graphs),
            },
            false => None,
        };
        wanted.push(Wanted { splits, graphs });
    }
    Ok((steps, wanted))
}

/// A list of names, each understood.
fn named<T: Eq + Hash + Clone>(
    table: &Table<'_>,
    field: &str,
    of: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Problem> {
    let (names, line) = table.strings(field)?;
    let found: Result<Vec<T>, String> = names.iter().map(|name| of(name)).collect();
    let found = found.map_err(|problem| (line, table.field(field, problem)))?;
    filled(table, field, (found, line))
}

/// A list that has something in it, each once.
fn filled<T: Eq + Hash + Clone>(
    table: &Table<'_>,
    field: &str,
    (mut list, line): (Vec<T>, usize),
) -> Result<Vec<T>, Problem> {
    if list.is_empty() {
        return Err((line, table.field(field, "expected at least one, found none")));
    }
    let mut seen = HashSet::new();
    list.retain(|item| seen.insert(item.clone()));
    Ok(list)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_in_name)
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// The nearest name to the name of a file.
fn as_name(text: &str) -> String {
    text.chars().map(|c| if is_in_name(c) { c } else { '-' }).collect()
}
