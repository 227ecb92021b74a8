//! Several samples as one disconnected graph, with everything a model reads and is compared with.
//!
//! Graphs of different size need no padding, being parts of one sparse graph. Trajectories of
//! different length need none either: hints are laid out by [`Moments`], the steps that each graph
//! takes, one below the other. What a loss divides by is in the weights: the number of values it is
//! a mean over, times the number of steps of the longest.

mod collator;
mod moments;

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::graph::{Edges, EdgesError};
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use thiserror::Error;

use collator::Collator;
pub(crate) use collator::count;
pub use moments::{Moments, Place};

/// Graphs, inputs and answers of a training step.
#[derive(Debug, PartialEq)]
pub struct Batch {
    /// The message-passing graph of all graphs together.
    pub edges: Arc<Edges>,
    /// The first node of each graph, and the number of nodes.
    pub graphs: Arc<Indices>,
    /// How many steps each graph takes.
    pub lengths: Vec<usize>,
    /// Node inputs `[n_nodes]` by name.
    pub inputs: Vec<(String, Vec<f32>)>,
    /// Edge weights `[n_entries]`.
    pub weights: Option<Vec<f32>>,
    /// Random values `[steps, n_nodes]`.
    pub randomness: Option<Vec<f32>>,
    /// What outputs should be.
    pub outputs: Vec<Target>,
    /// What hints should be at every moment; empty where they are not wanted.
    pub hints: Vec<Target>,
    /// The moments of hints, where they are wanted.
    pub moments: Option<Moments>,
}

/// What one feature should be, at the end or at all moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The feature.
    pub field: Field,
    /// The right answers.
    pub answers: Answers,
    /// What each answer counts in the loss.
    pub weight: f32,
}

/// The right answers, in the layout of what a decoder gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// The place of each right choice among the decoded log-probabilities; `u32::MAX` for none.
    Places(Vec<u32>),
    /// The right number for each decoded number.
    Numbers(Vec<f32>),
}

/// Why samples do not make a batch.
#[derive(Debug, Error, PartialEq)]
pub enum BatchError {
    /// There are none.
    #[error("a batch needs at least one sample")]
    Empty,
    /// An input that the models read is missing.
    #[error("graph {graph} has no input {name}")]
    MissingInput {
        /// Which of the samples.
        graph: usize,
        /// The input.
        name: String,
    },
    /// An output was not recorded.
    #[error("graph {graph} has no output {name}")]
    MissingOutput {
        /// Which of the samples.
        graph: usize,
        /// The output.
        name: String,
    },
    /// Hints are wanted but were not recorded.
    #[error("graph {graph} has no hint {name}")]
    MissingHint {
        /// Which of the samples.
        graph: usize,
        /// The hint.
        name: String,
    },
    /// Samples of different algorithms.
    #[error("graph {graph} is of {found}, expected {expected}")]
    Mixed {
        /// Which of the samples.
        graph: usize,
        /// Its algorithm.
        found: String,
        /// The algorithm of the first.
        expected: String,
    },
    /// A pointer does not follow an edge.
    #[error("graph {graph}: {name} of node {node} is no edge")]
    NoSuchEdge {
        /// Which of the samples.
        graph: usize,
        /// The feature.
        name: String,
        /// The node.
        node: u32,
    },
    /// The entries are not those of an undirected graph.
    #[error(transparent)]
    Edges(#[from] EdgesError),
    /// No decoder is known for such a feature.
    #[error("no decoder for {name}: {location:?} {kind:?}")]
    Undecodable {
        /// The feature.
        name: String,
        /// Its location.
        location: Location,
        /// Its kind.
        kind: Kind,
    },
}

impl Batch {
    /// Puts samples together; `hints` says whether the hints are wanted.
    pub fn new(samples: &[Sample], hints: bool) -> Result<Self, BatchError> {
        let first = samples.first().ok_or(BatchError::Empty)?;
        let spec = &first.trajectory.spec;
        if let Some(graph) = samples.iter().position(|sample| sample.trajectory.spec != *spec) {
            return Err(BatchError::Mixed {
                graph,
                found: samples[graph].trajectory.spec.algorithm.to_string(),
                expected: spec.algorithm.to_string(),
            });
        }
        let mut nodes = vec![0u32];
        let (mut rows, mut neighbours) = (Vec::new(), Vec::new());
        for sample in samples {
            let base = nodes[nodes.len() - 1];
            for (u, v) in sample.graph.entries() {
                rows.push(base + u);
                neighbours.push(base + v);
            }
            nodes.push(base + sample.graph.n_nodes() as u32);
        }
        let lengths: Vec<usize> =
            samples.iter().map(|sample| sample.trajectory.length as usize).collect();
        let edges = Edges::new(nodes[samples.len()] as usize, rows, neighbours)?;
        let moments = hints.then(|| Moments::that_count(&edges, &nodes, &lengths));
        let collator = Collator { samples, edges: &edges, nodes: &nodes };
        let inputs = collator.inputs(spec)?;
        let weights = spec.needs_weights().then(|| collator.weights()).transpose()?;
        let randomness = spec.needs_randomness().then(|| collator.randomness()).transpose()?;
        let outputs =
            spec.outputs().map(|field| collator.output(field)).collect::<Result<_, _>>()?;
        let hints = moments.iter().flat_map(|moments| {
            let collator = &collator;
            spec.hints().map(move |field| collator.hint(field, moments))
        });
        let hints = hints.collect::<Result<_, _>>()?;
        Ok(Self {
            edges: Arc::new(edges),
            graphs: Arc::new(Indices::new(nodes)),
            lengths,
            inputs,
            weights,
            randomness,
            outputs,
            hints,
            moments,
        })
    }

    /// How many graphs.
    pub fn n_graphs(&self) -> usize {
        self.lengths.len()
    }

    /// How many nodes, of all graphs.
    pub fn n_nodes(&self) -> usize {
        self.edges.n_nodes()
    }

    /// The longest length.
    pub fn steps(&self) -> usize {
        self.lengths.iter().copied().max().unwrap_or_default()
    }
}

/// The inputs of an algorithm that become part of a node's encoding, in order.
pub fn encoded_inputs(spec: &Spec) -> impl Iterator<Item = &Field> {
    spec.inputs().filter(|field| field.location == Location::Node && field.name != "randomness")
}
