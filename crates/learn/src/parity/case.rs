//! Reading a case: tensors by name, and how far others are from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};
use salsa_engine::cuda::CudaError;
use salsa_engine::graph::EdgesError;
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::spec::Spec;
use thiserror::Error;

/// Tensors by group and name, in double precision.
pub type Tensors = BTreeMap<String, Vec<f64>>;

/// A file of expected numbers.
#[derive(Debug)]
pub struct Case {
    pub(super) path: PathBuf,
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
    /// There is no such GPU.
    #[error(transparent)]
    Cuda(CudaError),
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

    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, CaseError> {
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
            let deviation = match difference / scale {
                _ if difference == 0.0 => 0.0,
                // What is no number is as wrong as can be.
                share if share.is_nan() => f64::INFINITY,
                share => share,
            };
            if worst.0.is_empty() || deviation > worst.1 {
                worst = (name.clone(), deviation);
            }
        }
        worst
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

/// The part of a tensor's name before the first slash.
fn group_of(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}
