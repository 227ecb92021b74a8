//! Reading a case: tensors by name, and the batch they describe.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};
use salsa_engine::buffer::Indices;
use salsa_engine::graph::{Edges, EdgesError};
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use thiserror::Error;

use crate::batch::{Answers, Batch, Target, encoded_inputs};

/// Tensors by group and name, in double precision.
pub type Tensors = BTreeMap<String, Vec<f64>>;

/// A file of expected numbers.
#[derive(Debug)]
pub struct Case {
    path: PathBuf,
    tensors: Tensors,
    metadata: BTreeMap<String, String>,
    reference_deviation: BTreeMap<String, f64>,
    /// The algorithm's features.
    pub spec: Spec,
    /// Which reading of the model.
    pub convention: Convention,
}

/// Why a case cannot be used.
#[derive(Debug, Error)]
pub enum CaseError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// It is no such file.
    #[error("{path}: {problem}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Its edges are not those of an undirected graph.
    #[error("{path}: batch/edge_index: {source}")]
    Edges {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        source: EdgesError,
    },
}

/// Groups whose tensors are results.
const RESULTS: [&str; 9] = [
    "train_output",
    "train_hint",
    "train_hidden",
    "loss",
    "hint_loss",
    "grad",
    "buffer_after",
    "eval_output",
    "eval_hidden",
];

