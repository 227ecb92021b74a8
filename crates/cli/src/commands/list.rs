//! `salsa list`: what there is, from the lists that everything else derives from too.

use std::io::Write;

use clap::{Args, ValueEnum};
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::generators;
use salsa_traces::spec::{Field, Kind, Stage};
use salsa_traces::suite::{BUILT_IN, Suite};
use serde_json::{Value, json};

use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::table::table;

/// List algorithms with their specs, graph generators and suites
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa list algorithms
  salsa list --format json")]
pub struct List {
    /// What to list [default: everything]
    what: Option<What>,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Algorithms,
    Generators,
    Suites,
}

impl List {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let wanted: Vec<What> = match self.what {
            Some(what) => vec![what],
            None => vec![What::Algorithms, What::Generators, What::Suites],
        };
        if self.format == Format::Json {
            let mut all = serde_json::Map::new();
            for what in wanted {
                match what {
                    What::Algorithms => all.insert("algorithms".into(), algorithms_json()),
                    What::Generators => all.insert("generators".into(), generators_json()),
                    What::Suites => all.insert("suites".into(), suites_json()?),
                };
            }
            return print_json(out, &all);
        }
        for (place, what) in wanted.into_iter().enumerate() {
            let text = match what {
                What::Algorithms => algorithms_text(),
                What::Generators => generators_text(),
                What::Suites => suites_text()?,
            };
            let gap = if place == 0 { "" } else { "\n" };
            writeln!(out, "{gap}{text}").map_err(Failure::output)?;
        }
        Ok(())
    }
}

fn algorithms_text() -> String {
    let mut text = String::from("Algorithms\n");
    for algorithm in algorithms::ALL {
        let spec = algorithm.spec();
        let alias = match algorithm.published_name() {
            name if name == spec.algorithm => String::new(),
            name => format!(" ({name})"),
        };
        text.push_str(&format!("\n{}{alias}: {}\n", spec.algorithm, algorithm.summary()));
        for stage in [Stage::Input, Stage::Hint, Stage::Output] {
            let fields = wrapped(spec.stage(stage).map(feature), 10);
            text.push_str(&format!("  {:<7} {fields}\n", format!("{stage}s")));
        }
    }
    text.trim_end().to_owned()
}

/// Items with commas between, on lines of at most 100 characters, the later ones indented.
fn wrapped(items: impl Iterator<Item = String>, indent: usize) -> String {
    let mut text = String::new();
    let mut column = indent;
    for item in items {
        if text.is_empty() {
            // The first item has nothing before it.
        } else if column + item.len() > 96 {
            text.push_str(&format!(",\n{:indent$}", ""));
            column = indent;
        } else {
            text.push_str(", ");
            column += 2;
        }
        text.push_str(&item);
        column += item.len();
    }
    text
}

fn feature(field: &Field) -> String {
    format!("{} ({} {})", field.name, field.location, field.kind)
}

fn algorithms_json() -> Value {
    let one = |algorithm: &&dyn Algorithm| {
        let spec = algorithm.spec();
        let field = |field: &Field| {
            let classes = match field.kind {
                Kind::Categorical { classes } => Some(classes),
                _ => None,
            };
            json!({
                "name": field.name, "stage": field.stage.to_string(),
                "location": field.location.to_string(), "type": field.kind.to_string(),
                "classes": classes,
            })
        };
        json!({
            "name": spec.algorithm, "published_name": algorithm.published_name(),
            "summary": algorithm.summary(),
            "spec": spec.fields.iter().map(field).collect::<Vec<Value>>(),
        })
    };
    algorithms::ALL.iter().map(one).collect()
}

fn generators_text() -> String {
    let mut text = String::from("Graph generators\n");
    for family in generators::ALL {
        let names: Vec<&str> = family.names().collect();
        // "grid: grid: rows of ..." says it once too often.
        let summary = match family.summary.split_once(": ") {
            Some((name, rest)) if name == family.name => rest,
            _ => family.summary,
        };
        text.push_str(&format!("\n{}: {summary}\n", names.join(", ")));
        for parameter in family.parameters {
            let default = match parameter.default {
                "" => String::new(),
                default => format!(" [default: {default}]"),
            };
            text.push_str(&format!("  {:<12} {}{default}\n", parameter.name, parameter.meaning));
        }
    }
    text.trim_end().to_owned()
}

fn generators_json() -> Value {
    let one = |family: &&generators::Family| {
        let parameter = |parameter: &generators::Parameter| {
            json!({
                "name": parameter.name, "default": parameter.default, "meaning": parameter.meaning,
            })
        };
        json!({
            "name": family.name, "aliases": family.aliases, "summary": family.summary,
            "parameters": family.parameters.iter().map(parameter).collect::<Vec<Value>>(),
        })
    };
    generators::ALL.iter().map(one).collect()
}

fn suites() -> Result<Vec<Suite>, Failure> {
    BUILT_IN.iter().map(|(name, _)| Ok(Suite::named(name)?)).collect()
}

fn suites_text() -> Result<String, Failure> {
    let mut texts = vec!["Suites".to_owned()];
    for suite in suites()? {
        let rows = suite.splits.iter().map(|split| {
            let graphs = &split.graphs;
            [
                split.name.clone(),
                graphs.family.to_owned(),
                split.samples.to_string(),
                graphs.nodes.to_string(),
            ]
        });
        let rows = table(["split", "generator", "samples", "nodes"], 2, rows.collect());
        texts.push(format!(
            "{} (convention {}, seed {}): {}\n{rows}",
            suite.name, suite.convention, suite.seed, suite.summary
        ));
    }
    Ok(texts.join("\n\n"))
}

fn suites_json() -> Result<Value, Failure> {
    let one = |suite: &Suite| {
        let splits = suite.splits.iter().map(|split| {
            json!({
                "name": split.name, "generator": split.graphs.family,
                "samples": split.samples, "nodes": split.graphs.nodes.to_string(),
            })
        });
        json!({
            "name": suite.name, "version": suite.version, "summary": suite.summary,
            "convention": suite.convention, "seed": suite.seed,
            "splits": splits.collect::<Vec<Value>>(),
        })
    };
    Ok(suites()?.iter().map(one).collect())
}
