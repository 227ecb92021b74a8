//! `salsa bench execution`: recorded executions beside the bare algorithms of petgraph.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use petgraph::Undirected;
use petgraph::algo::{dijkstra, min_spanning_tree_prim};
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::{Bfs, Dfs};
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Options, execute};
use salsa_traces::graph::Graph;
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;
use serde::{Deserialize, Serialize};

use super::{Shown, median, saved, seconds, time_for_each};
use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::table;

/// Measure executions with hints beside the bare algorithms of petgraph, on the same graphs
///
/// Both run once on each of many fresh graphs, whose making is not part of the time, and take turns
/// in coming first; the figures are medians.
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa bench execution --format json")]
pub struct Execution {
    /// Seconds for each figure
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,

    #[command(flatten)]
    shown: Shown,
}

/// Microseconds for one execution.
#[derive(Debug, Serialize, Deserialize)]
struct Times {
    algorithm: String,
    split: String,
    petgraph_us: f64,
    without_hints_us: f64,
    with_hints_us: f64,
    with_hints_over_petgraph: f64,
}

const ALGORITHMS: [&str; 4] = ["bfs", "dfs", "dijkstra", "mst"];
const SPLITS: [&str; 7] =
    ["er_16", "er_160", "ws_160", "delaunay_160", "er_1600", "ws_1600", "delaunay_1600"];

impl Execution {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let all = match &self.shown.from {
            Some(file) => saved(file)?,
            None => self.measure()?,
        };
        if self.shown.format == Format::Json {
            return print_json(out, &all);
        }
        writeln!(out, "{}", text(&all)).map_err(Failure::output)
    }

    fn measure(&self) -> Result<Vec<Times>, Failure> {
        let suite = Suite::named("release")?;
        let time = time_for_each(self.seconds)?;
        let progress = Progress::new((ALGORITHMS.len() * SPLITS.len()) as u64, "measuring");
        let mut all = Vec::new();
        for algorithm in ALGORITHMS {
            for split in SPLITS {
                all.push(times(&suite, algorithm, split, time)?);
                progress.advance(1);
            }
        }
        Ok(all)
    }
}

fn text(all: &[Times]) -> String {
    let rows = all.iter().map(|times| {
        [
            times.algorithm.clone(),
            times.split.clone(),
            format!("{:.1}", times.petgraph_us),
            format!("{:.1}", times.without_hints_us),
            format!("{:.1}", times.with_hints_us),
            format!("{:.2}", times.with_hints_over_petgraph),
        ]
    });
    let header =
        ["algorithm", "split", "petgraph us", "no hints us", "hints us", "hints / petgraph"];
    table(header, 2, rows.collect())
}

fn times(suite: &Suite, algorithm: &str, split: &str, time: Duration) -> Result<Times, Failure> {
    let known = algorithms::find(algorithm)?;
    let sampler = Sampler::new(suite, suite.seed, known, split)?;
    let (mut bare, mut without, mut with) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    for index in (0..sampler.split().samples).cycle() {
        if start.elapsed() > time && bare.len() > 10 {
            break;
        }
        let (graph, inputs) = sampler.problem(index)?;
        let theirs = convert(&graph);
        let source = NodeIndex::new(inputs.source.unwrap_or(0) as usize);
        // Who comes first changes from graph to graph, for whoever does finds it colder.
        for turn in 0..3 {
            match (index + turn) % 3 {
                0 => bare.push(seconds(|| run_petgraph(algorithm, &theirs, source)).1),
                hints => {
                    let options = Options { hints: hints == 1, convention: Convention::Release };
                    let inputs = inputs.clone();
                    let (done, time) = seconds(|| execute(known, &graph, inputs, options));
                    black_box(done?);
                    if hints == 1 { &mut with } else { &mut without }.push(time);
                }
            }
        }
    }
    let [petgraph, without, with] = [bare, without, with].map(|times| 1e6 * median(times));
    Ok(Times {
        algorithm: algorithm.to_owned(),
        split: split.to_owned(),
        petgraph_us: petgraph,
        without_hints_us: without,
        with_hints_us: with,
        with_hints_over_petgraph: with / petgraph,
    })
}

fn convert(graph: &Graph) -> UnGraph<(), f64> {
    let mut converted =
        petgraph::Graph::<(), f64, Undirected>::with_capacity(graph.n_nodes(), graph.n_edges());
    graph.nodes().for_each(|_| {
        converted.add_node(());
    });
    let weights: Vec<f64> = match graph.edge_weights() {
        Some(weights) => weights.collect(),
        None => vec![1.0; graph.n_edges()],
    };
    for ((u, v), weight) in graph.edges().zip(weights) {
        converted.add_edge(NodeIndex::new(u as usize), NodeIndex::new(v as usize), weight);
    }
    converted
}

fn run_petgraph(algorithm: &str, graph: &UnGraph<(), f64>, source: NodeIndex) {
    match algorithm {
        "bfs" => {
            let mut search = Bfs::new(graph, source);
            while let Some(node) = search.next(graph) {
                black_box(node);
            }
        }
        "dfs" => {
            let mut search = Dfs::new(graph, source);
            while let Some(node) = search.next(graph) {
                black_box(node);
            }
        }
        "dijkstra" => {
            black_box(dijkstra(graph, source, None, |edge| *edge.weight()));
        }
        _ => {
            black_box(min_spanning_tree_prim(graph).count());
        }
    }
}
