//! `salsa inspect`: one sample as tables.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_traces::algorithms;
use salsa_traces::export::{binary, json_lines};
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::spec::{Field, Kind, Location};
use salsa_traces::trajectory::Values;

use crate::arguments::{AlgorithmArgument, DataArguments, Format};
use crate::failure::Failure;
use crate::table::{short, table};

/// Show one sample as tables: graph, inputs, what changes at each step, outputs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa inspect --algorithm bfs --split train --index 7
  salsa inspect --algorithm dfs --generator tree --nodes 8
  salsa inspect --algorithm bfs --file data/paper-bfs-train.jsonl --index 7")]
pub struct Inspect {
    #[command(flatten)]
    pub sample: SampleArguments,

    /// Lines to show of each part at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    lines: usize,

    /// How to print; json gives the whole sample with dense hints
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Which sample.
#[derive(Debug, Args)]
pub struct SampleArguments {
    #[command(flatten)]
    algorithm: AlgorithmArgument,

    #[command(flatten)]
    data: DataArguments,

    /// Split of the suite
    #[arg(long, default_value = "train")]
    split: String,

    /// Index of the sample, from 0
    #[arg(long, short, default_value_t = 0)]
    index: u64,

    /// Take the sample from a file written by salsa generate
    #[arg(long, conflicts_with_all = ["suite", "generator", "split"])]
    file: Option<PathBuf>,
}

impl SampleArguments {
    /// The sample, with hints unless a file left them out.
    pub fn load(&self) -> Result<Sample, Failure> {
        let algorithm = self.algorithm.find()?;
        if let Some(file) = &self.file {
            return from_file(file, self.index, &algorithm.spec().algorithm);
        }
        let suite = self.data.suite(self.index.saturating_add(1))?;
        let split = if self.data.generator.is_some() { "custom" } else { &self.split };
        let sampler = Sampler::new(&suite, self.data.seed(&suite), algorithm, split)?;
        Ok(sampler.sample(self.index, true)?)
    }
}

fn from_file(path: &Path, index: u64, algorithm: &str) -> Result<Sample, Failure> {
    let place = path.display();
    let file = File::open(path).map_err(|error| Failure::reading(path, &error))?;
    let missing = || Failure::mistake(format!("{place}: there is no sample {index}"));
    let reader = BufReader::new(file);
    let sample = if path.extension().is_some_and(|extension| extension == "bin") {
        let damaged = |error| Failure::System(format!("{place}: {error}"));
        let mut records = binary::Records::new(reader).map_err(damaged)?;
        records.nth(index as usize).ok_or_else(missing)?.map_err(damaged)?
    } else {
        let line = reader.lines().nth(index as usize).ok_or_else(missing)?;
        let line = line.map_err(|error| Failure::reading(path, &error))?;
        let spec = algorithms::find(algorithm)?.spec();
        json_lines::read_sample(&line, spec)
            .map_err(|error| Failure::mistake(format!("{place}:{}: {error}", index + 1)))?
    };
    if sample.trajectory.spec.algorithm != algorithm {
        let found = &sample.trajectory.spec.algorithm;
        let problem = format!("{place}: sample {index} is of {found}, not of {algorithm}");
        return Err(Failure::mistake(problem));
    }
    Ok(sample)
}

impl Inspect {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let sample = self.sample.load()?;
        if self.format == Format::Json {
            return json_lines::write_line(out, &sample, None).map_err(Failure::output);
        }
        let text = self.text(&sample);
        writeln!(out, "{text}").map_err(Failure::output)
    }

    fn text(&self, sample: &Sample) -> String {
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let parts = [
            format!(
                "{} on a {} graph: {} nodes, {} edges, {} steps\ncontent hash {}",
                trajectory.spec.algorithm,
                sample.generator,
                graph.n_nodes(),
                graph.n_edges(),
                trajectory.length,
                sample.content_hash()
            ),
            format!("Graph\n{}", self.graph_table(sample)),
            format!("Inputs\n{}", inputs_table(sample)),
            format!("Steps\n{}", self.steps_table(sample)),
            format!("Outputs\n{}", self.outputs_table(sample)),
        ];
        parts.join("\n\n")
    }

    fn graph_table(&self, sample: &Sample) -> String {
        let graph = &sample.graph;
        let rows: Vec<[String; 3]> = graph
            .nodes()
            .map(|u| {
                let neighbours: Vec<String> = graph
                    .weighted_neighbours(u)
                    .map(|(v, weight)| match graph.is_weighted() {
                        true => format!("{v} ({weight:.3})"),
                        false => v.to_string(),
                    })
                    .collect();
                [u.to_string(), graph.degree(u).to_string(), neighbours.join(" ")]
            })
            .collect();
        self.cut(["node", "degree", "neighbours"], rows)
    }

