//! Content hashes: the identity of what a sample says, whatever file or buffer it stands in.
//!
//! BLAKE3 over little-endian bytes in an order that this file defines, not over the bytes of any
//! format. Drawing positions do not count. Hints are a function of the inputs for built-in
//! algorithms and may be left out of a file, so they have a hash of their own.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::sample::Sample;
use crate::trajectory::Values;

/// A BLAKE3 hash; in text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContentHash(pub [u8; 32]);

impl Sample {
    /// The labelled graph and the inputs: two samples with the same are the same question.
    pub fn problem_hash(&self) -> ContentHash {
        let mut bytes = Bytes::default();
        bytes.graph(&self.graph);
        bytes.u32(self.inputs.source.unwrap_or(u32::MAX));
        for phase in self.inputs.randomness.iter().flat_map(|randomness| randomness.phases()) {
            bytes.f64s(phase);
        }
        bytes.hash()
    }

    /// The algorithm, the problem, the length and the outputs.
    pub fn content_hash(&self) -> ContentHash {
        let mut bytes = Bytes::default();
        bytes.text(&self.trajectory.spec.algorithm);
        bytes.0.extend(self.problem_hash().0);
        bytes.u32(self.trajectory.length);
        for (field, values) in self.trajectory.spec.outputs().zip(&self.trajectory.outputs) {
            bytes.text(&field.name);
            bytes.values(values);
        }
        bytes.hash()
    }

    /// The hints, if they were recorded: what changed at each step.
    pub fn hints_hash(&self) -> Option<ContentHash> {
        let mut bytes = Bytes::default();
        self.trajectory.hints.as_ref()?;
        for (field, hint) in self.trajectory.recorded_hints() {
            bytes.text(&field.name);
            bytes.u32(hint.n_steps() as u32);
            hint.canonical_bytes(|part| bytes.0.extend(part));
        }
        Some(bytes.hash())
    }
}

/// The hash of a sequence of hashes.
pub fn hash_of_hashes(hashes: impl IntoIterator<Item = ContentHash>) -> ContentHash {
    let mut all = blake3::Hasher::new();
    for hash in hashes {
        all.update(&hash.0);
    }
    ContentHash(*all.finalize().as_bytes())
}

/// The hash of plain bytes.
pub fn hash_of_bytes(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    fn f64s(&mut self, values: &[f64]) {
        self.u32(values.len() as u32);
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    fn u32s(&mut self, values: impl ExactSizeIterator<Item = u32>) {
        self.u32(values.len() as u32);
        values.for_each(|value| self.u32(value));
    }

    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    fn graph(&mut self, graph: &Graph) {
        self.u32(graph.n_nodes() as u32);
        self.u32(graph.n_edges() as u32);
        for (u, v) in graph.edges() {
            self.u32(u);
            self.u32(v);
        }
        if let Some(weights) = graph.edge_weights() {
            self.f64s(&weights.collect::<Vec<f64>>());
        }
    }

    fn values(&mut self, values: &Values) {
        match values {
            Values::Mask(values) => self.u32s(values.iter().map(|&value| u32::from(value))),
            Values::MaskOne(node) => self.u32(*node),
            Values::Categorical(values) => self.u32s(values.iter().map(|&class| u32::from(class))),
            Values::Scalar(values) => self.f64s(values),
            Values::Pointer(values) => self.u32s(values.iter().copied()),
        }
    }

    fn hash(self) -> ContentHash {
        hash_of_bytes(&self.0)
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = blake3::HexError;

    fn try_from(text: String) -> Result<Self, blake3::HexError> {
        Ok(Self(*blake3::Hash::from_hex(text)?.as_bytes()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
