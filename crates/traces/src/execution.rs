//! Running an algorithm on a given graph: checks the inputs, runs, and gives the trajectory.

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::algorithms::Algorithm;
use crate::convention::Convention;
use crate::graph::Graph;
use crate::random;
use crate::spec::Spec;
use crate::trajectory::{RecordError, Recorder, Trajectory, TrajectoryError};

/// What an algorithm reads beside the graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// The node it starts at.
    pub source: Option<u32>,
    /// Its random values.
    pub randomness: Option<Randomness>,
}

impl Inputs {
    /// Whether they fit a graph and an execution of so many steps.
    pub(crate) fn check(
        &self,
        spec: &Spec,
        n_nodes: usize,
        is_weighted: bool,
        length: u32,
    ) -> Result<(), TrajectoryError> {
        let wrong = |name: &str, problem: String| Err(TrajectoryError::new(name, problem));
        let missing = |name: &str| wrong(name, format!("{} needs it", spec.algorithm));
        match self.source {
            Some(source) if source as usize >= n_nodes => {
                return wrong("source", format!("expected a node below {n_nodes}, found {source}"));
            }
            None if spec.needs_source() => return missing("source"),
            _ => {}
        }
        if spec.needs_weights() && !is_weighted {
            return missing("weights");
        }
        match self.randomness.as_ref().map(Randomness::phases) {
            Some(phases) => {
                if let Some(phase) = phases.iter().find(|phase| phase.len() != n_nodes) {
                    let found = phase.len();
                    return wrong("randomness", format!("expected {n_nodes} nodes, found {found}"));
                }
                let (expected, found) = (length.div_ceil(2), phases.len());
                if (expected as usize) > found {
                    return wrong(
                        "randomness",
                        format!("expected {expected} phases, found {found}"),
                    );
                }
            }
            None if spec.needs_randomness() => return missing("randomness"),
            None => {}
        }
        Ok(())
    }
}

/// Random values, a fresh one for every node in each phase of two steps.
///
/// How many phases an execution needs shows only while it runs, so the values are either given
/// or drawn phase by phase; in the end those that were used are an input like any other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Randomness {
    phases: Vec<Vec<f64>>,
    /// How many phases the execution has asked for.
    #[serde(skip)]
    used: usize,
    #[serde(skip)]
    rng: Option<ChaCha8Rng>,
}

/// What an execution is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether hints are recorded.
    pub hints: bool,
    /// Which reading of the benchmark is followed.
    pub convention: Convention,
}

/// An execution in progress: what the algorithm may read.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The node to start at; 0 if the algorithm has none.
    pub source: u32,
    /// The random values; empty if the algorithm has none.
    pub randomness: Randomness,
    /// Which reading of the benchmark is followed.
    pub convention: Convention,
}

/// Why an algorithm cannot run on these inputs.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ExecuteError {
    /// No source was given.
    #[error("{0} needs a source node")]
    NoSource(String),
    /// The source is not a node.
    #[error("the source {source_node} is outside 0..{n_nodes}")]
    Source {
        /// The source given.
        source_node: u32,
        /// Nodes of the graph.
        n_nodes: usize,
    },
    /// No weights were given.
    #[error("{0} needs edge weights")]
    NoWeights(String),
    /// Weights the algorithm is not correct for.
    #[error("{algorithm} needs weights of at least 0, edge ({u}, {v}) has {weight}")]
    NegativeWeight {
        /// The algorithm.
        algorithm: String,
        /// The lower end.
        u: u32,
        /// The higher end.
        v: u32,
        /// The weight.
        weight: f64,
    },
    /// No random values were given.
    #[error("{0} needs random values")]
    NoRandomness(String),
    /// Random values of a wrong shape.
    #[error("the random values have {found} nodes, expected {expected}")]
    RandomnessShape {
        /// Nodes of the graph.
        expected: usize,
        /// Nodes of the values.
        found: usize,
    },
    /// The given random values end before the execution does.
    #[error("{found} phases of random values were given, the execution needs more")]
    RandomnessTooShort {
        /// Phases given.
        found: usize,
    },
    /// An algorithm that is not of this crate gave up.
    #[error("{0}")]
    Failed(String),
    /// The algorithm broke its own spec.
    #[error(transparent)]
    Record(#[from] Box<RecordError>),
}

