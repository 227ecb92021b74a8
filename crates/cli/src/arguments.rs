//! Arguments that several commands share.

use std::collections::HashSet;

use clap::{Args, ValueEnum};
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::generators;
use salsa_traces::parameters::{ParameterError, Parameters};
use salsa_traces::suite::{Split, Suite, SuiteError};

use crate::failure::Failure;

/// How a command prints: text for people, JSON for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// Which data: a suite, or one distribution of graphs.
#[derive(Debug, Args)]
pub struct DataArguments {
    /// Suite: paper, release, large, or the path of a suite file
    #[arg(long, value_name = "NAME|FILE", default_value = "paper", help_heading = "Data")]
    pub suite: String,

    /// Seed of the data [default: the suite's]
    #[arg(long, help_heading = "Data")]
    pub seed: Option<u64>,

    /// Graph generator, for a distribution of your own instead of a suite (see salsa list)
    #[arg(long, value_name = "NAME", conflicts_with = "suite", help_heading = "Data")]
    pub generator: Option<String>,

    /// Number of nodes: 16, a choice 4,7,11 or a range 4..16 [default: 16 with --generator]
    #[arg(long, value_name = "N", requires = "generator", help_heading = "Data")]
    pub nodes: Option<String>,

    /// Parameter of the generator, as name=value: p=0.3, k=4,6,8 or p=0.05..0.2
    #[arg(
        long = "param",
        value_name = "NAME=VALUE",
        requires = "generator",
        help_heading = "Data"
    )]
    pub parameters: Vec<String>,
}

impl DataArguments {
    /// The suite that is asked for; a distribution becomes a suite with the one split `custom`
    /// of `samples` samples.
    pub fn suite(&self, samples: u64) -> Result<Suite, Failure> {
        match &self.generator {
            None => Ok(Suite::named_or_load(&self.suite)?),
            Some(generator) => self.custom_suite(generator, samples),
        }
    }

    /// The seed to use with `suite`.
    pub fn seed(&self, suite: &Suite) -> u64 {
        self.seed.unwrap_or(suite.seed)
    }

    /// The text is what a user would write, so that a manifest can carry it.
    fn custom_suite(&self, generator: &str, samples: u64) -> Result<Suite, Failure> {
        let nodes = format!("nodes={}", self.nodes.as_deref().unwrap_or("16"));
        let nodes = Parameters::parse([nodes.as_str()]).map_err(told_of_option)?;
        let given = Parameters::parse(self.parameters.iter().map(String::as_str))
            .map_err(told_of_option)?;
        let family = generators::find(generator)
            .map_err(|error| Failure::mistake(format!("{error} (see salsa list generators)")))?;
        family.with(given.clone()).map_err(told_of_option)?;
        let lines: Vec<String> = nodes
            .iter()
            .chain(given.iter())
            .map(|(name, draw)| format!("{name} = {}\n", draw.toml()))
            .collect();
        let text = format!(
            "name = \"custom\"\nversion = 1\nconvention = \"paper\"\nseed = 0\n\n[[split]]\n\
             name = \"custom\"\nsamples = {samples}\ngenerator = {generator:?}\n{}",
            lines.concat()
        );
        Suite::parse("custom", &text).map_err(|error| match error {
            SuiteError::Invalid { problem, .. } => {
                let problem = problem.strip_prefix("split.").unwrap_or(&problem);
                let (parameter, problem) = problem.split_once(": ").unwrap_or(("", problem));
                told_of_option(ParameterError::new(parameter, problem))
            }
            other => other.into(),
        })
    }
}

/// The problem of a parameter, with the option that gave it.
fn told_of_option(error: ParameterError) -> Failure {
    let ParameterError { parameter, problem } = error;
    Failure::mistake(match parameter.as_str() {
        "nodes" => format!("--nodes: {problem}"),
        _ => format!("--param {parameter}: {problem}"),
    })
}

/// Which algorithm.
#[derive(Debug, Args)]
pub struct AlgorithmArgument {
    /// Algorithm: bfs, dfs, dijkstra, mst, mis, eccentricity, ... (see salsa list)
    #[arg(long, short, value_name = "NAME")]
    pub algorithm: String,
}

impl AlgorithmArgument {
    /// The algorithm.
    pub fn find(&self) -> Result<&'static dyn Algorithm, Failure> {
        Ok(algorithms::find(&self.algorithm)?)
    }
}

/// How many threads work.
#[derive(Debug, Args)]
pub struct JobsArgument {
    /// Number of threads [default: all cores]; the result is the same for any number
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
}

impl JobsArgument {
    /// Sets the number of threads of the process.
    pub fn apply(&self) -> Result<(), Failure> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        let jobs = counted("--jobs", jobs)?;
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build_global()
            .map_err(|error| Failure::System(format!("--jobs: {error}")))
    }
}

/// More threads than any machine has cores would only wait for each other.
const MOST_THREADS: usize = 1024;

fn counted(name: &str, threads: usize) -> Result<usize, Failure> {
    match threads {
        1..=MOST_THREADS => Ok(threads),
        _ => Err(Failure::mistake(format!(
            "{name}: expected 1 to {MOST_THREADS} threads, found {threads}"
        ))),
    }
}

/// How many threads one model uses.
#[derive(Debug, Default, Args)]
pub struct ThreadsArgument {
    /// Number of threads [default: all cores]; the result is the same for any number
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<usize>,
}

impl ThreadsArgument {
    /// The number.
    pub fn count(&self) -> Result<usize, Failure> {
        match self.threads {
            Some(count) => counted("--threads", count),
            None => Ok(std::thread::available_parallelism().map_or(1, |cores| cores.get())),
        }
    }

    /// Whether it was asked for.
    pub fn is_given(&self) -> bool {
        self.threads.is_some()
    }
}

/// The splits that a user names, each once: `test` for all test sets, `all` for every split.
pub fn chosen_splits<'a>(suite: &'a Suite, names: &[String]) -> Result<Vec<&'a Split>, Failure> {
    Ok(suite.chosen(names.iter().map(String::as_str))?)
}

/// Each once, by its name, in the order in which they first come.
pub fn distinct<T>(mut items: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(name(item)));
    items
}
