//! Takes down an execution: only what the spec declares, and only what a sparse graph can hold.
//!
//! An algorithm asks for a handle to each of its hints once, then notes every change and ends
//! each step. Mistakes (an undeclared hint, a pointer that is not an edge) are kept, the first
//! one, and refused as a whole in [`Recorder::finish`]: that keeps algorithms as plain as in the
//! textbook. A pointer must lead to a neighbour or to the node itself, the sparseness rule of
//! the paper's appendix: only then can a model on the sparse graph predict it.

use super::hint::{Hint, History};
use super::log::{Change, Log};
use super::record_error::RecordError;
use super::{Trajectory, Values};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location, Spec, Stage};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name(usize);
    )*};
}

handles! {
    /// A handle to a mask hint.
    MaskHint,
    /// A handle to a hint that marks one node.
    MaskOneHint,
    /// A handle to a scalar hint.
    ScalarHint,
    /// A handle to a pointer hint.
    PointerHint,
}

/// A handle to a categorical hint.
#[derive(Debug, Clone, Copy)]
pub struct CategoricalHint {
    track: usize,
    classes: u8,
}

/// Writes one trajectory.
#[derive(Debug)]
pub struct Recorder<'g> {
    graph: &'g Graph,
    spec: Spec,
    records_hints: bool,
    step: u32,
    /// For every field of the spec, whether it was asked for or given.
    found: Vec<bool>,
    masks: Vec<Track<bool>>,
    ones: Vec<Track<u32>>,
    categories: Vec<Track<u8>>,
    scalars: Vec<Track<f64>>,
    pointers: Vec<Track<u32>>,
    outputs: Vec<(usize, Values)>,
    error: Option<Box<RecordError>>,
}

/// The log of one hint while it is being written.
#[derive(Debug)]
struct Track<V> {
    /// Place of the field among the fields of the spec.
    field: usize,
    len: u32,
    log: Log<V>,
}

impl<'g> Recorder<'g> {
    /// A recorder for one execution on `graph`; without hints only length and outputs are kept.
    pub fn new(spec: &Spec, graph: &'g Graph, records_hints: bool) -> Self {
        Self {
            graph,
            spec: spec.clone(),
            records_hints,
            step: 0,
            found: vec![false; spec.fields.len()],
            masks: Vec::new(),
            ones: Vec::new(),
            categories: Vec::new(),
            scalars: Vec::new(),
            pointers: Vec::new(),
            outputs: Vec::new(),
            error: None,
        }
    }

    /// The step being written: the number of steps ended so far.
    #[inline]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Whether hints are kept; an algorithm may skip work that only serves them.
    #[inline]
    pub fn records_hints(&self) -> bool {
        self.records_hints
    }

    /// The mask hint `name`, 0 everywhere.
    pub fn mask(&mut self, name: &str) -> MaskHint {
        let track = self.track(name, Kind::Mask, false);
        MaskHint(keep(&mut self.masks, track))
    }

    /// The hint `name` that marks one node, set before the first step ends.
    pub fn mask_one(&mut self, name: &str) -> MaskOneHint {
        let track = self.track(name, Kind::MaskOne, 0);
        MaskOneHint(keep(&mut self.ones, track))
    }

    /// The categorical hint `name`, class 0 everywhere.
    pub fn categorical(&mut self, name: &str, classes: u8) -> CategoricalHint {
        let track = self.track(name, Kind::Categorical { classes }, 0);
        CategoricalHint { track: keep(&mut self.categories, track), classes }
    }

    /// The scalar hint `name`, 0 everywhere.
    pub fn scalar(&mut self, name: &str) -> ScalarHint {
        let track = self.track(name, Kind::Scalar, 0.0);
        ScalarHint(keep(&mut self.scalars, track))
    }

    /// The pointer hint `name`, every node to itself.
    pub fn pointer(&mut self, name: &str) -> PointerHint {
        let track = self.track(name, Kind::Pointer, 0);
        PointerHint(keep(&mut self.pointers, track))
    }

    /// Sets a mask everywhere, as its value before the first step.
    pub fn fill_mask(&mut self, hint: MaskHint, value: bool) {
        if let Some(track) = self.masks.get_mut(hint.0).filter(|_| self.records_hints) {
            track.log.initial = value;
        }
    }

