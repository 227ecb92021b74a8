//! One hint over all steps: stored as changes, expanded to dense values on demand.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Values;
use super::log::{Change, Log};

/// The history of one hint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// Number of values: nodes, entries, or 1.
    pub(super) len: u32,
    /// Number of steps, T.
    pub(super) n_steps: u32,
    pub(super) history: History,
}

/// The changes of a hint, by the kind of its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum History {
    Mask(Log<bool>),
    /// The value is the marked node, the index always 0.
    MaskOne(Log<u32>),
    Categorical(Log<u8>),
    Scalar(Log<f64>),
    /// Starts at every node itself.
    Pointer(Log<u32>),
}

impl Hint {
    /// The history that shows these values, one entry a step; there is at least one step.
    ///
    /// # Panics
    /// If the steps differ in kind or number of values.
    pub fn from_dense(steps: &[Values]) -> Self {
        let n_steps = steps.len() as u32;
        let of = |history, len: usize| Self { len: len as u32, n_steps, history };
        macro_rules! compressed {
            ($kind:ident, $initial:expr, $before:expr) => {{
                let dense = steps.iter().map(|values| match values {
                    Values::$kind(values) => values.as_slice(),
                    _ => panic!("a hint has one kind of values"),
                });
                let len = steps[0].count().unwrap_or(1);
                of(History::$kind(Log::from_dense($initial, $before(len), dense)), len)
            }};
        }
        match &steps[0] {
            Values::Mask(_) => compressed!(Mask, false, |len| vec![false; len]),
            Values::Categorical(_) => compressed!(Categorical, 0, |len| vec![0; len]),
            Values::Scalar(_) => compressed!(Scalar, 0.0, |len| vec![0.0; len]),
            Values::Pointer(_) => compressed!(Pointer, 0, |len| (0..len as u32).collect()),
            Values::MaskOne(_) => {
                let nodes: Vec<[u32; 1]> = steps
                    .iter()
                    .map(|values| match values {
                        Values::MaskOne(node) => [*node],
                        _ => panic!("a hint has one kind of values"),
                    })
                    .collect();
                let dense = nodes.iter().map(<[u32; 1]>::as_slice);
                of(History::MaskOne(Log::from_dense(0, vec![u32::MAX], dense)), 1)
            }
        }
    }

    /// Number of steps, T.
    pub fn n_steps(&self) -> usize {
        self.n_steps as usize
    }

    /// Number of values at each step: nodes, entries, or 1.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of recorded changes.
    pub fn n_changes(&self) -> usize {
        match &self.history {
            History::Mask(log) => log.changes.len(),
            History::MaskOne(log) | History::Pointer(log) => log.changes.len(),
            History::Categorical(log) => log.changes.len(),
            History::Scalar(log) => log.changes.len(),
        }
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
    pub fn range(&self, steps: Range<usize>) -> HintSteps<'_> {
        assert!(steps.end <= self.n_steps(), "steps {steps:?} of {} were asked for", self.n_steps);
        HintSteps { hint: self, state: self.before_step_0(), next_change: 0, steps }
    }

    /// The real changes shown first at `step`, sorted by index: (index, new value as a number).
    /// Pointers and marked nodes are node numbers, masks 0 or 1.
    ///
    /// Costs O(values + changes up to `step`).
    pub fn changes_at(&self, step: usize) -> Vec<(u32, f64)> {
        fn listed<V>(changes: Vec<Change<V>>, number: impl Fn(V) -> f64) -> Vec<(u32, f64)> {
            changes.into_iter().map(|change| (change.index, number(change.value))).collect()
        }
        let step = step as u32;
        match (&self.history, self.before_step_0()) {
            (History::Mask(log), Values::Mask(state)) => {
                listed(log.real_changes_at(step, state), |value| f64::from(u8::from(value)))
            }
            (History::MaskOne(log), Values::MaskOne(_)) => {
                // No node is marked before step 0, so the first marking always counts.
                listed(log.real_changes_at(step, vec![u32::MAX]), f64::from)
            }
            (History::Categorical(log), Values::Categorical(state)) => {
                listed(log.real_changes_at(step, state), f64::from)
            }
            (History::Scalar(log), Values::Scalar(state)) => {
                listed(log.real_changes_at(step, state), |value| value)
            }
            (History::Pointer(log), Values::Pointer(state)) => {
                listed(log.real_changes_at(step, state), f64::from)
            }
            _ => unreachable!("the values before step 0 have the kind of the history"),
        }
    }