impl Case {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, CaseError> {
        let bytes = std::fs::read(path)
            .map_err(|source| CaseError::Read { path: path.to_owned(), source })?;
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, CaseError> {
        let malformed = |problem: String| CaseError::Malformed { path: path.to_owned(), problem };
        let file = SafeTensors::deserialize(bytes).map_err(|error| malformed(error.to_string()))?;
        let (_, header) =
            SafeTensors::read_metadata(bytes).map_err(|error| malformed(error.to_string()))?;
        let metadata: BTreeMap<String, String> =
            header.metadata().clone().unwrap_or_default().into_iter().collect();
        let mut tensors = Tensors::new();
        for (name, view) in file.tensors() {
            let values = match view.dtype() {
                Dtype::F32 => view
                    .data()
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
                    .collect(),
                Dtype::I64 => view
                    .data()
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|bytes| i64::from_le_bytes(*bytes) as f64)
                    .collect(),
                other => return Err(malformed(format!("{name}: unexpected type {other:?}"))),
            };
            tensors.insert(name, values);
        }
        let field = |name: &str| {
            let found = metadata.get(name);
            found.cloned().ok_or_else(|| malformed(format!("no metadata field {name}")))
        };
        let algorithm =
            algorithms::find(&field("algorithm")?).map_err(|error| malformed(error.to_string()))?;
        let convention = match field("convention")?.as_str() {
            "paper" => Convention::Paper,
            "release" => Convention::Release,
            other => return Err(malformed(format!("unknown convention {other}"))),
        };
        // A file without it is held to the fixed limits.
        let reference_deviation = match metadata.get("float32_deviation") {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| malformed(format!("float32_deviation: {error}")))?,
            None => BTreeMap::new(),
        };
        let spec = algorithm.spec().clone();
        let path = path.to_owned();
        Ok(Self { path, tensors, metadata, reference_deviation, spec, convention })
    }

    /// A malformation of this file.
    pub fn malformed(&self, problem: impl Into<String>) -> CaseError {
        CaseError::Malformed { path: self.path.clone(), problem: problem.into() }
    }

    /// A metadata field.
    pub fn field(&self, name: &str) -> Result<&str, CaseError> {
        let found = self.metadata.get(name).map(String::as_str);
        found.ok_or_else(|| self.malformed(format!("no metadata field {name}")))
    }

    /// A metadata field that is a number.
    pub fn number(&self, name: &str) -> Result<f64, CaseError> {
        let text = self.field(name)?;
        text.parse().map_err(|_| self.malformed(format!("{name}: expected a number, found {text}")))
    }

    /// Whether hints were trained on.
    pub fn hints(&self) -> bool {
        self.metadata.get("hints").is_some_and(|text| text == "true")
    }

    /// A tensor.
    pub fn tensor(&self, name: &str) -> Result<&[f64], CaseError> {
        let found = self.tensors.get(name).map(Vec::as_slice);
        found.ok_or_else(|| self.malformed(format!("no tensor {name}")))
    }

    /// A tensor, if it is there.
    pub fn find(&self, name: &str) -> Option<&[f64]> {
        self.tensors.get(name).map(Vec::as_slice)
    }

    /// The groups of results it holds.
    pub fn groups(&self) -> Vec<String> {
        let holds = |group: &str| self.tensors.keys().any(|name| group_of(name) == group);
        RESULTS.iter().filter(|group| holds(group)).map(|&group| group.to_owned()).collect()
    }

    /// How far the reference's single precision is from its double precision in a group.
    pub fn reference_deviation(&self, group: &str) -> f64 {
        self.reference_deviation.get(group).copied().unwrap_or_default()
    }

    /// The tensor of a group that deviates most from `found`, and how much. One that is expected
    /// but was not found deviates as if it were zero, and the other way round.
    pub fn deviation(&self, group: &str, found: &Tensors) -> (String, f64) {
        let of_group = |tensors: &'_ Tensors| -> Tensors {
            let own = tensors.iter().filter(|(name, _)| group_of(name) == group);
            own.map(|(name, values)| (name.clone(), values.clone())).collect()
        };
        let (expected, found) = (of_group(&self.tensors), of_group(found));
        let whole = norm(expected.values().flatten().copied());
        let mut names: Vec<&String> = expected.keys().chain(found.keys()).collect();
        names.sort();
        names.dedup();
        let mut worst = (String::new(), 0.0);
        for name in names {
            let empty = Vec::new();
            let (want, have) =
                (expected.get(name).unwrap_or(&empty), found.get(name).unwrap_or(&empty));
            let at = |values: &[f64], i: usize| values.get(i).copied().unwrap_or_default();
            let len = want.len().max(have.len());
            let difference = norm((0..len).map(|i| at(want, i) - at(have, i)));
            let scale = norm(want.iter().copied()).max(0.01 * whole);
            let deviation = if difference == 0.0 { 0.0 } else { difference / scale };
            // Also true for NaN.
            if worst.0.is_empty() || !(deviation <= worst.1) {
                worst = (name.clone(), deviation);
            }
        }
        worst
    }

    /// The batch of the case.
    pub fn batch(&self) -> Result<Batch, CaseError> {
        let whole = |values: &[f64]| values.iter().map(|&value| value as u32).collect::<Vec<_>>();
        let edge_index = whole(self.tensor("batch/edge_index")?);
        let (rows, neighbours) = edge_index.split_at(edge_index.len() / 2);
        let graph_of = whole(self.tensor("batch/graph")?);
        let lengths: Vec<usize> =
            self.tensor("batch/length")?.iter().map(|&length| length as usize).collect();
        let (n_nodes, n_graphs) = (graph_of.len(), lengths.len());
        let graphs: Vec<u32> = (0..=n_graphs as u32)
            .map(|graph| graph_of.partition_point(|&of| of < graph) as u32)
            .collect();
        let steps = lengths.iter().copied().max().unwrap_or_default();
        let rows_list = rows.to_vec();
        let edges = Edges::new(n_nodes, rows.to_vec(), neighbours.to_vec())
            .map_err(|source| CaseError::Edges { path: self.path.clone(), source })?;
        let input = |field: &Field| -> Result<(String, Vec<f32>), CaseError> {
            let values = self.tensor(&format!("batch/{}", field.name))?;
            Ok((field.name.to_string(), single(values)))
        };
        let graph_of_entry: Vec<u32> =
            rows_list.iter().map(|&row| graph_of[row as usize]).collect();
        let layout = Layout {
            rows: &rows_list,
            graph_of: &graph_of,
            graph_of_entry: &graph_of_entry,
            lengths: &lengths,
            n_nodes,
        };
        let target = |field: &Field, steps: usize| -> Result<Target, CaseError> {
            let values = self.tensor(&format!("batch/{}", field.name))?;
            Ok(layout.target(field, values, steps))
        };
        Ok(Batch {
            inputs: encoded_inputs(&self.spec).map(input).collect::<Result<_, _>>()?,
            weights: if self.spec.needs_weights() {
                Some(single(self.tensor("batch/weights")?))
            } else {
                None
            },
            randomness: if self.spec.needs_randomness() {
                let values = self.tensor("batch/randomness")?;
                Some(single(&step_major(values, n_nodes, steps)))
            } else {
                None
            },
            outputs: self.spec.outputs().map(|field| target(field, 1)).collect::<Result<_, _>>()?,
            hints: if self.hints() {
                self.spec.hints().map(|field| target(field, steps)).collect::<Result<_, _>>()?
            } else {
                Vec::new()
            },
            graphs: Arc::new(Indices::new(graphs)),
            edges: Arc::new(edges),
            lengths,
        })
    }
}

