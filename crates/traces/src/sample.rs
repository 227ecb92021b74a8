//! Sample *i* of a split: a pure function of (suite, seed, algorithm, split, *i*).
//!
//! Every sample has a ChaCha8 stream of its own, so it is the same bytes on every machine, for
//! every number of threads and in any order. From that stream come, in this order: the size, the
//! parameters and edges of the graph, the weights, the source, and the random values.

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::algorithms::Algorithm;
use crate::convention::Convention;
use crate::execution::{ExecuteError, Inputs, Options, Randomness, execute};
use crate::generators::GenerateError;
use crate::graph::Graph;
use crate::random;
use crate::spec::Spec;
use crate::suite::{Split, Suite, SuiteError};
use crate::trajectory::{Trajectory, TrajectoryError, Values};

/// One execution on one graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Where the graph comes from: a family's name, or what a file says.
    pub generator: String,
    /// The graph.
    pub graph: Graph,
    /// What the algorithm read beside it.
    pub inputs: Inputs,
    /// What it recorded.
    pub trajectory: Trajectory,
}

impl Sample {
    /// The input `name` as the model sees it; random values are in [`Sample::inputs`] instead.
    pub fn input(&self, name: &str) -> Option<Values> {
        let graph = &self.graph;
        match name {
            "pos" => Some(Values::Scalar(positions(graph.n_nodes()).collect())),
            "s" => self.inputs.source.map(Values::MaskOne),
            "A" => Some(Values::Scalar(graph.entry_weights(0.0))),
            "adj" => Some(Values::Mask(vec![true; graph.n_entries()])),
            "weights" => graph.is_weighted().then(|| Values::Scalar(graph.entry_weights(1.0))),
            _ => None,
        }
    }

    /// Whether inputs and execution fit the graph and the spec, for a sample that was not made
    /// here, such as one from a file.
    pub fn check(&self) -> Result<(), TrajectoryError> {
        let (graph, trajectory) = (&self.graph, &self.trajectory);
        let (n_nodes, is_weighted) = (graph.n_nodes(), graph.is_weighted());
        self.inputs.check(&trajectory.spec, n_nodes, is_weighted, trajectory.length)?;
        self.trajectory.check(&self.graph)
    }
}

/// The input `pos`: where each of so many nodes stands among them.
pub(crate) fn positions(n_nodes: usize) -> impl Iterator<Item = f64> {
    (0..n_nodes).map(move |node| node as f64 / n_nodes as f64)
}

/// The samples of one split for one algorithm.
#[derive(Clone, Copy)]
pub struct Sampler<'a> {
    algorithm: &'a dyn Algorithm,
    split: &'a Split,
    convention: Convention,
    key: [u8; 32],
}

/// Why there is no such sample.
#[derive(Debug, Error)]
pub enum SampleError {
    /// The suite has no such split.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The split has fewer samples.
    #[error("split {split} has {samples} samples, there is no index {index}")]
    Index {
        /// The split.
        split: String,
        /// How many samples it has.
        samples: u64,
        /// The index asked for.
        index: u64,
    },
    /// No graph could be made.
    #[error("split {split}, sample {index}: {error}")]
    Generate {
        /// The split.
        split: String,
        /// The sample.
        index: u64,
        /// Why.
        error: GenerateError,
    },
    /// The algorithm failed.
    #[error("split {split}, sample {index}: {error}")]
    Execute {
        /// The split.
        split: String,
        /// The sample.
        index: u64,
        /// Why.
        error: ExecuteError,
    },
}

/// Sample `index` of a split, with hints.
pub fn sample(
    suite: &Suite,
    seed: u64,
    algorithm: &dyn Algorithm,
    split: &str,
    index: u64,
) -> Result<Sample, SampleError> {
    Sampler::new(suite, seed, algorithm, split)?.sample(index, true)
}

impl<'a> Sampler<'a> {
    /// The samples of `split` under `seed`.
    pub fn new(
        suite: &'a Suite,
        seed: u64,
        algorithm: &'a dyn Algorithm,
        split: &str,
    ) -> Result<Self, SuiteError> {
        let split = suite.split(split)?;
        let mut key = blake3::Hasher::new_derive_key("salsa-traces 2026 sample stream v1");
        key.update(&seed.to_le_bytes());
        key.update(&suite.version.to_le_bytes());
        for name in [&suite.name, &split.name, &*algorithm.spec().algorithm] {
            key.update(&(name.len() as u64).to_le_bytes());
            key.update(name.as_bytes());
        }
        let key = *key.finalize().as_bytes();
        Ok(Self { algorithm, split, convention: suite.convention, key })
    }

    /// The split.
    pub fn split(&self) -> &'a Split {
        self.split
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &'a dyn Algorithm {
        self.algorithm
    }

    /// Sample `index`.
    pub fn sample(&self, index: u64, hints: bool) -> Result<Sample, SampleError> {
        let (graph, inputs) = self.problem(index)?;
        let options = Options { hints, convention: self.convention };
        let (inputs, trajectory) =
            execute(self.algorithm, &graph, inputs, options).map_err(|error| {
                SampleError::Execute { split: self.split.name.clone(), index, error }
            })?;
        Ok(Sample { generator: self.split.graphs.family.to_owned(), graph, inputs, trajectory })
    }

    /// The graph and inputs of sample `index`, before the execution; random values are drawn
    /// while it runs.
    pub fn problem(&self, index: u64) -> Result<(Graph, Inputs), SampleError> {
        let samples = self.split.samples;
        if index >= samples {
            return Err(SampleError::Index { split: self.split.name.clone(), samples, index });
        }
        let mut rng = random::stream(self.key, index);
        let spec = self.algorithm.spec();
        let mut graph = self.split.graphs.draw(&mut rng).map_err(|error| {
            SampleError::Generate { split: self.split.name.clone(), index, error }
        })?;
        if spec.needs_weights() {
            graph = weighted(graph, &mut rng);
        }
        let inputs = drawn_inputs(spec, &graph, rng);
        Ok((graph, inputs))
    }
}

/// Random weights sqrt(a b + 0.001), a and b uniform in (0, 1), one for both directions.
pub fn weighted(graph: Graph, rng: &mut ChaCha8Rng) -> Graph {
    let weights: Vec<f64> = (0..graph.n_edges())
        .map(|_| (random::unit(rng) * random::unit(rng) + 0.001).sqrt())
        .collect();
    graph.with_weights(&weights).expect("one finite weight was drawn for each edge")
}

/// A uniform source and random values, as far as `spec` needs them.
pub fn drawn_inputs(spec: &Spec, graph: &Graph, mut rng: ChaCha8Rng) -> Inputs {
    Inputs {
        source: spec.needs_source().then(|| random::below(&mut rng, graph.n_nodes() as u32)),
        randomness: spec.needs_randomness().then(|| Randomness::drawn(rng)),
    }
}
