//! Takes down an execution: only what the spec declares, and only what a sparse graph can hold.
//!
//! An algorithm asks for a handle to each of its hints once, then notes every change and ends
//! each step, one by one or as a whole with [`Recorder::record`]. Mistakes (an undeclared hint, a pointer that is not an edge) are kept, the first
//! one, and refused as a whole in [`Recorder::finish`]: that keeps algorithms as plain as in the
//! textbook. A pointer must lead to a neighbour or to the node itself, the sparseness rule of
//! the paper's appendix: only then can a model on the sparse graph predict it.

use super::changes::{Change, Hints, Track};
use super::handle::{
    CategoricalHint, MaskHint, MaskOneHint, PointerHint, REFUSED, ScalarHint, Slot,
};
use super::record_error::RecordError;
use super::{Trajectory, Values};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Spec, Stage};

/// Writes one trajectory.
#[derive(Debug)]
pub struct Recorder<'g> {
    graph: &'g Graph,
    spec: Spec,
    records_hints: bool,
    step: u32,
    hints: Hints,
    /// Which fields have a handle or a value.
    found: Vec<bool>,
    outputs: Vec<(usize, Values)>,
    error: Option<Box<RecordError>>,
}

impl<'g> Recorder<'g> {
    /// A recorder for one execution on `graph`; without hints only length and outputs are kept.
    pub fn new(spec: &Spec, graph: &'g Graph, records_hints: bool) -> Self {
        let mut hints = Hints { tracks: Vec::new(), changes: Vec::new(), step_ends: Vec::new() };
        if records_hints {
            hints.tracks = Track::all(spec, graph);
        }
        Self {
            graph,
            spec: spec.clone(),
            records_hints,
            step: 0,
            hints,
            found: vec![false; spec.fields.len()],
            outputs: Vec::with_capacity(1),
            error: None,
        }
    }

    /// Makes room for this many changes and steps at once, for an algorithm that knows.
    pub fn expect(&mut self, n_changes: usize, n_steps: usize) {
        if self.records_hints {
            self.hints.changes.reserve(n_changes);
            self.hints.step_ends.reserve(n_steps);
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
        MaskHint(self.slot(name, Kind::Mask))
    }

    /// The hint `name` that marks one node, set before the first step ends.
    pub fn mask_one(&mut self, name: &str) -> MaskOneHint {
        MaskOneHint(self.slot(name, Kind::MaskOne))
    }

    /// The categorical hint `name`, class 0 everywhere.
    pub fn categorical(&mut self, name: &str, classes: u8) -> CategoricalHint {
        CategoricalHint(self.slot(name, Kind::Categorical { classes }))
    }

    /// The scalar hint `name`, 0 everywhere.
    pub fn scalar(&mut self, name: &str) -> ScalarHint {
        ScalarHint(self.slot(name, Kind::Scalar))
    }

    /// The pointer hint `name`, every node to itself.
    pub fn pointer(&mut self, name: &str) -> PointerHint {
        PointerHint(self.slot(name, Kind::Pointer))
    }

    /// Sets a mask everywhere, as its value before the first step.
    pub fn fill_mask(&mut self, hint: MaskHint, value: bool) {
        if let Some(track) = self.hints.tracks.get_mut(hint.0.hint as usize) {
            track.starts_set = value;
        }
    }

    /// From the present step on, the mask at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn set_mask(&mut self, hint: MaskHint, index: u32, value: bool) {
        self.note([hint.to(index, value)]);
    }

    /// From the present step on, `node` is the marked one.
    #[inline]
    pub fn set_one(&mut self, hint: MaskOneHint, node: u32) {
        self.note([hint.to(node)]);
    }

    /// From the present step on, `node` has class `class`.
    #[inline]
    pub fn set_category(&mut self, hint: CategoricalHint, node: u32, class: u8) {
        self.note([hint.to(node, class)]);
    }

