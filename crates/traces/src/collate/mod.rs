//! Several samples as one disconnected graph, every feature as one dense array.
//!
//! This is how PyTorch Geometric and NumPy want them. Nodes of all graphs stand below each other,
//! and so do entries; pointers are 0 or 1 for each entry; steps lie next to each other, and
//! trajectories that are shorter than the longest are padded with zeros. Inputs and hints are
//! single precision and pointers at the end double, as in the published package.
//!
//! With N nodes, E entries, B graphs, T steps of the longest and C classes, the shapes are
//!
//! | feature | input, output | hint |
//! | --- | --- | --- |
//! | of nodes | `[N]` | `[N, T]` |
//! | of entries, and pointers | `[E]` | `[E, T]` |
//! | of graphs | `[B]` | `[B, T]` |
//! | classes of nodes | `[N, C]` | `[N, T, C]` |
//! | `randomness` | `[N, T]` | |

mod column;
mod hints;
mod layout;
mod ready;

use column::column;
pub use column::{Column, Numbers};
pub(crate) use ready::Raw;
pub use ready::Ready;

use std::borrow::Borrow;

use thiserror::Error;

use crate::sample::Sample;
use crate::spec::{Field, Spec};
use layout::Layout;

/// Samples as one graph with dense features.
#[derive(Debug, Clone, PartialEq)]
pub struct Collated {
    /// Sources of all entries, then their targets: `[2, E]`.
    pub edge_index: Vec<i64>,
    /// The first node of each graph, and the number of nodes: `[B + 1]`.
    pub first_nodes: Vec<i64>,
    /// The first entry of each graph, and the number of entries: `[B + 1]`.
    pub first_entries: Vec<i64>,
    /// The graph of each node: `[N]`.
    pub graph_of_node: Vec<i64>,
    /// The steps of each graph: `[B]`.
    pub lengths: Vec<i64>,
    /// Inputs, hints where they are wanted, and outputs, in the order of the spec.
    pub columns: Vec<Column>,
}

/// Why samples cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CollateError {
    /// There are none.
    #[error("a batch needs at least one sample")]
    Empty,
    /// Samples of different algorithms.
    #[error("sample {place} of the batch is of {found}, expected {expected}")]
    Mixed {
        /// Which of the samples.
        place: usize,
        /// Its algorithm.
        found: String,
        /// The algorithm of the first.
        expected: String,
    },
    /// Hints are wanted but were not recorded.
    #[error("sample {place} of the batch has no hints")]
    NoHints {
        /// Which of the samples.
        place: usize,
    },
    /// A feature has no values or others than the spec says.
    #[error("sample {place} of the batch has no {name} that fits its graph")]
    Misfit {
        /// Which of the samples.
        place: usize,
        /// The feature.
        name: String,
    },
}

impl CollateError {
    /// The same of another place in the batch, where one sample alone is to blame.
    #[must_use]
    pub fn at(self, at: usize) -> Self {
        match self {
            Self::Misfit { name, .. } => Self::Misfit { place: at, name },
            other => other,
        }
    }
}

/// Puts samples together; `hints` says whether the hints are wanted.
///
/// ```
/// use salsa_traces::{algorithms, collate::collate, sample::Sampler, suite::Suite};
/// let suite = Suite::named("paper")?;
/// let sampler = Sampler::new(&suite, 0, algorithms::find("bfs")?, "train")?;
/// let samples = [sampler.sample(0, true)?, sampler.sample(1, true)?];
/// let batch = collate(&samples, true)?;
/// let pi_h = batch.columns.iter().find(|column| column.field.name == "pi_h").unwrap();
/// assert_eq!(pi_h.shape[0], batch.edge_index.len() / 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn collate(samples: &[impl Borrow<Sample>], hints: bool) -> Result<Collated, CollateError> {
    let samples: Vec<&Sample> = samples.iter().map(Borrow::borrow).collect();
    let ready = samples.iter().enumerate();
    let ready = ready.map(|(place, sample)| Ready::new(sample).map_err(|error| error.at(place)));
    let ready = ready.collect::<Result<Vec<Ready>, _>>()?;
    joined(&ready, |layout, spec| match hints {
        true => hints::columns(&samples, layout, spec),
        false => Ok(Vec::new()),
    })
}

/// Puts samples together that were made ready before; they have no hints.
pub fn join(samples: &[impl Borrow<Ready>]) -> Result<Collated, CollateError> {
    joined(samples, |_, _| Ok(Vec::new()))
}

fn joined(
    samples: &[impl Borrow<Ready>],
    hints: impl FnOnce(&Layout, &Spec) -> Result<Vec<Column>, CollateError>,
) -> Result<Collated, CollateError> {
    let samples: Vec<&Ready> = samples.iter().map(Borrow::borrow).collect();
    let spec = &samples.first().ok_or(CollateError::Empty)?.spec;
    if let Some(place) = samples.iter().position(|sample| sample.spec != *spec) {
        return Err(CollateError::Mixed {
            place,
            found: samples[place].spec.algorithm.to_string(),
            expected: spec.algorithm.to_string(),
        });
    }
    let layout = Layout::new(&samples);
    let seen = spec.inputs().filter(|field| is_seen(field));
    let mut columns: Vec<Column> =
        seen.zip(0..).map(|(field, place)| column(&samples, &layout, field, place)).collect();
    let n_inputs = columns.len();
    columns.extend(hints(&layout, spec)?);
    let outputs = spec.outputs().zip(n_inputs..);
    columns.extend(outputs.map(|(field, place)| column(&samples, &layout, field, place)));
    Ok(layout.collated(&samples, columns))
}

/// Whether a model sees an input: the adjacency is in the entries, and `A` in the weights.
pub fn is_seen(input: &Field) -> bool {
    !["A", "adj"].contains(&&*input.name)
}
