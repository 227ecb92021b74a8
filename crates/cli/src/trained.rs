//! A trained network and the graphs it is asked about, from the command line.

use std::path::PathBuf;

use clap::Args;
use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::compute::Computed;
use salsa_learn::evaluation::{Data, Options, Steps, TestSet};
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::convention::Convention;
use salsa_traces::spec::Spec;
use salsa_traces::suite::Suite;

use crate::arguments::chosen_splits;
use crate::compute::ComputeArguments;
use crate::failure::Failure;
use crate::graph_files::{self, GraphFiles};

/// Which network, and which graphs.
#[derive(Debug, Args)]
pub struct TrainedArguments {
    /// A checkpoint, or the folder of a training for its best one
    #[arg(value_name = "CHECKPOINT|FOLDER")]
    checkpoint: PathBuf,

    /// Suite: paper, release, large, or the path of a suite file [default: the run's]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Data")]
    suite: Option<String>,

    /// Splits, separated by commas; `test` for all test sets, `all` for every split
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "test",
        help_heading = "Data"
    )]
    split: Vec<String>,

    /// Number of graphs of each split, from the first on [default: the whole split]
    #[arg(long, value_name = "N", help_heading = "Data")]
    samples: Option<u64>,

    /// Seed of the data, or of what graph files do not give [default: the run's, or the suite's]
    #[arg(long, value_name = "SEED", help_heading = "Data")]
    data_seed: Option<u64>,

    /// Files of graphs or cases instead of splits, as salsa execute reads them
    #[arg(
        long,
        value_name = "FILES",
        num_args = 1..,
        conflicts_with_all = ["suite", "split", "samples"],
        help_heading = "Graphs of your own"
    )]
    graphs: Vec<PathBuf>,

    /// Source node of cases without one, and of graph files, by its name there [default of graph
    /// files: their first node]
    #[arg(long, value_name = "NODE", requires = "graphs", help_heading = "Graphs of your own")]
    source: Option<String>,

    /// Draw random weights for graphs without weights
    #[arg(long, requires = "graphs", help_heading = "Graphs of your own")]
    random_weights: bool,

    /// Reading of the algorithm: paper or release [default: the run's]
    #[arg(long, value_name = "NAME", requires = "graphs", help_heading = "Graphs of your own")]
    convention: Option<Convention>,

    /// Format of graph files: edge-list, dimacs, matrix-market, metis or graphml [default: by
    /// their ending]
    #[arg(long, value_name = "FORMAT", requires = "graphs", help_heading = "Graphs of your own")]
    graph_format: Option<String>,

    /// When the network stops: recorded (as the algorithm did), auto (when its answer has not
    /// changed for two steps) or after a number of steps
    #[arg(long, value_name = "STEPS", default_value_t)]
    steps: Steps,

    #[command(flatten)]
    compute: ComputeArguments,
}

/// A checkpoint and where its graphs come from.
pub struct Trained {
    /// The network.
    pub checkpoint: Checkpoint,
    /// How it is asked.
    pub options: Options,
    /// What computes.
    pub computed: Computed,
    algorithm: &'static dyn Algorithm,
    source: Source,
}

enum Source {
    Suite { suite: Suite, seed: u64 },
    Files(GraphFiles),
}

impl TrainedArguments {
    /// Reads the checkpoint and the suite, and tries the device.
    pub fn load(&self) -> Result<Trained, Failure> {
        let options = Options { steps: self.steps, compute: self.compute.compute()? };
        if self.samples == Some(0) {
            return Err(Failure::mistake("--samples: expected at least 1, found 0"));
        }
        let checkpoint = Checkpoint::of_trained(&self.checkpoint)?;
        let run = &checkpoint.run;
        let algorithm = algorithms::find(&run.algorithm)?;
        let source = if self.graphs.is_empty() {
            let suite = Suite::named_or_load(self.suite.as_deref().unwrap_or(run.suite()))?;
            // The run's seed is of its own suite.
            let seed = self.data_seed.or(run.data_seed.filter(|_| self.suite.is_none()));
            Source::Suite { seed: seed.unwrap_or(suite.seed), suite }
        } else {
            Source::Files(GraphFiles {
                algorithm,
                convention: self.convention.unwrap_or(run.convention),
                hints: false,
                source: self.source.clone(),
                random_weights: self.random_weights,
                seed: self.data_seed.unwrap_or(0),
                format: graph_files::format(self.graph_format.as_deref())?,
            })
        };
        let computed = options.compute.try_out()?;
        Ok(Trained { checkpoint, options, computed, algorithm, source })
    }

    /// The graphs that are asked for: a set for each split or file.
    pub fn sets<'a>(&self, trained: &'a Trained) -> Result<Vec<TestSet<'a>>, Failure> {
        match &trained.source {
            Source::Suite { suite, seed } => chosen_splits(suite, &self.split)?
                .into_iter()
                .map(|split| {
                    split
                        .some(self.samples)
                        .map_err(|error| Failure::mistake(format!("--samples: {error}")))?;
                    let (algorithm, samples) = (trained.algorithm, self.samples);
                    Ok(TestSet::split(suite, *seed, algorithm, &split.name, samples)?)
                })
                .collect(),
            Source::Files(files) => self
                .graphs
                .iter()
                .map(|file| {
                    let (name, samples) = (file.display().to_string(), files.samples(file)?);
                    Ok(TestSet::given(&name, samples, files.convention))
                })
                .collect(),
        }
    }
}

impl Trained {
    /// What its algorithm reads and gives.
    pub fn spec(&self) -> &'static Spec {
        self.algorithm.spec()
    }

    /// Where its graphs come from, for a record.
    pub fn data(&self) -> Data {
        match &self.source {
            Source::Suite { suite, seed } => Data::Suite {
                name: suite.name.clone(),
                version: suite.version,
                convention: suite.convention,
                seed: *seed,
            },
            Source::Files(files) => Data::Files { convention: files.convention, seed: files.seed },
        }
    }
}