    /// One line for each step and feature that changes in it.
    fn steps_table(&self, sample: &Sample) -> String {
        let trajectory = &sample.trajectory;
        if trajectory.hints.is_none() {
            return "hints were not recorded".to_owned();
        }
        let mut rows = Vec::new();
        'steps: for step in 0..trajectory.length as usize {
            let mut label = step.to_string();
            for (field, hint) in trajectory.recorded_hints() {
                let changes = hint.changes_at(step);
                if !changes.is_empty() {
                    let listed = changes_text(sample, field, &changes);
                    rows.push([std::mem::take(&mut label), field.name.to_string(), listed]);
                }
                if rows.len() > self.lines {
                    break 'steps;
                }
            }
            if !label.is_empty() {
                rows.push([label, String::new(), "nothing changes".to_owned()]);
            }
        }
        self.cut(["step", "hint", "changes"], rows)
    }

    fn outputs_table(&self, sample: &Sample) -> String {
        let mut rows = Vec::new();
        for (field, values) in sample.trajectory.spec.outputs().zip(&sample.trajectory.outputs) {
            rows.push([
                field.name.to_string(),
                kind_text(field),
                values_text(sample, field, values),
            ]);
        }
        table(["output", "type", "value"], 3, rows)
    }

    /// A table without the lines beyond the limit, left-aligned.
    fn cut<const N: usize>(&self, header: [&str; N], mut rows: Vec<[String; N]>) -> String {
        let hidden = rows.len().saturating_sub(self.lines);
        rows.truncate(self.lines);
        let text = table(header, N, rows);
        if hidden == 0 { text } else { format!("{text}\n... more lines, see --lines") }
    }
}

fn kind_text(field: &Field) -> String {
    format!("{} {}", field.location, field.kind)
}

fn inputs_table(sample: &Sample) -> String {
    let mut rows = Vec::new();
    for field in sample.trajectory.spec.inputs() {
        let text = match &*field.name {
            "pos" => "node index / n".to_owned(),
            "A" => "weight of each edge, 1 without weights, 0 on self-loops".to_owned(),
            "adj" => "1 on every edge and self-loop".to_owned(),
            "weights" => "weight of each edge, 1 on self-loops".to_owned(),
            "randomness" => {
                let phases = sample.inputs.randomness.iter().flat_map(|values| values.phases());
                let phases: Vec<String> = phases
                    .map(|phase| {
                        let shown: Vec<String> =
                            phase.iter().take(8).map(|value| format!("{value:.3}")).collect();
                        let more = if phase.len() > 8 { " ..." } else { "" };
                        format!("[{}{more}]", shown.join(" "))
                    })
                    .collect();
                format!("by phase: {}", phases.join(" "))
            }
            _ => sample
                .input(&field.name)
                .map_or(String::new(), |values| values_text(sample, field, &values)),
        };
        rows.push([field.name.to_string(), kind_text(field), text]);
    }
    table(["input", "type", "value"], 3, rows)
}

/// Changes as `index:value`; masks as what turns on and off.
fn changes_text(sample: &Sample, field: &Field, changes: &[(u32, f64)]) -> String {
    let name = |index: u32| index_text(sample, field, index);
    let all: Vec<String> = match field.kind {
        Kind::MaskOne => changes.iter().map(|(_, node)| short(*node)).collect(),
        Kind::Mask if field.location != Location::Graph => changes
            .iter()
            .map(|&(index, on)| format!("{}{}", if on == 1.0 { '+' } else { '-' }, name(index)))
            .collect(),
        _ if field.location == Location::Graph => {
            changes.iter().map(|(_, value)| number(*value)).collect()
        }
        Kind::Pointer => {
            changes.iter().map(|&(index, value)| format!("{index}->{}", short(value))).collect()
        }
        _ => changes
            .iter()
            .map(|&(index, value)| format!("{}={}", name(index), number(value)))
            .collect(),
    };
    limited(&all)
}

fn values_text(sample: &Sample, field: &Field, values: &Values) -> String {
    match values {
        Values::MaskOne(node) => format!("node {node}"),
        Values::Mask(values) => {
            let on: Vec<String> = (0..)
                .zip(values)
                .filter(|(_, on)| **on)
                .map(|(index, _)| index_text(sample, field, index))
                .collect();
            limited(&on)
        }
        Values::Pointer(targets) => {
            let all: Vec<String> = targets
                .iter()
                .enumerate()
                .map(|(node, target)| format!("{node}->{target}"))
                .collect();
            limited(&all)
        }
        Values::Scalar(values) if field.location == Location::Graph => number(values[0]),
        Values::Scalar(values) => limited(
            &values
                .iter()
                .enumerate()
                .map(|(node, value)| format!("{node}={}", number(*value)))
                .collect::<Vec<_>>(),
        ),
        Values::Categorical(values) => limited(
            &values
                .iter()
                .enumerate()
                .map(|(node, class)| format!("{node}={class}"))
                .collect::<Vec<_>>(),
        ),
    }
}

/// A node's number, or the two ends of an entry.
fn index_text(sample: &Sample, field: &Field, index: u32) -> String {
    if field.location != Location::Edge {
        return index.to_string();
    }
    let ends = sample.graph.entries().nth(index as usize);
    ends.map_or(index.to_string(), |(source, target)| format!("({source},{target})"))
}

fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn limited(all: &[String]) -> String {
    const SHOWN: usize = 24;
    match all.len() {
        0 => "none".to_owned(),
        len if len > SHOWN => format!("{} ... {} in all", all[..SHOWN].join(" "), len),
        _ => all.join(" "),
    }
}
