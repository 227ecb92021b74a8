//! Several samples as one disconnected graph, with everything a model reads and is compared with.
//!
//! Graphs of different size need no padding, being parts of one sparse graph; trajectories of
//! different length do: steps after a graph's own end weigh nothing. Hints are laid out step by
//! step, T blocks below each other, because all steps are decoded together. What a loss divides by
//! is in the weights: the number of values it is a mean over, times the number of steps.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::graph::{Edges, EdgesError};
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::Values;
use thiserror::Error;

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
    /// What hints should be at every step; empty where they are not wanted.
    pub hints: Vec<Target>,
}

/// What one feature should be, at one moment or at all steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The feature.
    pub field: Field,
    /// The right answers.
    pub answers: Answers,
    /// What each answer counts in the loss.
    pub weights: Vec<f32>,
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

/// Sizes of a batch that answers are laid out by.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    graphs: usize,
    nodes: usize,
    entries: usize,
    steps: usize,
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
        let mut entries = vec![0u32];
        let (mut rows, mut neighbours) = (Vec::new(), Vec::new());
        for sample in samples {
            let base = nodes[nodes.len() - 1];
            for (u, v) in sample.graph.entries() {
                rows.push(base + u);
                neighbours.push(base + v);
            }
            nodes.push(base + sample.graph.n_nodes() as u32);
            entries.push(rows.len() as u32);
        }
        let lengths: Vec<usize> =
            samples.iter().map(|sample| sample.trajectory.length as usize).collect();
        let sizes = Sizes {
            graphs: samples.len(),
            nodes: nodes[samples.len()] as usize,
            entries: rows.len(),
            steps: lengths.iter().copied().max().unwrap_or_default(),
        };
        let collator = Collator { samples, nodes: &nodes, entries: &entries, sizes };
        let inputs = collator.inputs(spec)?;
        let weights = spec.needs_weights().then(|| collator.weights()).transpose()?;
        let randomness = spec.needs_randomness().then(|| collator.randomness()).transpose()?;
        let outputs =
            spec.outputs().map(|field| collator.output(field)).collect::<Result<_, _>>()?;
        let hints = if hints {
            spec.hints().map(|field| collator.hint(field)).collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        Ok(Self {
            edges: Arc::new(Edges::new(sizes.nodes, rows, neighbours)?),
            graphs: Arc::new(Indices::new(nodes)),
            lengths,
            inputs,
            weights,
            randomness,
            outputs,
            hints,
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

/// How many values a feature's loss is a mean over, at one step.
fn count(location: Location, kind: Kind, sizes: Sizes) -> usize {
    match (location, kind) {
        (Location::Graph, _) | (_, Kind::MaskOne) => sizes.graphs,
        (Location::Node, _) => sizes.nodes,
        (Location::Edge, _) => sizes.entries,
    }
}

struct Collator<'a> {
    samples: &'a [Sample],
    /// The first node of each graph.
    nodes: &'a [u32],
    /// The first entry of each graph.
    entries: &'a [u32],
    sizes: Sizes,
}

impl Collator<'_> {
    fn inputs(&self, spec: &Spec) -> Result<Vec<(String, Vec<f32>)>, BatchError> {
        encoded_inputs(spec)
            .map(|field| {
                let mut values = Vec::with_capacity(self.sizes.nodes);
                for (graph, sample) in self.samples.iter().enumerate() {
                    match sample.input(&field.name) {
                        Some(input) => append_numbers(&input, sample.graph.n_nodes(), &mut values),
                        None => return Err(self.missing(graph, &field.name)),
                    }
                }
                Ok((field.name.to_string(), values))
            })
            .collect()
    }

    fn missing(&self, graph: usize, name: &str) -> BatchError {
        BatchError::MissingInput { graph, name: name.to_owned() }
    }

    fn weights(&self) -> Result<Vec<f32>, BatchError> {
        let mut values = Vec::with_capacity(self.sizes.entries);
        for (graph, sample) in self.samples.iter().enumerate() {
            match sample.input("weights") {
                Some(weights) => append_numbers(&weights, sample.graph.n_entries(), &mut values),
                None => return Err(self.missing(graph, "weights")),
            }
        }
        Ok(values)
    }

    fn randomness(&self) -> Result<Vec<f32>, BatchError> {
        let n_nodes = self.sizes.nodes;
        let mut values = vec![0.0; self.sizes.steps * n_nodes];
        for (graph, sample) in self.samples.iter().enumerate() {
            let given = sample.inputs.randomness.as_ref();
            let phases = given.ok_or_else(|| self.missing(graph, "randomness"))?.phases();
            for (step, row) in values.chunks_exact_mut(n_nodes).enumerate() {
                if let (Some(phase), true) =
                    (phases.get(step / 2), step < sample.trajectory.length as usize)
                {
                    let own = &mut row[self.nodes[graph] as usize..self.nodes[graph + 1] as usize];
                    own.iter_mut().zip(phase).for_each(|(value, drawn)| *value = *drawn as f32);
                }
            }
        }
        Ok(values)
    }

    fn output(&self, field: &Field) -> Result<Target, BatchError> {
        let mut answers = Layout::new(field, Sizes { steps: 1, ..self.sizes })?;
        for (graph, sample) in self.samples.iter().enumerate() {
            let values = sample.trajectory.output(&field.name);
            let values = values
                .ok_or_else(|| BatchError::MissingOutput { graph, name: field.name.to_string() })?;
            self.answer(&mut answers, field, graph, 0, values)?;
        }
        Ok(answers.finish(field))
    }

    fn hint(&self, field: &Field) -> Result<Target, BatchError> {
        let mut answers = Layout::new(field, self.sizes)?;
        for (graph, sample) in self.samples.iter().enumerate() {
            let hint = sample.trajectory.hint(&field.name);
            let hint = hint
                .ok_or_else(|| BatchError::MissingHint { graph, name: field.name.to_string() })?;
            let mut steps = hint.range(0..sample.trajectory.length as usize);
            let mut step = 0;
            while let Some(values) = steps.advance() {
                self.answer(&mut answers, field, graph, step, values)?;
                step += 1;
            }
        }
        Ok(answers.finish(field))
    }

    /// Writes one graph's values at one step.
    fn answer(
        &self,
        layout: &mut Layout,
        field: &Field,
        graph: usize,
        step: usize,
        values: &Values,
    ) -> Result<(), BatchError> {
        let base = self.nodes[graph] as usize;
        let Sizes { graphs, nodes, entries, .. } = self.sizes;
        match (values, &mut layout.answers) {
            (Values::Pointer(pointers), Answers::Places(places)) => {
                let sparse = &self.samples[graph].graph;
                let first = step * entries + self.entries[graph] as usize;
                for (node, &target) in pointers.iter().enumerate() {
                    let node = node as u32;
                    let place = if target == node {
                        sparse.loop_entry(node)
                    } else {
                        let neighbours = sparse.neighbours(node);
                        let arc = neighbours.binary_search(&target).map_err(|_| {
                            BatchError::NoSuchEdge { graph, name: field.name.to_string(), node }
                        })?;
                        sparse.entry(node, sparse.arcs(node).start + arc)
                    };
                    let at = step * nodes + base + node as usize;
                    places[at] = (first + place) as u32;
                    layout.weights[at] = layout.weight;
                }
            }
            (Values::Categorical(classes), Answers::Places(places)) => {
                let Kind::Categorical { classes: n_classes } = field.kind else { return Ok(()) };
                for (i, &class) in classes.iter().enumerate() {
                    let at = step * nodes + base + i;
                    places[at] = (at * usize::from(n_classes) + usize::from(class)) as u32;
                    layout.weights[at] = layout.weight;
                }
            }
            (Values::MaskOne(node), Answers::Places(places)) => {
                let at = step * graphs + graph;
                places[at] = (step * nodes + base) as u32 + node;
                layout.weights[at] = layout.weight;
            }
            (values, Answers::Numbers(numbers)) => {
                let first = match field.location {
                    Location::Node => step * nodes + base,
                    Location::Edge => step * entries + self.entries[graph] as usize,
                    Location::Graph => step * graphs + graph,
                };
                let mut own = Vec::new();
                append_numbers(values, 0, &mut own);
                numbers[first..first + own.len()].copy_from_slice(&own);
                layout.weights[first..first + own.len()].fill(layout.weight);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Answers being filled in; those that never are weigh nothing.
struct Layout {
    answers: Answers,
    weights: Vec<f32>,
    weight: f32,
}

impl Layout {
    fn new(field: &Field, sizes: Sizes) -> Result<Self, BatchError> {
        let count = count(field.location, field.kind, sizes);
        let len = count * sizes.steps;
        let answers = match (field.location, field.kind) {
            (Location::Node, Kind::Pointer | Kind::Categorical { .. } | Kind::MaskOne) => {
                Answers::Places(vec![u32::MAX; len])
            }
            (_, Kind::Scalar | Kind::Mask) => Answers::Numbers(vec![0.0; len]),
            (location, kind) => {
                let name = field.name.to_string();
                return Err(BatchError::Undecodable { name, location, kind });
            }
        };
        let weight = 1.0 / (count * sizes.steps) as f32;
        Ok(Self { answers, weights: vec![0.0; len], weight })
    }

    fn finish(self, field: &Field) -> Target {
        Target { field: field.clone(), answers: self.answers, weights: self.weights }
    }
}

/// Values as numbers: masks as 0 and 1, a marked one among `count` as one-hot.
fn append_numbers(values: &Values, count: usize, to: &mut Vec<f32>) {
    match values {
        Values::Mask(values) => to.extend(values.iter().map(|&value| f32::from(u8::from(value)))),
        Values::Scalar(values) => to.extend(values.iter().map(|&value| value as f32)),
        Values::Categorical(values) => to.extend(values.iter().map(|&value| f32::from(value))),
        Values::MaskOne(node) => {
            let first = to.len();
            to.resize(first + count, 0.0);
            to[first + *node as usize] = 1.0;
        }
        Values::Pointer(values) => to.extend(values.iter().map(|&value| value as f32)),
    }
}
