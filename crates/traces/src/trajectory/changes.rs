//! All hints of an execution over time, kept as one stream of changes.
//!
//! A hint that rests costs nothing, so storage is O(changes + steps), however long the execution
//! runs. One stream for all hints, rather than one for each, is what makes recording cheap: a
//! change is one 16-byte write to one growing vector.

use serde::{Deserialize, Serialize};

use super::Values;
use crate::graph::Graph;
use crate::spec::{Field, Kind, Spec};

/// The histories of all hints of an execution.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredHints", into = "StoredHints")]
pub struct Hints {
    /// One for each hint of the spec, in its order.
    pub(super) tracks: Vec<Track>,
    /// In the order of recording; of several at one step, hint and index the last counts.
    pub(super) changes: Vec<Change>,
    /// For each step the number of changes up to its end.
    pub(super) step_ends: Vec<usize>,
}

/// What is the same for all changes of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Track {
    pub(super) kind: Kind,
    /// Number of values: nodes, entries, or 1.
    pub(super) len: u32,
    /// Whether a mask starts set; everything else starts at 0, pointers at every node itself.
    pub(super) starts_set: bool,
}

/// From some step on, the value of hint `hint` at `index` is `value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// A number's bits, a node, a class, or 0 and 1.
    pub(super) value: u64,
    pub(super) index: u32,
    pub(super) hint: u32,
}

/// A change with the step that shows it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepChange {
    pub(crate) step: u32,
    pub(crate) hint: u32,
    pub(crate) index: u32,
    /// A number's bits, a node, a class, or 0 and 1.
    pub(crate) value: u64,
}

impl Hints {
    /// The changes between dense values: for each hint of the spec its values at every step.
    ///
    /// # Panics
    /// If the hints differ in their number of steps, or the steps of one in their number of values.
    pub fn from_dense(spec: &Spec, graph: &Graph, dense: &[Vec<Values>]) -> Self {
        let tracks = Track::all(spec, graph);
        let mut state: Vec<Vec<u64>> = tracks.iter().map(Track::zeros).collect();
        let (mut changes, mut step_ends) = (Vec::new(), Vec::new());
        for step in 0..dense.first().map_or(0, Vec::len) {
            for (hint, (state, dense)) in (0..).zip(state.iter_mut().zip(dense)) {
                let values = dense[step].bits();
                assert_eq!(values.len(), state.len(), "every step has the same number of values");
                for (index, (old, value)) in (0..).zip(state.iter_mut().zip(values)) {
                    if *old != value {
                        *old = value;
                        changes.push(Change { value, index, hint });
                    }
                }
            }
            step_ends.push(changes.len());
        }
        Self { tracks, changes, step_ends }
    }

    /// Hints over `length` steps from their changes, in any order of steps.
    ///
    /// Whether the changes fit the graph is for [`super::Trajectory::check`] to say.
    pub(crate) fn from_changes(
        spec: &Spec,
        graph: &Graph,
        length: u32,
        mut changes: Vec<StepChange>,
    ) -> Result<Self, String> {
        let n_steps = length as usize;
        // A few bytes must not ask for gigabytes of steps.
        if n_steps > 10_000_000.max(16 * changes.len()) {
            return Err(format!("{n_steps} steps are too many for {} changes", changes.len()));
        }
        changes.sort_by_key(|change| change.step);
        if let Some(last) = changes.last().filter(|last| last.step >= length) {
            return Err(format!("a change is at step {} of {length}", last.step));
        }
        let end_of = |step| changes.partition_point(|change| change.step as usize <= step);
        let step_ends = (0..n_steps).map(end_of).collect();
        let change =
            |&StepChange { hint, index, value, .. }: &StepChange| Change { value, index, hint };
        let changes = changes.iter().map(change).collect();
        Ok(Self { tracks: Track::all(spec, graph), changes, step_ends })
    }

    /// Number of steps, T.
    pub fn n_steps(&self) -> usize {
        self.step_ends.len()
    }

    /// Number of recorded changes of all hints.
    pub fn n_changes(&self) -> usize {
        self.changes.len()
    }

    /// Bytes that the changes take.
    pub fn bytes(&self) -> usize {
        size_of_val(self.changes.as_slice()) + size_of_val(self.step_ends.as_slice())
    }

