//! One hint over all steps, expanded from the recorded changes to dense values on demand.

use std::ops::Range;

use super::Values;
use super::changes::{Change, Hints, Track};
use crate::spec::Kind;

/// The history of one hint.
#[derive(Debug, Clone, Copy)]
pub struct Hint<'a> {
    hints: &'a Hints,
    place: u32,
}

impl Hints {
    /// The hint at `place` among those of the spec.
    pub fn get(&self, place: usize) -> Option<Hint<'_>> {
        (place < self.tracks.len()).then_some(Hint { hints: self, place: place as u32 })
    }

    /// All hints, in the order of the spec.
    pub fn iter(&self) -> impl Iterator<Item = Hint<'_>> {
        (0..self.tracks.len() as u32).map(|place| Hint { hints: self, place })
    }
}

impl<'a> Hint<'a> {
    /// Number of steps, T.
    pub fn n_steps(&self) -> usize {
        self.hints.n_steps()
    }

    /// Number of values at each step: nodes, entries, or 1.
    pub fn len(&self) -> usize {
        self.track().len as usize
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of recorded changes.
    pub fn n_changes(&self) -> usize {
        self.own(&self.hints.changes).count()
    }

    /// The dense values at step `step`.
    ///
    /// # Panics
    /// If `step` is not below [`Hint::n_steps`].
    pub fn at(&self, step: usize) -> Values {
        let mut steps = self.range(step..step + 1);
        steps.advance();
        steps.state
    }

    /// The dense values of every step, one after the other.
    ///
    /// This is T times as large as one step; [`Hint::range`] walks through them with one buffer.
    pub fn all(&self) -> Vec<Values> {
        let mut steps = self.range(0..self.n_steps());
        let mut all = Vec::with_capacity(self.n_steps());
        while let Some(values) = steps.advance() {
            all.push(values.clone());
        }
        all
    }

    /// Walks through the dense values of a range of steps, changing one buffer in place.
    ///
    /// # Panics
    /// If the range ends after [`Hint::n_steps`].
    pub fn range(&self, steps: Range<usize>) -> HintSteps<'a> {
        let n_steps = self.n_steps();
        assert!(steps.end <= n_steps, "steps {steps:?} of {n_steps} were asked for");
        let mut state = self.before_step_0();
        if let Some(before) = steps.start.checked_sub(1) {
            self.apply(&self.hints.changes[..self.hints.step_ends[before]], &mut state);
        }
        HintSteps { hint: *self, state, steps }
    }

    /// The real changes shown first at `step`, sorted by index: (index, new value as a number).
    /// Pointers and marked nodes are node numbers, masks 0 or 1.
    ///
    /// Costs O(values + changes of all hints up to `step`).
    pub fn changes_at(&self, step: usize) -> Vec<(u32, f64)> {
        let mut state = self.bits_before_step_0();
        (0..step).for_each(|earlier| {
            self.real_changes(earlier, &mut state);
        });
        let number = |bits: u64| match self.track().kind {
            Kind::Scalar => f64::from_bits(bits),
            _ => bits as f64,
        };
        let changes = self.real_changes(step, &mut state).into_iter();
        changes.map(|(index, bits)| (index, number(bits))).collect()
    }

    /// Feeds the history to `feed` as bytes that depend neither on the order of recording nor on
    /// whether a mask was filled or set one by one.
    pub(crate) fn canonical_bytes(&self, mut feed: impl FnMut(&[u8])) {
        let width = match self.track().kind {
            Kind::Mask | Kind::Categorical { .. } => 1,
            Kind::MaskOne | Kind::Pointer => 4,
            Kind::Scalar => 8,
        };
        self.for_each_change(|step, index, value| {
            feed(&(step as u32).to_le_bytes());
            feed(&index.to_le_bytes());
            feed(&value.to_le_bytes()[..width]);
        });
    }

    /// Gives step, index and new value of every real change to `take`, by step and index; before
    /// step 0 masks are off, whatever they were filled with. Values are a number's bits, a node,
    /// a class, or 0 and 1.
    pub(crate) fn for_each_change(&self, mut take: impl FnMut(usize, u32, u64)) {
        let mut state = self.bits_before_step_0();
        for step in 0..self.n_steps() {
            let changes = self.real_changes(step, &mut state);
            if step == 0 && self.track().starts_set {
                (0..).zip(&state).filter(|(_, set)| **set == 1).for_each(|(i, _)| take(0, i, 1));
            } else {
                changes.into_iter().for_each(|(index, value)| take(step, index, value));
            }
        }
    }

    fn track(&self) -> &'a Track {
        &self.hints.tracks[self.place as usize]
    }

    fn own<'c>(&self, changes: &'c [Change]) -> impl Iterator<Item = &'c Change> + use<'c> {
        let place = self.place;
        changes.iter().filter(move |change| change.hint == place)
    }

    /// Applies the changes of `step` to `state`; gives those after which it is another, sorted by
    /// index.
    fn real_changes(&self, step: usize, state: &mut [u64]) -> Vec<(u32, u64)> {
        let mut changes: Vec<(u32, u64)> =
            self.own(self.hints.at_step(step)).map(|change| (change.index, change.value)).collect();
        changes.sort_by_key(|&(index, _)| index);
        let mut real = Vec::with_capacity(changes.len());
        for of_index in changes.chunk_by(|a, b| a.0 == b.0) {
            let (index, value) = of_index[of_index.len() - 1];
            let old = std::mem::replace(&mut state[index as usize], value);
            if old != value {
                real.push((index, value));
            }
        }
        real
    }

    fn bits_before_step_0(&self) -> Vec<u64> {
        match self.track().starts_set {
            true => vec![1; self.len()],
            false => self.track().zeros(),
        }
    }

    fn before_step_0(&self) -> Values {
        let (track, len) = (self.track(), self.len());
        match track.kind {
            Kind::Mask => Values::Mask(vec![track.starts_set; len]),
            Kind::MaskOne => Values::MaskOne(0),
            Kind::Categorical { .. } => Values::Categorical(vec![0; len]),
            Kind::Scalar => Values::Scalar(vec![0.0; len]),
            Kind::Pointer => Values::Pointer((0..track.len).collect()),
        }
    }

    fn apply(&self, changes: &[Change], state: &mut Values) {
        let own = self.own(changes).map(|change| (change.index as usize, change.value));
        match state {
            Values::Mask(state) => own.for_each(|(index, value)| state[index] = value == 1),
            Values::MaskOne(node) => own.for_each(|(_, value)| *node = value as u32),
            Values::Categorical(state) => own.for_each(|(index, value)| state[index] = value as u8),
            Values::Scalar(state) => {
                own.for_each(|(index, value)| state[index] = f64::from_bits(value));
            }
            Values::Pointer(state) => own.for_each(|(index, value)| state[index] = value as u32),
        }
    }
}

/// A walk through the steps of a hint; see [`Hint::range`].
#[derive(Debug)]
pub struct HintSteps<'a> {
    hint: Hint<'a>,
    state: Values,
    steps: Range<usize>,
}

impl HintSteps<'_> {
    /// The values of the next step, or `None` after the last.
    pub fn advance(&mut self) -> Option<&Values> {
        let step = self.steps.next()?;
        self.hint.apply(self.hint.hints.at_step(step), &mut self.state);
        Some(&self.state)
    }
}