/// `[count, steps]` to `[steps, count]`.
fn step_major(values: &[f64], count: usize, steps: usize) -> Vec<f64> {
    (0..steps).flat_map(|t| (0..count).map(move |i| values[i * steps + t])).collect()
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// The part of a tensor's name before the first slash.
fn group_of(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// How a case's tensors are laid out.
struct Layout<'a> {
    rows: &'a [u32],
    graph_of: &'a [u32],
    graph_of_entry: &'a [u32],
    lengths: &'a [usize],
    n_nodes: usize,
}

impl Layout<'_> {
    fn target(&self, field: &Field, values: &[f64], steps: usize) -> Target {
        let (n_nodes, n_entries, n_graphs) = (self.n_nodes, self.rows.len(), self.lengths.len());
        let is_hint = steps > 1 || values.len() > n_entries.max(n_nodes);
        let counts = |graph: u32, t: usize| !is_hint || t < self.lengths[graph as usize];
        // For every answer: the graph it belongs to.
        let graph_of: Vec<u32> = match (field.location, field.kind) {
            (Location::Graph, _) | (_, Kind::MaskOne) => (0..n_graphs as u32).collect(),
            (Location::Node, _) => self.graph_of.to_vec(),
            (Location::Edge, _) => self.graph_of_entry.to_vec(),
        };
        let count = graph_of.len();
        let weight = 1.0 / (count * steps) as f32;
        let weights: Vec<f32> = (0..steps)
            .flat_map(|t| graph_of.iter().map(move |&graph| (graph, t)))
            .map(|(graph, t)| if counts(graph, t) { weight } else { 0.0 })
            .collect();
        // The marked one of `of(i)` among `values` at step t.
        let marked = |n: usize, of: &dyn Fn(usize) -> u32| -> Answers {
            let mut places = vec![u32::MAX; count * steps];
            for t in 0..steps {
                for i in 0..n {
                    let owner = of(i) as usize;
                    if values[i * steps + t] != 0.0 {
                        places[t * count + owner] = (t * n + i) as u32;
                    }
                }
            }
            Answers::Places(places)
        };
        let answers = match field.kind {
            Kind::Pointer => marked(n_entries, &|entry| self.rows[entry]),
            Kind::MaskOne => marked(n_nodes, &|node| self.graph_of[node]),
            Kind::Categorical { classes } => {
                let classes = usize::from(classes);
                let mut places = vec![u32::MAX; count * steps];
                for t in 0..steps {
                    for i in 0..n_nodes {
                        for class in 0..classes {
                            if values[(i * steps + t) * classes + class] != 0.0 {
                                places[t * n_nodes + i] =
                                    ((t * n_nodes + i) * classes + class) as u32;
                            }
                        }
                    }
                }
                Answers::Places(places)
            }
            Kind::Mask | Kind::Scalar => {
                Answers::Numbers(single(&step_major(values, count, steps)))
            }
        };
        Target { field: field.clone(), answers, weights }
    }
}