    /// From the present step on, the number at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn set_scalar(&mut self, hint: ScalarHint, index: u32, value: f64) {
        self.note([hint.to(index, value)]);
    }

    /// From the present step on, `node` points to `target`: a neighbour, or itself for "none".
    #[inline]
    pub fn set_pointer(&mut self, hint: PointerHint, node: u32, target: u32) {
        // Edges go both ways; the row of the target is the one that an algorithm has just read.
        let in_range = |node: u32| (node as usize) < self.graph.n_nodes();
        let is_edge = || in_range(target) && self.graph.has_edge(target, node);
        if self.records_hints && node != target && in_range(node) && !is_edge() {
            self.refuse_stray(self.hint_field(hint.0.hint), node, target);
        }
        self.note([hint.unchecked(node, target)]);
    }

    /// Notes several changes and ends the step.
    #[inline]
    pub fn record<const N: usize>(&mut self, changes: [Change; N]) {
        self.note(changes);
        self.end_step();
    }

    /// Notes several changes, made by handles: quicker than one by one.
    #[inline]
    pub fn note<const N: usize>(&mut self, changes: [Change; N]) {
        if self.records_hints {
            if changes.iter().fold(0, |all, change| all | change.hint) >= REFUSED {
                return changes.iter().for_each(|change| self.refuse_change(*change));
            }
            self.hints.changes.extend_from_slice(&changes);
        }
    }

    /// Ends the step: hint t is the state as it is now.
    #[inline]
    pub fn end_step(&mut self) {
        self.step += 1;
        if self.records_hints {
            self.hints.step_ends.push(self.hints.changes.len());
        }
    }

    /// The output `name`, after the last step.
    pub fn output(&mut self, name: &str, values: Values) {
        let Some(field) = self.find(Stage::Output, name, |kind| values.fits(kind)) else { return };
        let expected = self.graph.n_values(self.spec.fields[field].location) as u32;
        let found = values.count().unwrap_or(expected as usize);
        if found != expected as usize {
            let (algorithm, name) = (self.spec.algorithm.to_string(), name.to_owned());
            let wrong = RecordError::Length { algorithm, name, expected, found };
            self.error.get_or_insert(Box::new(wrong));
            return;
        }
        match &values {
            Values::MaskOne(node) if *node as usize >= self.graph.n_nodes() => {
                self.refuse(field, *node, self.graph.n_nodes() as u32);
            }
            Values::Pointer(targets) => {
                let is_edge =
                    |node: u32, target: u32| node == target || self.graph.has_edge(node, target);
                let stray = (0..).zip(targets).find(|&(node, &target)| !is_edge(node, target));
                if let Some((node, &target)) = stray {
                    self.refuse_stray(field, node, target);
                }
            }
            _ => {}
        }
        self.outputs.push((field, values));
    }

    /// The trajectory, or the first thing that was wrong with it.
    pub fn finish(mut self) -> Result<Trajectory, Box<RecordError>> {
        if self.error.is_none() {
            self.error = self.shortcoming().map(Box::new);
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        // What was set after the last step ended is shown by no step.
        self.hints.changes.truncate(self.hints.step_ends.last().copied().unwrap_or(0));
        self.outputs.sort_by_key(|(field, _)| *field);
        Ok(Trajectory {
            hints: self.records_hints.then_some(self.hints),
            outputs: self.outputs.into_iter().map(|(_, values)| values).collect(),
            spec: self.spec,
            length: self.step,
        })
    }

    /// What is missing at the end.
    fn shortcoming(&self) -> Option<RecordError> {
        let algorithm = || self.spec.algorithm.to_string();
        if self.step == 0 {
            return Some(RecordError::NoStep { algorithm: algorithm() });
        }
        let missing = |field: &Field| {
            let (stage, name) = (field.stage, field.name.to_string());
            RecordError::Missing { algorithm: algorithm(), stage, name }
        };
        if self.records_hints
            && let Some(field) = self.hints.unmarked(&self.spec)
        {
            return Some(missing(field));
        }
        let is_needed = |stage: Stage| match stage {
            Stage::Input => false,
            Stage::Hint => self.records_hints,
            Stage::Output => true,
        };
        let mut fields = self.spec.fields.iter().zip(&self.found);
        fields
            .find(|(field, found)| is_needed(field.stage) && !**found)
            .map(|(field, _)| missing(field))
    }

    fn find(&mut self, stage: Stage, name: &str, fits: impl Fn(Kind) -> bool) -> Option<usize> {
        let matches =
            |field: &Field| field.stage == stage && field.name == name && fits(field.kind);
        let place = self.spec.fields.iter().position(matches);
        let is_second = place.is_some_and(|place| std::mem::replace(&mut self.found[place], true));
        if place.is_some() && !is_second {
            return place;
        }
        let (algorithm, name) = (self.spec.algorithm.to_string(), name.to_owned());
        self.error.get_or_insert_with(|| {
            Box::new(match place {
                None => RecordError::Undeclared { algorithm, stage, name },
                Some(_) => RecordError::Twice { algorithm, stage, name },
            })
        });
        None
    }

    fn slot(&mut self, name: &str, kind: Kind) -> Slot {
        let Some(field) = self.find(Stage::Hint, name, |declared| declared == kind) else {
            return Slot::NOWHERE;
        };
        let earlier = &self.spec.fields[..field];
        let hint = earlier.iter().filter(|field| field.stage == Stage::Hint).count();
        match self.hints.tracks.get(hint) {
            Some(track) => {
                let bound = track.bound(self.graph);
                Slot { hint: hint as u32, len: track.len, bound }
            }
            None => Slot::NOWHERE,
        }
    }

    #[cold]
    fn refuse_change(&mut self, change: Change) {
        let hint = change.hint & !REFUSED;
        // A change through a handle to nowhere has no track, but its error is already kept.
        let Some(&track) = self.hints.tracks.get(hint as usize).filter(|_| change.hint >= REFUSED)
        else {
            return;
        };
        let (index, len) = match change.index < track.len {
            true => (change.value as u32, track.bound(self.graph)),
            false => (change.index, track.len),
        };
        self.refuse(self.hint_field(hint), index, len);
    }

    /// The place of a hint among all fields; beyond them for one that is not declared.
    #[cold]
    fn hint_field(&self, hint: u32) -> usize {
        let is_hint = |field: &Field| field.stage == Stage::Hint;
        let mut hints =
            (0..self.spec.fields.len()).filter(|&place| is_hint(&self.spec.fields[place]));
        hints.nth(hint as usize).unwrap_or(usize::MAX)
    }

    #[cold]
    fn refuse(&mut self, field: usize, index: u32, len: u32) {
        let (algorithm, step) = (self.spec.algorithm.to_string(), self.step);
        // A handle to an undeclared hint has no field, but its error is already kept.
        if let Some(field) = self.spec.fields.get(field) {
            let name = field.name.to_string();
            let refused = RecordError::OutOfRange { algorithm, name, step, index, len };
            self.error.get_or_insert(Box::new(refused));
        }
    }

    #[cold]
    fn refuse_stray(&mut self, field: usize, node: u32, target: u32) {
        let (algorithm, step) = (self.spec.algorithm.to_string(), self.step);
        let name = self.spec.fields[field].name.to_string();
        let stray = RecordError::PointerNotEdge { algorithm, name, step, node, target };
        self.error.get_or_insert(Box::new(stray));
    }
}
