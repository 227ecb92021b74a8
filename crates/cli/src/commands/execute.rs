//! `salsa execute`: an algorithm on given graphs, one JSON line a case.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::read::MultiGzDecoder;
use salsa_traces::algorithms::Algorithm;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{ExecuteError, Inputs, Options, Randomness, execute};
use salsa_traces::export::json_lines::{Case, read_case, write_line};
use salsa_traces::random;
use salsa_traces::readers::{self, ReadError};
use salsa_traces::sample::{Sample, weighted};

use crate::arguments::AlgorithmArgument;
use crate::failure::Failure;
use crate::lines::numbered_lines;

/// Run an algorithm on given graphs and print one JSON line a case
///
/// Reads cases as JSON Lines (`n`, `edges`, and as needed `weights`, `source`, `randomness`),
/// plain or gzipped, or graphs from edge lists, DIMACS, Matrix Market, METIS and GraphML files.
/// Each case is printed with its inputs, hints and outputs in the same format.
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

    /// Source node of cases without one, and of graph files, which otherwise start at node 0
    #[arg(long, value_name = "NODE")]
    source: Option<u32>,

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
        let algorithm = self.algorithm.find()?;
        let graph_format: Option<readers::Format> =
            self.graph_format.as_deref().map(str::parse).transpose().map_err(Failure::mistake)?;
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        for file in files {
            let name = file.display().to_string();
            if name == "-" {
                self.cases("<stdin>", io::stdin().lock(), algorithm, out)?;
                continue;
            }
            if file.is_dir() {
                let problem = format!("{name}: expected a file, found a folder");
                return Err(Failure::mistake(problem));
            }
            let opened = File::open(file).map_err(|error| Failure::reading(file, &error))?;
            if graph_format.is_none() && name.ends_with(".jsonl.gz") {
                let reader = BufReader::new(MultiGzDecoder::new(opened));
                self.cases(&name, reader, algorithm, out)?;
            } else if graph_format.is_none() && is_json(file) {
                self.cases(&name, BufReader::new(opened), algorithm, out)?;
            } else {
                let graph = readers::read(file, graph_format).map_err(unreadable)?;
                let inputs = Inputs { source: Some(self.source.unwrap_or(0)), randomness: None };
                let case = Case { generator: "file".to_owned(), note: None, graph, inputs };
                self.case(&name, 0, case, algorithm, out)?;
            }
        }
        Ok(())
    }

    fn cases(
        &self,
        name: &str,
        reader: impl BufRead,
        algorithm: &dyn Algorithm,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut is_empty = true;
        for line in numbered_lines(name, reader) {
            let (number, line) = line?;
            if line.trim().is_empty() {
                continue;
            }
            is_empty = false;
            let place = format!("{name}:{number}");
            let mut case =
                read_case(&line).map_err(|error| Failure::mistake(format!("{place}: {error}")))?;
            case.inputs.source = case.inputs.source.or(self.source);
            self.case(&place, number, case, algorithm, out)?;
        }
        if is_empty {
            return Err(Failure::mistake(format!("{name}: there is no case in it")));
        }
        Ok(())
    }

    /// Runs one case; `stream` tells apart the random values of the cases.
    fn case(
        &self,
        place: &str,
        stream: u64,
        case: Case,
        algorithm: &dyn Algorithm,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let Case { generator, note, mut graph, mut inputs } = case;
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut rng = random::stream(key, stream);
        if self.random_weights && !graph.is_weighted() {
            graph = weighted(graph, &mut rng);
        }
        inputs.randomness.get_or_insert_with(|| Randomness::drawn(rng));
        let options = Options { hints: !self.no_hints, convention: self.convention };
        let (inputs, trajectory) =
            execute(algorithm, &graph, inputs, options).map_err(|error| advised(place, error))?;
        let sample = Sample { generator, graph, inputs, trajectory };
        write_line(out, &sample, note.as_deref()).map_err(Failure::output)
    }
}

fn advised(place: &str, error: ExecuteError) -> Failure {
    let advice = match &error {
        ExecuteError::NoSource(_) => "; give one with --source",
        ExecuteError::NoWeights(_) => "; give them, or draw them with --random-weights",
        _ => "",
    };
    match Failure::from(error) {
        Failure::Mistake(message) => Failure::Mistake(format!("{place}: {message}{advice}")),
        other => other,
    }
}

fn unreadable(error: ReadError) -> Failure {
    let advice = match error {
        ReadError::UnknownExtension { .. } => " with --graph-format",
        _ => "",
    };
    Failure::mistake(format!("{error}{advice}"))
}

fn is_json(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("jsonl" | "json" | "ndjson"))
}