    /// From the present step on, the mask at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn set_mask(&mut self, hint: MaskHint, index: u32, value: bool) {
        if self.records_hints {
            let refused = push(&mut self.masks, hint.0, self.step, index, value);
            self.refuse(refused);
        }
    }

    /// From the present step on, `node` is the marked one.
    #[inline]
    pub fn set_one(&mut self, hint: MaskOneHint, node: u32) {
        if self.records_hints {
            let refused = if (node as usize) < self.graph.n_nodes() {
                push(&mut self.ones, hint.0, self.step, 0, node)
            } else {
                self.ones.get(hint.0).map(|track| Refused::of(track, node, self.graph.n_nodes()))
            };
            self.refuse(refused);
        }
    }

    /// From the present step on, `node` has class `class`.
    #[inline]
    pub fn set_category(&mut self, hint: CategoricalHint, node: u32, class: u8) {
        if self.records_hints {
            let refused = if class < hint.classes {
                push(&mut self.categories, hint.track, self.step, node, class)
            } else {
                let track = self.categories.get(hint.track);
                track.map(|track| Refused::of(track, class.into(), hint.classes.into()))
            };
            self.refuse(refused);
        }
    }

    /// From the present step on, the number at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn set_scalar(&mut self, hint: ScalarHint, index: u32, value: f64) {
        if self.records_hints {
            let refused = push(&mut self.scalars, hint.0, self.step, index, value);
            self.refuse(refused);
        }
    }

    /// From the present step on, `node` points to `target`: a neighbour, or itself for "none".
    #[inline]
    pub fn set_pointer(&mut self, hint: PointerHint, node: u32, target: u32) {
        let Some(track) = self.pointers.get(hint.0) else { return };
        let field = track.field;
        let refused = push(&mut self.pointers, hint.0, self.step, node, target);
        if refused.is_some() {
            self.refuse(refused);
        } else if node != target && !self.graph.has_edge(node, target) {
            self.keep_stray(field, node, target);
        }
    }

    /// Ends the step: hint t is the state as it is now.
    #[inline]
    pub fn end_step(&mut self) {
        self.step += 1;
    }

    /// The output `name`, after the last step.
    pub fn output(&mut self, name: &str, values: Values) {
        let Some(field) = self.find(Stage::Output, name, |kind| values.fits(kind)) else { return };
        let expected = self.len_of(field);
        let found = values.count().unwrap_or(expected as usize);
        if found != expected as usize {
            let (algorithm, name) = (self.spec.algorithm.to_string(), name.to_owned());
            let wrong = RecordError::Length { algorithm, name, expected, found };
            self.error.get_or_insert(Box::new(wrong));
            return;
        }
        if let Values::MaskOne(node) = values
            && node as usize >= self.graph.n_nodes()
        {
            let len = self.graph.n_nodes() as u32;
            self.refuse(Some(Refused { field, index: node, len }));
        }
        if let Values::Pointer(targets) = &values {
            let is_edge =
                |node: u32, target: u32| node == target || self.graph.has_edge(node, target);
            let stray = (0..).zip(targets).find(|&(node, &target)| !is_edge(node, target));
            if let Some((node, &target)) = stray {
                self.keep_stray(field, node, target);
            }
        }
        self.outputs.push((field, values));
    }

    /// The trajectory, or the first thing that was wrong with it.
    pub fn finish(mut self) -> Result<Trajectory, Box<RecordError>> {
        let algorithm = || self.spec.algorithm.to_string();
        if self.error.is_none() && self.step == 0 {
            return Err(Box::new(RecordError::NoStep { algorithm: algorithm() }));
        }
        let mut hints: Vec<(usize, Hint)> = Vec::with_capacity(self.spec.fields.len());
        let n_steps = self.step;
        if let Some(unset) = self.ones.iter().find(|track| {
            track.log.changes.first().is_none_or(|change| change.step > 0) && self.records_hints
        }) {
            let name = self.spec.fields[unset.field].name.to_string();
            let (algorithm, stage) = (algorithm(), Stage::Hint);
            let unset = RecordError::Missing { algorithm, stage, name };
            return Err(self.error.unwrap_or(Box::new(unset)));
        }
        collect(&mut hints, self.masks, n_steps, History::Mask);
        collect(&mut hints, self.ones, n_steps, History::MaskOne);
        collect(&mut hints, self.categories, n_steps, History::Categorical);
        collect(&mut hints, self.scalars, n_steps, History::Scalar);
        collect(&mut hints, self.pointers, n_steps, History::Pointer);
        hints.sort_by_key(|(field, _)| *field);
        self.outputs.sort_by_key(|(field, _)| *field);

        let missing = self.spec.fields.iter().zip(self.found).find(|(field, found)| {
            field.stage != Stage::Input
                && (field.stage == Stage::Output || self.records_hints)
                && !found
        });
        if let Some(error) = self.error {
            return Err(error);
        }
        if let Some((field, _)) = missing {
            let (algorithm, stage, name) = (algorithm(), field.stage, field.name.to_string());
            return Err(Box::new(RecordError::Missing { algorithm, stage, name }));
        }
        Ok(Trajectory {
            hints: self.records_hints.then(|| hints.into_iter().map(|(_, hint)| hint).collect()),
            outputs: self.outputs.into_iter().map(|(_, values)| values).collect(),
            spec: self.spec,
            length: n_steps,
        })
    }

    fn find(&mut self, stage: Stage, name: &str, fits: impl Fn(Kind) -> bool) -> Option<usize> {
        let matches =
            |field: &Field| field.stage == stage && field.name == name && fits(field.kind);
        let place = self.spec.fields.iter().position(matches);
        let is_second = place.is_some_and(|place| std::mem::replace(&mut self.found[place], true));
        if place.is_none() || is_second {
            let (algorithm, name) = (self.spec.algorithm.to_string(), name.to_owned());
            self.error.get_or_insert_with(|| {
                Box::new(match place {
                    None => RecordError::Undeclared { algorithm, stage, name },
                    Some(_) => RecordError::Twice { algorithm, stage, name },
                })
            });
            return None;
        }
        place
    }

    fn track<V>(&mut self, name: &str, kind: Kind, initial: V) -> Option<Track<V>> {
        let field = self.find(Stage::Hint, name, |declared| declared == kind)?;
        if !self.records_hints {
            return None;
        }
        let len = if kind == Kind::MaskOne { 1 } else { self.len_of(field) };
        let changes = Vec::with_capacity(self.graph.n_nodes());
        Some(Track { field, len, log: Log { initial, changes } })
    }

    fn len_of(&self, field: usize) -> u32 {
        match self.spec.fields[field].location {
            Location::Node => self.graph.n_nodes() as u32,
            Location::Edge => self.graph.n_entries() as u32,
            Location::Graph => 1,
        }
    }

    #[cold]
    fn keep_stray(&mut self, field: usize, node: u32, target: u32) {
        self.error.get_or_insert_with(|| {
            Box::new(RecordError::PointerNotEdge {
                algorithm: self.spec.algorithm.to_string(),
                name: self.spec.fields[field].name.to_string(),
                step: self.step,
                node,
                target,
            })
        });
    }

    #[inline]
    fn refuse(&mut self, refused: Option<Refused>) {
        if let Some(refused) = refused {
            self.keep_refused(refused);
        }
    }

    #[cold]
    fn keep_refused(&mut self, Refused { field, index, len }: Refused) {
        self.error.get_or_insert_with(|| {
            Box::new(RecordError::OutOfRange {
                algorithm: self.spec.algorithm.to_string(),
                name: self.spec.fields[field].name.to_string(),
                step: self.step,
                index,
                len,
            })
        });
    }
}

