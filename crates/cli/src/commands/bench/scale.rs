//! `salsa bench scale`: time and memory of executions with hints, up to a million nodes.
//!
//! Every cell runs in a process of its own, so that its peak memory is its own too.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::algorithms;
use salsa_traces::execution::{Options, execute};
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;
use serde::{Deserialize, Serialize};

use super::memory::peak_memory;
use super::own_process::in_own_process;
use super::{Shown, saved, seconds};
use crate::arguments::Format;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::json::print_json;
use crate::plot::{Plot, Series};
use crate::progress::Progress;
use crate::table::{bytes, table};

/// Measure time and memory of samples with hints on graphs of up to a million nodes
///
/// Times are given for each edge and doubling of nodes, of the execution alone and of the whole
/// sample: graph, inputs and execution.
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa bench scale --plots results/scale")]
pub struct Scale {
    /// Numbers of nodes, separated by commas
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 31_623, 100_000, 316_228, 1_000_000])]
    nodes: Vec<u32>,

    /// Algorithms, separated by commas [default: the six of the benchmark]
    #[arg(long, short, value_name = "NAMES", value_delimiter = ',')]
    algorithm: Vec<String>,

    /// Generators, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values = ["er", "ws", "delaunay"])]
    generator: Vec<String>,

    /// Folder for plots of time and memory as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,

    /// Measure one cell in this process
    #[arg(long, hide = true)]
    one: bool,
}

/// One algorithm on one graph.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cell {
    algorithm: String,
    generator: String,
    nodes: usize,
    edges: usize,
    steps: u32,
    /// Seconds to make the graph and the inputs, the best of a few.
    generate_s: f64,
    /// Seconds to execute with hints, the best of a few.
    execute_s: f64,
    /// Nanoseconds of the execution for each edge and doubling of nodes.
    execute_ns: f64,
    /// The same of the whole sample: graph, inputs and execution.
    sample_ns: f64,
    hint_bytes: usize,
    peak_bytes: u64,
}

impl Scale {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let cells = match &self.shown.from {
            Some(file) => saved(file)?,
            None if self.one => {
                let cell = measure(&self.algorithms()[0], &self.generator[0], self.nodes[0])?;
                return print_json(out, &cell);
            }
            None => self.measure()?,
        };
        // First what took long to measure: a plot may have no place to go.
        match self.shown.format {
            Format::Json => print_json(out, &cells),
            Format::Text => {
                writeln!(out, "{}\n\n{}", text(&cells), growth(&cells)).map_err(Failure::output)
            }
        }?;
        if let Some(folder) = &self.plots {
            let time =
                plot(&cells, "a sample with hints", "ns / (edge x log2 n)", |cell| cell.sample_ns);
            write_whole(&folder.join("time.svg"), time.as_bytes())?;
            let memory = plot(&cells, "peak memory with hints", "MiB", |cell| {
                cell.peak_bytes as f64 / 1_048_576.0
            });
            write_whole(&folder.join("memory.svg"), memory.as_bytes())?;
        }
        Ok(())
    }

    fn algorithms(&self) -> Vec<String> {
        match self.algorithm.as_slice() {
            [] => {
                let names = algorithms::benchmark().iter().map(|known| &known.spec().algorithm);
                names.map(ToString::to_string).collect()
            }
            names => names.to_vec(),
        }
    }

    fn measure(&self) -> Result<Vec<Cell>, Failure> {
        let algorithms = self.algorithms();
        let count = algorithms.len() * self.generator.len() * self.nodes.len();
        let progress = Progress::new(count as u64, "measuring");
        let mut cells = Vec::new();
        for algorithm in &algorithms {
            for generator in &self.generator {
                for &nodes in &self.nodes {
                    let nodes = nodes.to_string();
                    let cell = format!("{algorithm} on {generator} {nodes}");
                    let words = ["--algorithm", algorithm, "--generator", generator];
                    let words = [&["scale", "--nodes", &nodes], words.as_slice()].concat();
                    cells.push(in_own_process(&cell, &words, &KEEP_MEMORY)?);
                    progress.advance(1);
                }
            }
        }
        Ok(cells)
    }
}

/// Memory once taken is kept: clearing fresh pages is the system's time, not ours, and small
/// graphs do not pay for it either after their first turn.
const KEEP_MEMORY: [(&str, &str); 1] = [("MIMALLOC_PURGE_DELAY", "-1")];

