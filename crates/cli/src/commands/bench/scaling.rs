//! `salsa bench scaling`: the paper's figure of memory over the size of a graph.
//!
//! The paper shows the memory that BFS takes with GIN, one graph at a time. Here it stands beside
//! that of the published code. Every cell runs in a process of its own, so that its peak memory is
//! its own too; one that memory is too small for ends its line and not the measurement.

mod lines;
mod published;
mod rendered;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use salsa_learn::compute::Compute;
use salsa_traces::convention::Convention;

pub use self::lines::scaling_lines;
use self::rendered::{csv, memory_plot, text, time_plot};
use super::own_process::in_own_process;
use super::pass::{Cell, Question, Source, Work, measure};
use super::{Shown, check_nodes, saved};
use crate::compute::{ComputeListArguments, words};
use crate::failure::Failure;
use crate::files::write_whole;
use crate::json::print_json;
use crate::png;
use crate::progress::Progress;

/// Measure how time and memory of BFS grow with the graph, as in the paper's figure
///
/// The graphs are those of bench infer, one at a time: Erdős-Rényi with the paper's parameters. The
/// model is new with hidden size 128. Inference is encoding, all steps and decoding, without
/// gradients; a training step is forward, backward, clipping and AdamW.
///
/// Memory on the CPU is the most that the process held during the work above what it held before
/// it, with the model and the graph ready. On a GPU it is all that was taken from the driver, model
/// included: at least 32 MiB. The published code's figures are quoted: GIN on an H200, above the
/// 102 MiB that it always takes. They are without gradients; beside training stand three times as
/// much, which is about what its script takes, because it keeps gradients.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa bench scaling --plots figure
  salsa bench scaling --device cpu,cuda --training --format json > scaling.json
  salsa bench scaling --from scaling.json --format csv
  salsa bench scaling --nodes 65536,262144,1048576 --model gin,pgn,recgnn")]
pub struct Scaling {
    /// Numbers of nodes, separated by commas [default: 16, 32 and so on to 32768]
    #[arg(long, value_delimiter = ',')]
    nodes: Vec<u32>,

    /// Models, separated by commas
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', default_values = ["gin"])]
    model: Vec<String>,

    /// Measure a training step too
    #[arg(long)]
    training: bool,

    #[command(flatten)]
    compute: ComputeListArguments,

    /// Folder for plots of time and memory as SVG and PNG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown<TableFormat>,

    /// Measure one cell in this process: training where that is asked for
    #[arg(long, hide = true)]
    one: bool,
}

/// How a table is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum TableFormat {
    #[default]
    Text,
    Json,
    Csv,
}

/// Cells that differ in the number of nodes only.
struct Line<'a> {
    compute: Compute,
    model: &'a str,
    work: Work,
}

impl Scaling {
    pub fn run(mut self, out: &mut impl Write) -> Result<(), Failure> {
        if self.nodes.is_empty() {
            self.nodes = (4..=15).map(|power| 1 << power).collect();
        }
        check_nodes(&self.nodes)?;
        let cells: Vec<Cell> = match &self.shown.from {
            Some(file) => saved(file)?,
            None if self.one => return print_json(out, &self.one()?),
            None => self.measure()?,
        };
        // First what took long to measure: a plot may have no place to go.
        match self.shown.format {
            TableFormat::Json => print_json(out, &cells),
            TableFormat::Csv => write!(out, "{}", csv(&cells)).map_err(Failure::output),
            TableFormat::Text => writeln!(out, "{}", text(&cells)).map_err(Failure::output),
        }?;
        if let Some(folder) = &self.plots {
            for (name, plot) in [("memory", memory_plot(&cells)), ("time", time_plot(&cells))] {
                let svg = plot.to_svg(900.0, 560.0);
                let png = png::render(&svg, 2.0);
                let png = png.map_err(|error| Failure::System(error.to_string()))?;
                write_whole(&folder.join(format!("{name}.svg")), svg.as_bytes())?;
                write_whole(&folder.join(format!("{name}.png")), &png)?;
            }
        }
        Ok(())
    }

    fn one(&self) -> Result<Cell, Failure> {
        measure(&Question {
            algorithm: "bfs",
            model: &self.model[0],
            source: Source::Nodes(self.nodes[0]),
            graphs: 1,
            compute: self.compute.each()?[0],
            work: if self.training { Work::Training } else { Work::Inference },
            convention: Convention::Paper,
        })
    }

    fn lines(&self) -> Result<Vec<Line<'_>>, Failure> {
        let works: &[Work] =
            if self.training { &[Work::Inference, Work::Training] } else { &[Work::Inference] };
        let mut lines = Vec::new();
        for compute in self.compute.each()? {
            // One that is missing is told before others have taken their time.
            compute.try_out()?;
            for model in &self.model {
                lines.extend(works.iter().map(|&work| Line { compute, model, work }));
            }
        }
        Ok(lines)
    }

    fn measure(&self) -> Result<Vec<Cell>, Failure> {
        let lines = self.lines()?;
        let progress = Progress::new((lines.len() * self.nodes.len()) as u64, "measuring");
        let (mut cells, mut ends) = (Vec::new(), Vec::new());
        for line in &lines {
            for (place, &nodes) in self.nodes.iter().enumerate() {
                match line.cell(nodes) {
                    Ok(cell) => cells.push(cell),
                    // Its first cell shows that all but the size is right.
                    Err(Failure::System(problem)) if place > 0 => {
                        ends.push(problem);
                        progress.advance((self.nodes.len() - place) as u64);
                        break;
                    }
                    Err(failure) => return Err(failure),
                }
                progress.advance(1);
            }
        }
        drop(progress);
        for problem in ends {
            eprintln!("{problem} (this size and those after it are left out)");
        }
        Ok(cells)
    }
}

impl Line<'_> {
    fn cell(&self, nodes: u32) -> Result<Cell, Failure> {
        let Self { compute, model, work } = *self;
        let (compute, nodes) = (words(compute), nodes.to_string());
        let mut all = vec!["scaling", "--model", model, "--nodes", &nodes];
        all.extend(compute.iter().map(String::as_str));
        if work == Work::Training {
            all.push("--training");
        }
        let name = format!("{} with {model} on {nodes} nodes, {}", work.name(), compute[1]);
        in_own_process(&name, &all, &[])
    }
}
