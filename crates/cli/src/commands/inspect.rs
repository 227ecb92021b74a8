//! `salsa inspect`: one sample as tables.

use std::io::Write;

use clap::Args;
use salsa_traces::export::json_lines;
use salsa_traces::sample::Sample;

use crate::arguments::Format;
use crate::describe::{self, listed};
use crate::failure::Failure;
use crate::one_sample::SampleArguments;
use crate::table::table;

/// Show a sample as tables: graph, inputs, steps, outputs
///
/// A change is shown as node=value, as node->node for a pointer, and as +node or -node where a
/// mask turns on or off; (u,v) is the edge from u to v. Before step 0 masks are off, nodes point
/// to themselves and numbers are 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa inspect --algorithm bfs --split train --index 7
  salsa inspect --algorithm dfs --generator tree --nodes 8
  salsa inspect --algorithm bfs --file data/paper-bfs-train.arrow --index 7")]
pub struct Inspect {
    #[command(flatten)]
    sample: SampleArguments,

    /// Lines to show of each table at most
    #[arg(long, value_name = "N", default_value_t = 60)]
    lines: usize,

    /// How to print; json gives the whole sample with dense hints
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Inspect {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let sample = self.sample.load()?;
        if self.format == Format::Json {
            return json_lines::write_line(out, &sample, None).map_err(Failure::output);
        }
        let (graph, trajectory) = (&sample.graph, &sample.trajectory);
        let parts = [
            format!(
                "{}, {} graph: {} nodes, {} edges, {} steps\ncontent hash {}",
                trajectory.spec.algorithm,
                sample.generator,
                graph.n_nodes(),
                graph.n_edges(),
                trajectory.length,
                sample.content_hash()
            ),
            format!("Graph\n{}", graph_table(&sample, self.lines)),
            format!("Inputs\n{}", inputs_table(&sample)),
            format!("Steps\n{}", steps_table(&sample, self.lines)),
            format!("Outputs\n{}", outputs_table(&sample)),
        ];
        writeln!(out, "{}", parts.join("\n\n")).map_err(Failure::output)
    }
}

fn graph_table(sample: &Sample, lines: usize) -> String {
    let graph = &sample.graph;
    let row = |u: u32| {
        let neighbours: Vec<(u32, f64)> = graph.weighted_neighbours(u).collect();
        let neighbours = listed(&neighbours, |(v, weight)| match graph.is_weighted() {
            true => format!("{v} ({weight:.3})"),
            false => v.to_string(),
        });
        [u.to_string(), graph.degree(u).to_string(), neighbours]
    };
    let text =
        table(["node", "degree", "neighbours"], 3, graph.nodes().take(lines).map(row).collect());
    match graph.n_nodes().saturating_sub(lines) {
        0 => text,
        hidden => format!("{text}\n... {hidden} more nodes, see --lines"),
    }
}

fn inputs_table(sample: &Sample) -> String {
    let rows = sample.trajectory.spec.inputs().map(|field| {
        let text = match &*field.name {
            "pos" => "node index / n".to_owned(),
            "A" => "weight of each edge, 1 without weights, 0 on self-loops".to_owned(),
            "adj" => "1 on every edge and self-loop".to_owned(),
            "weights" => "weight of each edge, 1 on self-loops".to_owned(),
            "randomness" => {
                let phases = sample.inputs.randomness.iter().flat_map(|values| values.phases());
                let phases = phases.map(|phase| listed(phase, |value| format!("{value:.3}")));
                phases.map(|phase| format!("[{phase}]")).collect::<Vec<_>>().join("\n")
            }
            name => {
                let values = sample.input(name);
                values.map_or_else(String::new, |values| {
                    describe::values(&sample.graph, field, &values)
                })
            }
        };
        [field.name.to_string(), describe::kind(field), text]
    });
    table(["input", "type", "value"], 3, rows.collect())
}

/// One line for each step and hint that changes in it.
fn steps_table(sample: &Sample, lines: usize) -> String {
    let trajectory = &sample.trajectory;
    if trajectory.hints.is_none() {
        return "hints were not recorded".to_owned();
    }
    let header = ["step", "hint", "changes"];
    let mut rows = Vec::new();
    for step in 0..trajectory.length as usize {
        let mut label = step.to_string();
        for (field, hint) in trajectory.recorded_hints() {
            if let Some(changes) = describe::changes(&sample.graph, field, hint, step) {
                rows.push([std::mem::take(&mut label), field.name.to_string(), changes]);
            }
        }
        if !label.is_empty() {
            rows.push([label, String::new(), "nothing changes".to_owned()]);
        }
        if rows.len() > lines {
            rows.truncate(lines);
            let last = trajectory.length - 1;
            return format!("{}\n... the last step is {last}, see --lines", table(header, 3, rows));
        }
    }
    table(header, 3, rows)
}

fn outputs_table(sample: &Sample) -> String {
    let trajectory = &sample.trajectory;
    let rows = trajectory.spec.outputs().zip(&trajectory.outputs).map(|(field, values)| {
        let text = describe::values(&sample.graph, field, values);
        [field.name.to_string(), describe::kind(field), text]
    });
    table(["output", "type", "value"], 3, rows.collect())
}