    /// The first hint that should mark a node and marks none at the first step.
    pub(super) fn unmarked<'a>(&self, spec: &'a Spec) -> Option<&'a Field> {
        let is_marked = |hint| self.at_step(0).iter().any(|change| change.hint == hint);
        let mut marks = (0..).zip(spec.hints()).filter(|(_, field)| field.kind == Kind::MaskOne);
        marks.find(|&(hint, _)| !is_marked(hint)).map(|(_, field)| field)
    }

    /// The changes shown first at `step`.
    pub(super) fn at_step(&self, step: usize) -> &[Change] {
        let start = step.checked_sub(1).map_or(0, |before| self.step_ends[before]);
        &self.changes[start..self.step_ends[step]]
    }
}

impl Track {
    /// One for each hint of the spec, on this graph.
    pub(super) fn all(spec: &Spec, graph: &Graph) -> Vec<Self> {
        let len_of = |field: &Field| match field.kind {
            Kind::MaskOne => 1,
            _ => graph.n_values(field.location) as u32,
        };
        let track =
            |field: &Field| Self { kind: field.kind, len: len_of(field), starts_set: false };
        spec.hints().map(track).collect()
    }

    /// What whole values must be below.
    pub(super) fn bound(&self, graph: &Graph) -> u32 {
        match self.kind {
            Kind::Scalar => 0,
            Kind::Mask => 2,
            Kind::Categorical { classes } => classes.into(),
            Kind::MaskOne | Kind::Pointer => graph.n_nodes() as u32,
        }
    }

    /// The values before step 0.
    pub(super) fn start(&self) -> Vec<u64> {
        if self.starts_set { vec![1; self.len as usize] } else { self.zeros() }
    }

    /// The values before step 0 if nothing was filled; no node is marked then.
    pub(super) fn zeros(&self) -> Vec<u64> {
        let zero = |index: u32| match self.kind {
            Kind::Pointer => index.into(),
            Kind::MaskOne => u64::MAX,
            _ => 0,
        };
        (0..self.len).map(zero).collect()
    }
}

/// How hints are written: whole numbers can be packed by the format, real ones cannot.
#[derive(Serialize, Deserialize)]
struct StoredHints {
    tracks: Vec<Track>,
    changes_per_step: Vec<u32>,
    changes: Vec<StoredChange>,
}

#[derive(Serialize, Deserialize)]
struct StoredChange {
    hint: u32,
    index: u32,
    value: StoredValue,
}

#[derive(Serialize, Deserialize)]
enum StoredValue {
    Whole(u64),
    Real(f64),
}

impl From<Hints> for StoredHints {
    fn from(hints: Hints) -> Self {
        let steps = 0..hints.n_steps();
        let changes_per_step = steps.map(|step| hints.at_step(step).len() as u32).collect();
        let stored = |&Change { value, index, hint }: &Change| StoredChange {
            hint,
            index,
            value: match hints.tracks[hint as usize].kind {
                Kind::Scalar => StoredValue::Real(f64::from_bits(value)),
                _ => StoredValue::Whole(value),
            },
        };
        let changes = hints.changes.iter().map(stored).collect();
        Self { changes_per_step, changes, tracks: hints.tracks }
    }
}

impl TryFrom<StoredHints> for Hints {
    type Error = &'static str;

    fn try_from(stored: StoredHints) -> Result<Self, &'static str> {
        let mut end = 0;
        let ends = stored.changes_per_step.iter().map(|&count| {
            end += count as usize;
            end
        });
        let step_ends: Vec<usize> = ends.collect();
        if end != stored.changes.len() {
            return Err("the steps do not add up to the changes");
        }
        let change = |StoredChange { hint, index, value }: StoredChange| {
            let is_real = stored.tracks.get(hint as usize).map(|track| track.kind == Kind::Scalar);
            match (value, is_real) {
                (StoredValue::Whole(value), Some(false)) => Ok(Change { value, index, hint }),
                (StoredValue::Real(value), Some(true)) => {
                    Ok(Change { value: value.to_bits(), index, hint })
                }
                _ => Err("a change does not fit its hint"),
            }
        };
        let changes = stored.changes.into_iter().map(change).collect::<Result<_, _>>()?;
        Ok(Self { tracks: stored.tracks, changes, step_ends })
    }
}