/// A change that was not taken because its index does not exist.
struct Refused {
    field: usize,
    index: u32,
    len: u32,
}

impl Refused {
    fn of<V>(track: &Track<V>, index: u32, len: usize) -> Self {
        Self { field: track.field, index, len: len as u32 }
    }
}

/// Keeps the log of a hint and gives its place; the place of no log is none at all.
fn keep<V>(tracks: &mut Vec<Track<V>>, track: Option<Track<V>>) -> usize {
    let place = if track.is_some() { tracks.len() } else { usize::MAX };
    tracks.extend(track);
    place
}

/// Notes a change; a handle to an undeclared hint is ignored, as its error is already kept.
#[inline]
fn push<V>(
    tracks: &mut [Track<V>],
    hint: usize,
    step: u32,
    index: u32,
    value: V,
) -> Option<Refused> {
    let track = tracks.get_mut(hint)?;
    if index >= track.len {
        return Some(Refused::of(track, index, track.len as usize));
    }
    track.log.changes.push(Change { step, index, value });
    None
}

fn collect<V>(
    hints: &mut Vec<(usize, Hint)>,
    tracks: Vec<Track<V>>,
    n_steps: u32,
    history: impl Fn(Log<V>) -> History,
) {
    for Track { field, len, mut log } in tracks {
        // What was set after the last step ended is shown by no step.
        log.changes.truncate(log.changes.partition_point(|change| change.step < n_steps));
        hints.push((field, Hint { len, n_steps, history: history(log) }));
    }
}
