//! Graphs from files, with an algorithm's execution on each.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use salsa_traces::algorithms::Algorithm;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{ExecuteError, Inputs, Options, Randomness, execute};
use salsa_traces::export::json_lines::{Case, read_case};
use salsa_traces::random;
use salsa_traces::readers::{self, ReadError};
use salsa_traces::sample::{Sample, weighted};

use crate::failure::Failure;
use crate::lines::numbered_lines;

/// How files are read and what is done with the graphs in them.
pub struct GraphFiles {
    /// The algorithm to execute.
    pub algorithm: &'static dyn Algorithm,
    /// How it is read.
    pub convention: Convention,
    /// Whether its hints are recorded.
    pub hints: bool,
    /// The source of cases without one, and of graph files as they call it; otherwise these start
    /// at their first node.
    pub source: Option<String>,
    /// Whether weights are drawn for graphs without weights.
    pub random_weights: bool,
    /// The seed of weights and random values that are not given.
    pub seed: u64,
    /// The format of graph files; otherwise their ending tells.
    pub format: Option<readers::Format>,
}

/// What is done with a sample and the note of its case.
type Each<'a> = dyn FnMut(Sample, Option<&str>) -> Result<(), Failure> + 'a;

impl GraphFiles {
    /// Executes the algorithm on each graph in `file`; `-` is the standard input.
    pub fn each(&self, file: &Path, each: &mut Each<'_>) -> Result<(), Failure> {
        let name = file.display().to_string();
        if name == "-" {
            return self.cases("<stdin>", io::stdin().lock(), each);
        }
        if file.is_dir() {
            return Err(Failure::mistake(format!("{name}: expected a file, found a folder")));
        }
        let opened = File::open(file).map_err(|error| Failure::reading(file, &error))?;
        if self.format.is_none() && name.ends_with(".jsonl.gz") {
            self.cases(&name, BufReader::new(MultiGzDecoder::new(opened)), each)
        } else if self.format.is_none() && is_json(file) {
            self.cases(&name, BufReader::new(opened), each)
        } else {
            let (graph, labels) = readers::read_labelled(file, self.format).map_err(unreadable)?;
            let source = match &self.source {
                None => 0,
                Some(source) => labels.node(source, graph.n_nodes()).ok_or_else(|| {
                    Failure::mistake(format!("--source: {name} has no node {source}"))
                })?,
            };
            let inputs = Inputs { source: Some(source), randomness: None };
            let case = Case { generator: "file".to_owned(), note: None, graph, inputs };
            self.case(&name, 0, case, each)
        }
    }

    /// All samples in `file`.
    pub fn samples(&self, file: &Path) -> Result<Vec<Sample>, Failure> {
        let mut samples = Vec::new();
        self.each(file, &mut |sample, _| {
            samples.push(sample);
            Ok(())
        })?;
        Ok(samples)
    }

    fn cases(&self, name: &str, reader: impl BufRead, each: &mut Each<'_>) -> Result<(), Failure> {
        let source = self.source.as_deref().map(|text| {
            let expected =
                |_| Failure::mistake(format!("--source: expected a node, found {text:?}"));
            text.parse::<u32>().map_err(expected)
        });
        let source = source.transpose()?;
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
            case.inputs.source = case.inputs.source.or(source);
            self.case(&place, number, case, each)?;
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
        each: &mut Each<'_>,
    ) -> Result<(), Failure> {
        let Case { generator, note, mut graph, mut inputs } = case;
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut rng = random::stream(key, stream);
        if self.random_weights && !graph.is_weighted() {
            graph = weighted(graph, &mut rng);
        }
        inputs.randomness.get_or_insert_with(|| Randomness::drawn(rng));
        let options = Options { hints: self.hints, convention: self.convention };
        let (inputs, trajectory) = execute(self.algorithm, &graph, inputs, options)
            .map_err(|error| advised(place, error))?;
        each(Sample { generator, graph, inputs, trajectory }, note.as_deref())
    }
}

/// The format of graph files that a command line names.
pub fn format(name: Option<&str>) -> Result<Option<readers::Format>, Failure> {
    name.map(str::parse).transpose().map_err(Failure::mistake)
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
