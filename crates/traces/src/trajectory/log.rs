//! A feature over time, kept as its changes.
//!
//! A change carries the first step that shows it, so a feature that rests costs nothing and the
//! storage of an execution is O(changes), however long it runs.

use serde::{Deserialize, Serialize};

/// From step `step` on, the value at `index` is `value`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change<V> {
    /// The first step that shows the value.
    pub step: u32,
    /// Node or entry; 0 for a value of the whole graph.
    pub index: u32,
    /// The new value.
    pub value: V,
}

/// The changes of one feature, ordered by step; of several at one step and index the last counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Log<V> {
    /// The value of every index before any change; for pointers every node itself instead.
    pub initial: V,
    /// The changes.
    pub changes: Vec<Change<V>>,
}

impl<V: Copy + PartialEq> Log<V> {
    /// The changes between dense values, one slice a step; `before` are the values before them.
    pub(super) fn from_dense<'a>(
        initial: V,
        mut before: Vec<V>,
        steps: impl Iterator<Item = &'a [V]>,
    ) -> Self
    where
        V: 'a,
    {
        let mut changes = Vec::new();
        for (step, values) in (0..).zip(steps) {
            assert_eq!(values.len(), before.len(), "every step has the same number of values");
            for (index, (old, &value)) in (0..).zip(before.iter_mut().zip(values)) {
                if *old != value {
                    *old = value;
                    changes.push(Change { step, index, value });
                }
            }
        }
        Self { initial, changes }
    }

    /// The changes shown from step `step` on.
    pub fn changes_at(&self, step: u32) -> &[Change<V>] {
        let start = self.changes.partition_point(|change| change.step < step);
        let end = self.changes.partition_point(|change| change.step <= step);
        &self.changes[start..end]
    }

    /// Applies all changes up to and including `step` to `state`, starting at change `next`;
    /// gives the place of the first change after it.
    pub(super) fn apply(&self, state: &mut [V], next: usize, step: u32) -> usize {
        let mut place = next;
        while let Some(change) = self.changes.get(place).filter(|change| change.step <= step) {
            state[change.index as usize] = change.value;
            place += 1;
        }
        place
    }

    /// The real changes shown first at `step`, sorted by index; `state` are the values before
    /// step 0.
    pub(super) fn real_changes_at(&self, step: u32, mut state: Vec<V>) -> Vec<Change<V>> {
        let start = self.changes.partition_point(|change| change.step < step);
        for change in &self.changes[..start] {
            state[change.index as usize] = change.value;
        }
        real(self.changes_at(step), state)
    }

    /// The same history whatever the order of recording: sorted by (step, index), one change for
    /// each, and only real ones, seen from `state`, the values before step 0.
    pub(super) fn changed_from(&self, state: Vec<V>) -> Vec<Change<V>> {
        real(&self.changes, state)
    }

    /// The same, and whatever value the history starts from: where that is not what stands in
    /// `state`, step 0 changes to it.
    pub(super) fn canonical(&self, state: Vec<V>) -> Vec<Change<V>> {
        let start = |index| Change { step: 0, index, value: self.initial };
        let others = (0..).zip(&state).filter(|(_, value)| **value != self.initial);
        let mut changes: Vec<Change<V>> = others.map(|(index, _)| start(index)).collect();
        changes.extend(&self.changes);
        real(&changes, state)
    }

    pub(super) fn bytes(&self) -> usize {
        self.changes.len() * size_of::<Change<V>>()
    }
}

/// Those of `changes` after which `state` is another, sorted by (step, index), one for each.
fn real<V: Copy + PartialEq>(changes: &[Change<V>], mut state: Vec<V>) -> Vec<Change<V>> {
    let mut sorted = changes.to_vec();
    sorted.sort_by_key(|change| (change.step, change.index));
    let mut kept: Vec<Change<V>> = Vec::with_capacity(sorted.len());
    for (place, change) in sorted.iter().enumerate() {
        let next = sorted.get(place + 1);
        if next.is_some_and(|next| (next.step, next.index) == (change.step, change.index)) {
            continue;
        }
        let value = &mut state[change.index as usize];
        if *value != change.value {
            *value = change.value;
            kept.push(*change);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(changes: &[(u32, u32, u8)]) -> Log<u8> {
        let change = |&(step, index, value): &_| Change { step, index, value };
        Log { initial: 0, changes: changes.iter().map(change).collect() }
    }

    #[test]
    fn the_canonical_history_does_not_depend_on_the_order_within_a_step() {
        let one = log(&[(0, 1, 5), (0, 0, 7), (2, 0, 3)]);
        let other = log(&[(0, 0, 7), (0, 1, 5), (2, 0, 3)]);
        assert_eq!(one.canonical(vec![0; 2]), other.canonical(vec![0; 2]));
        assert_eq!(one.canonical(vec![0; 2]), log(&[(0, 0, 7), (0, 1, 5), (2, 0, 3)]).changes);
    }

    #[test]
    fn the_canonical_history_does_not_depend_on_the_value_it_starts_from() {
        let from_7 = Log { initial: 7, ..log(&[(0, 1, 5), (2, 0, 0)]) };
        let from_0 = log(&[(0, 0, 7), (0, 1, 5), (2, 0, 0)]);
        assert_eq!(from_7.canonical(vec![0; 2]), from_0.canonical(vec![0; 2]));
    }

    #[test]
    fn the_canonical_history_leaves_out_what_changes_nothing() {
        // Set to what it was; there and back within a step; overwritten within a step.
        let noisy = log(&[(0, 0, 0), (1, 1, 4), (1, 1, 0), (2, 0, 9), (2, 0, 8), (3, 0, 8)]);
        assert_eq!(noisy.canonical(vec![0; 2]), log(&[(2, 0, 8)]).changes);
    }

    #[test]
    fn changes_at_a_step_are_seen_from_the_step_before() {
        let log = log(&[(0, 0, 1), (1, 0, 2), (3, 0, 2), (3, 1, 1)]);
        assert_eq!(log.real_changes_at(1, vec![0; 2]), [Change { step: 1, index: 0, value: 2 }]);
        assert_eq!(log.real_changes_at(2, vec![0; 2]), []);
        assert_eq!(log.real_changes_at(3, vec![0; 2]), [Change { step: 3, index: 1, value: 1 }]);
    }
}