fn text(cells: &[Cell]) -> String {
    let rows = cells.iter().map(|cell| {
        [
            cell.algorithm.clone(),
            cell.generator.clone(),
            cell.nodes.to_string(),
            cell.edges.to_string(),
            cell.steps.to_string(),
            format!("{:.3}", cell.generate_s),
            format!("{:.3}", cell.execute_s),
            format!("{:.2}", cell.execute_ns),
            format!("{:.2}", cell.sample_ns),
            bytes(cell.hint_bytes as u64),
            bytes(cell.peak_bytes),
        ]
    });
    let header = [
        "algorithm",
        "graphs",
        "nodes",
        "edges",
        "steps",
        "generate s",
        "execute s",
        "execute ns",
        "sample ns",
        "hints",
        "peak memory",
    ];
    table(header, 2, rows.collect())
}

/// How much more each edge and doubling of nodes costs on the largest graph than on the smallest.
fn growth(cells: &[Cell]) -> String {
    let of_one = |cells: &[Cell]| {
        let (first, last) = (&cells[0], &cells[cells.len() - 1]);
        [
            first.algorithm.clone(),
            first.generator.clone(),
            format!("{} to {}", first.nodes, last.nodes),
            format!("{:.2}", last.execute_ns / first.execute_ns),
            format!("{:.2}", last.sample_ns / first.sample_ns),
        ]
    };
    let is_same = |a: &Cell, b: &Cell| (&a.algorithm, &a.generator) == (&b.algorithm, &b.generator);
    let header = ["algorithm", "graphs", "nodes", "growth of execute ns", "of sample ns"];
    table(header, 2, cells.chunk_by(is_same).map(of_one).collect())
}

fn measure(algorithm: &str, generator: &str, nodes: u32) -> Result<Cell, Failure> {
    let text = format!(
        "name = \"scale\"\nversion = 1\nconvention = \"paper\"\nseed = 0\n\n[[split]]\n\
         name = \"scale\"\nsamples = 1\ngenerator = {generator:?}\nnodes = {nodes}\n"
    );
    let suite = Suite::parse("scale", &text)?;
    let known = algorithms::find(algorithm)?;
    let sampler = Sampler::new(&suite, suite.seed, known, "scale")?;
    let options = Options { hints: true, convention: suite.convention };
    let (mut generate_s, mut execute_s) = (f64::INFINITY, f64::INFINITY);
    let mut last = None;
    // Enough turns to see past the noise on small graphs, few on large ones.
    for _ in 0..(3_000_000 / nodes).clamp(3, 50) {
        drop(last.take());
        let (problem, time) = seconds(|| sampler.problem(0));
        generate_s = generate_s.min(time);
        let (graph, inputs) = problem?;
        let (done, time) = seconds(|| execute(known, &graph, inputs, options));
        execute_s = execute_s.min(time);
        last = Some((graph, done?.1));
    }
    let (graph, trajectory) = last.ok_or_else(|| Failure::System("no run was made".to_owned()))?;
    let edges = graph.n_edges();
    let units = edges as f64 * f64::from(nodes).log2();
    Ok(Cell {
        algorithm: algorithm.to_owned(),
        generator: generator.to_owned(),
        nodes: graph.n_nodes(),
        edges,
        steps: trajectory.length,
        generate_s,
        execute_s,
        execute_ns: 1e9 * execute_s / units,
        sample_ns: 1e9 * (generate_s + execute_s) / units,
        hint_bytes: trajectory.hint_bytes(),
        peak_bytes: peak_memory()
            .ok_or_else(|| Failure::System("peak memory is told by Linux only".to_owned()))?,
    })
}

fn plot(cells: &[Cell], title: &str, y_label: &str, value: impl Fn(&Cell) -> f64) -> String {
    let points = cells.iter().map(|cell| {
        let name = format!("{} {}", cell.algorithm, cell.generator);
        (name, Some((cell.nodes as f64, value(cell))))
    });
    Plot {
        title: title.to_owned(),
        x_label: "nodes".to_owned(),
        y_label: y_label.to_owned(),
        log_x: true,
        log_y: true,
        series: Series::by_name(points),
    }
    .to_svg(900.0, 560.0)
}