    /// Feeds the history to `feed` as bytes that depend neither on the order of recording nor on
    /// the value that the history starts from.
    pub(crate) fn canonical_bytes(&self, mut feed: impl FnMut(&[u8])) {
        fn each<V: Copy>(changes: Vec<Change<V>>, mut feed: impl FnMut(&Change<V>)) {
            changes.iter().for_each(&mut feed);
        }
        let mut place = |step: u32, index: u32, value: &[u8]| {
            feed(&step.to_le_bytes());
            feed(&index.to_le_bytes());
            feed(value);
        };
        match &self.history {
            History::Mask(log) => each(log.canonical(vec![false; self.len()]), |c| {
                place(c.step, c.index, &[u8::from(c.value)]);
            }),
            // No node is marked before step 0, so the first marking always counts.
            History::MaskOne(log) => each(log.canonical(vec![u32::MAX]), |c| {
                place(c.step, c.index, &c.value.to_le_bytes());
            }),
            History::Pointer(log) => each(log.changed_from((0..self.len).collect()), |c| {
                place(c.step, c.index, &c.value.to_le_bytes());
            }),
            History::Categorical(log) => each(log.canonical(vec![0; self.len()]), |c| {
                place(c.step, c.index, &[c.value]);
            }),
            History::Scalar(log) => each(log.canonical(vec![0.0; self.len()]), |c| {
                place(c.step, c.index, &c.value.to_le_bytes());
            }),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match &self.history {
            History::Mask(log) => log.bytes(),
            History::MaskOne(log) | History::Pointer(log) => log.bytes(),
            History::Categorical(log) => log.bytes(),
            History::Scalar(log) => log.bytes(),
        }
    }

    fn before_step_0(&self) -> Values {
        let len = self.len();
        match &self.history {
            History::Mask(log) => Values::Mask(vec![log.initial; len]),
            History::MaskOne(log) => Values::MaskOne(log.initial),
            History::Categorical(log) => Values::Categorical(vec![log.initial; len]),
            History::Scalar(log) => Values::Scalar(vec![log.initial; len]),
            History::Pointer(_) => Values::Pointer((0..self.len).collect()),
        }
    }
}

/// A walk through the steps of a hint; see [`Hint::range`].
#[derive(Debug)]
pub struct HintSteps<'a> {
    hint: &'a Hint,
    state: Values,
    next_change: usize,
    steps: Range<usize>,
}

impl HintSteps<'_> {
    /// The values of the next step, or `None` after the last.
    pub fn advance(&mut self) -> Option<&Values> {
        let step = self.steps.next()? as u32;
        self.next_change = match (&self.hint.history, &mut self.state) {
            (History::Mask(log), Values::Mask(state)) => log.apply(state, self.next_change, step),
            (History::MaskOne(log), Values::MaskOne(node)) => {
                log.apply(std::slice::from_mut(node), self.next_change, step)
            }
            (History::Categorical(log), Values::Categorical(state)) => {
                log.apply(state, self.next_change, step)
            }
            (History::Scalar(log), Values::Scalar(state)) => {
                log.apply(state, self.next_change, step)
            }
            (History::Pointer(log), Values::Pointer(state)) => {
                log.apply(state, self.next_change, step)
            }
            _ => unreachable!("the state has the kind of the history"),
        };
        Some(&self.state)
    }
}
