//! `salsa execute`: an algorithm on given graphs, one JSON line a case.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::convention::Convention;
use salsa_traces::export::json_lines::write_line;

use crate::arguments::AlgorithmArgument;
use crate::failure::Failure;
use crate::graph_files::{self, GraphFiles};

/// Run an algorithm on given graphs and print one JSON line a case
///
/// Reads cases as JSON Lines (`n`, `edges`, and as needed `weights`, `source`, `randomness`),
/// plain or gzipped, or graphs from edge lists, DIMACS, Matrix Market, METIS and GraphML files.
/// Each case is printed with its inputs, hints and outputs in the same format. Nodes of graph files
/// are numbered from 0 there: edge lists in the order of their numbers, the others as they come.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa execute --algorithm bfs --convention release cases.jsonl
  salsa execute --algorithm dijkstra --source 3 roads.gr
  echo '{\"n\": 3, \"edges\": [[0, 1], [1, 2]], \"source\": 0}' | salsa execute -a bfs")]
pub struct Execute {
    #[command(flatten)]
    algorithm: AlgorithmArgument,

    /// Files of cases or graphs; - or nothing for cases from the standard input
    files: Vec<PathBuf>,

    /// Reading of the benchmark: paper or release
    #[arg(long, value_name = "NAME", default_value_t)]
    convention: Convention,

    /// Leave the hints out
    #[arg(long)]
    no_hints: bool,

    /// Source node of cases without one, and of graph files, by its name there [default of graph
    /// files: their first node]
    #[arg(long, value_name = "NODE")]
    source: Option<String>,

    /// Draw random weights for graphs without weights
    #[arg(long)]
    random_weights: bool,

    /// Seed for random weights and random values that are not given
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Format of graph files: edge-list, dimacs, matrix-market, metis or graphml [default: by
    /// their ending]
    #[arg(long, value_name = "FORMAT")]
    graph_format: Option<String>,
}

impl Execute {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let graph_files = GraphFiles {
            algorithm: self.algorithm.find()?,
            convention: self.convention,
            hints: !self.no_hints,
            source: self.source,
            random_weights: self.random_weights,
            seed: self.seed,
            format: graph_files::format(self.graph_format.as_deref())?,
        };
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        for file in files {
            graph_files.each(file, &mut |sample, note| {
                write_line(out, &sample, note).map_err(Failure::output)
            })?;
        }
        Ok(())
    }
}
