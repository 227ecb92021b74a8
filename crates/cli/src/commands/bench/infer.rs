//! `salsa bench infer`: time and memory of one model on one large graph, up to a million nodes, or
//! on a batch of them.
//!
//! Every cell runs in a process of its own, so that its peak memory is its own too.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::convention::Convention;

use super::own_process::in_own_process;
use super::pass::{Cell, Question, Source, Work, measure};
use super::{Shown, check_nodes, saved};
use crate::arguments::Format;
use crate::compute::ComputeArguments;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::json::print_json;
use crate::plot::{Plot, Series};
use crate::progress::Progress;
use crate::table::{bytes, table};

/// Measure time and memory of a model on one graph of up to a million nodes
///
/// The graph is Erdős-Rényi with the paper's parameters, or with --split one of the release suite;
/// the model is new (its values do not matter here) with hidden size 128, and it takes as many
/// steps as the algorithm. The time is that of encoding, all steps and decoding; the memory is that
/// of the whole process, making the graph included, or of the GPU. With --batch, nodes, edges and
/// entries are those of all graphs of a batch together. The last column is the time for one entry
/// of the graph (each direction of an edge, and each self-loop) at one step: the same on all graphs
/// if time is linear.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa bench infer --nodes 1024,32768
  salsa bench infer --split er_1600,delaunay_1600 --batch 8 --device cuda
  salsa bench infer --model gin,pgn,recgnn --plots results/inference")]
pub struct Infer {
    /// Numbers of nodes, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [1024, 4096, 16_384, 32_768, 131_072, 1_000_000])]
    nodes: Vec<u32>,

    /// Splits of the release suite to take the graphs from, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "nodes")]
    split: Vec<String>,

    /// Models, separated by commas
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',', default_values = ["pgn"])]
    model: Vec<String>,

    /// Algorithm
    #[arg(long, short, value_name = "NAME", default_value = "bfs")]
    algorithm: String,

    /// How the model is read where paper and published code differ: paper or release
    #[arg(long, value_name = "NAME", default_value_t = Convention::Paper)]
    convention: Convention,

    /// Graphs that are asked about at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: u64,

    #[command(flatten)]
    compute: ComputeArguments,

    /// Folder for plots of time and memory as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,

    /// Measure one cell in this process
    #[arg(long, hide = true)]
    one: bool,
}

impl Infer {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        check_nodes(&self.nodes)?;
        if self.batch == 0 {
            return Err(Failure::mistake("--batch: expected at least 1, found 0"));
        }
        let cells: Vec<Cell> = match &self.shown.from {
            Some(file) => saved(file)?,
            None if self.one => {
                let question = Question {
                    algorithm: &self.algorithm,
                    model: &self.model[0],
                    source: match self.split.first() {
                        Some(split) => Source::Split(split),
                        None => Source::Nodes(self.nodes[0]),
                    },
                    graphs: self.batch,
                    compute: self.compute.compute()?,
                    work: Work::Inference,
                    convention: self.convention,
                };
                return print_json(out, &measure(&question)?);
            }
            None => self.measure()?,
        };
        // First what took long to measure: a plot may have no place to go.
        match self.shown.format {
            Format::Json => print_json(out, &cells),
            Format::Text => writeln!(out, "{}", text(&cells)).map_err(Failure::output),
        }?;
        if let Some(folder) = &self.plots {
            let time = plot(&cells, "inference on one graph", "seconds", |cell| Some(cell.seconds));
            write_whole(&folder.join("time.svg"), time.as_bytes())?;
            let memory = plot(&cells, "peak memory of inference", "MiB", |cell| {
                cell.most_bytes().map(|bytes| bytes as f64 / 1_048_576.0)
            });
            write_whole(&folder.join("memory.svg"), memory.as_bytes())?;
        }
        Ok(())
    }

    fn measure(&self) -> Result<Vec<Cell>, Failure> {
        let (compute, batch) = (self.compute.words()?, self.batch.to_string());
        let convention = self.convention.name();
        let nodes = self.nodes.iter().map(|nodes| ("--nodes", nodes.to_string()));
        let splits = self.split.iter().map(|split| ("--split", split.clone()));
        let sources: Vec<_> =
            if self.split.is_empty() { nodes.collect() } else { splits.collect() };
        let progress = Progress::new((self.model.len() * sources.len()) as u64, "measuring");
        let mut cells = Vec::new();
        for model in &self.model {
            for (option, source) in &sources {
                let words = ["infer", "--algorithm", &self.algorithm, "--model", model];
                let words = words.into_iter().chain([*option, source.as_str(), "--batch", &batch]);
                let words = words.chain(["--convention", convention]);
                let words: Vec<&str> = words.chain(compute.iter().map(String::as_str)).collect();
                let name = format!("{model} with {option} {source}");
                cells.push(in_own_process(&name, &words, &[])?);
                progress.advance(1);
            }
        }
        Ok(cells)
    }
}

fn text(cells: &[Cell]) -> String {
    let rows = cells.iter().map(|cell| {
        [
            cell.algorithm.clone(),
            cell.model.clone(),
            cell.graphs.to_string(),
            cell.nodes.to_string(),
            cell.edges.to_string(),
            cell.entries.to_string(),
            cell.steps.to_string(),
            format!("{:.3}", cell.seconds),
            cell.most_bytes().map_or("unknown".to_owned(), bytes),
            format!("{:.0}", cell.ns),
        ]
    });
    let header = [
        "algorithm",
        "model",
        "graphs",
        "nodes",
        "edges",
        "entries",
        "steps",
        "seconds",
        "peak memory",
        "ns / (entry x step)",
    ];
    table(header, 2, rows.collect())
}

fn plot(
    cells: &[Cell],
    title: &str,
    y_label: &str,
    value: impl Fn(&Cell) -> Option<f64>,
) -> String {
    let points = cells.iter().map(|cell| {
        let point = value(cell).map(|value| (cell.edges as f64, value));
        (format!("{} {}", cell.algorithm, cell.model), point)
    });
    Plot {
        title: title.to_owned(),
        x_label: "edges".to_owned(),
        y_label: y_label.to_owned(),
        log_x: true,
        log_y: true,
        series: Series::by_name(points),
    }
    .to_svg(900.0, 560.0)
}