/// Runs `algorithm` on `graph`.
///
/// The inputs come back with the random values that were used.
///
/// ```
/// use salsa_traces::{algorithms, execution::*, graph::Graph, trajectory::Values};
/// // 0 - 1 - 2
/// let path = Graph::from_edges(3, &[(0, 1), (1, 2)])?;
/// let inputs = Inputs { source: Some(0), randomness: None };
/// let options = Options { hints: true, convention: Default::default() };
/// let (_, trajectory) = execute(algorithms::find("bfs")?, &path, inputs, options)?;
/// assert_eq!(trajectory.length, 3);
/// assert_eq!(trajectory.output("pi"), Some(&Values::Pointer(vec![0, 0, 1])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn execute(
    algorithm: &dyn Algorithm,
    graph: &Graph,
    inputs: Inputs,
    options: Options,
) -> Result<(Inputs, Trajectory), ExecuteError> {
    let spec = algorithm.spec();
    let name = || spec.algorithm.to_string();
    let source = if spec.needs_source() {
        let source_node = inputs.source.ok_or_else(|| ExecuteError::NoSource(name()))?;
        let n_nodes = graph.n_nodes();
        if source_node as usize >= n_nodes {
            return Err(ExecuteError::Source { source_node, n_nodes });
        }
        Some(source_node)
    } else {
        None
    };
    if spec.needs_weights() && !graph.is_weighted() {
        return Err(ExecuteError::NoWeights(name()));
    }
    let randomness = if spec.needs_randomness() {
        Some(inputs.randomness.ok_or_else(|| ExecuteError::NoRandomness(name()))?)
    } else {
        None
    };
    let needs_randomness = randomness.is_some();
    let mut problem = Problem {
        graph,
        source: source.unwrap_or(0),
        randomness: randomness.unwrap_or_else(|| Randomness::given(Vec::new())),
        convention: options.convention,
    };
    let mut recorder = Recorder::new(spec, graph, options.hints);
    algorithm.run(&mut problem, &mut recorder)?;
    let randomness = needs_randomness.then(|| problem.randomness.settled());
    Ok((Inputs { source, randomness }, recorder.finish()?))
}

impl Problem<'_> {
    /// Refuses negative weights, for algorithms that are wrong with them.
    pub fn require_nonnegative_weights(&self, algorithm: &str) -> Result<(), ExecuteError> {
        if !self.graph.has_negative_weight() {
            return Ok(());
        }
        let weights = self.graph.edge_weights().into_iter().flatten();
        match self.graph.edges().zip(weights).find(|(_, weight)| *weight < 0.0) {
            Some(((u, v), weight)) => {
                let algorithm = algorithm.to_owned();
                Err(ExecuteError::NegativeWeight { algorithm, u, v, weight })
            }
            None => Ok(()),
        }
    }
}

impl Randomness {
    /// Given values: for each phase one value a node.
    pub fn given(phases: Vec<Vec<f64>>) -> Self {
        Self { phases, used: 0, rng: None }
    }

    /// Values drawn uniformly from (0, 1) as they are needed.
    pub fn drawn(rng: ChaCha8Rng) -> Self {
        Self { phases: Vec::new(), used: 0, rng: Some(rng) }
    }

    /// The values of all phases so far.
    pub fn phases(&self) -> &[Vec<f64>] {
        &self.phases
    }

    /// The values of phase `phase`, one a node; phases are asked for in order.
    pub fn phase(&mut self, phase: usize, n_nodes: usize) -> Result<&[f64], ExecuteError> {
        if phase >= self.phases.len() {
            let found = self.phases.len();
            let rng = self.rng.as_mut().ok_or(ExecuteError::RandomnessTooShort { found })?;
            self.phases.push((0..n_nodes).map(|_| random::unit(rng)).collect());
        }
        let values = &self.phases[phase];
        if values.len() != n_nodes {
            let found = values.len();
            return Err(ExecuteError::RandomnessShape { expected: n_nodes, found });
        }
        self.used = phase + 1;
        Ok(values)
    }

    /// The values that were used, without those after them and the generator behind them.
    fn settled(mut self) -> Self {
        self.phases.truncate(self.used);
        Self::given(self.phases)
    }
}

impl PartialEq for Randomness {
    /// Equal values, whatever they came from.
    fn eq(&self, other: &Self) -> bool {
        self.phases == other.phases
    }
}
