//! One form for hints that show the same values, however they were recorded.

use super::changes::{Change, Hints};
use crate::spec::Kind;

impl Hints {
    /// The same values over time: of each step only what changes at it, sorted by hint and index,
    /// and masks that are set everywhere at the first step start so.
    pub(crate) fn canonical(&self) -> Self {
        let mut tracks = self.tracks.clone();
        let mut state: Vec<Vec<u64>> = tracks.iter().map(|track| track.start()).collect();
        let (mut changes, mut step_ends) = (Vec::new(), Vec::new());
        for step in 0..self.n_steps() {
            // Of several the last counts: the first of those that a stable sort leaves in turn.
            let mut last: Vec<Change> = self.at_step(step).iter().rev().copied().collect();
            last.sort_by_key(|change| (change.hint, change.index));
            last.dedup_by_key(|change| (change.hint, change.index));
            for Change { value, index, hint } in last {
                let old = &mut state[hint as usize][index as usize];
                if *old != value {
                    *old = value;
                    changes.push(Change { value, index, hint });
                }
            }
            if step == 0 {
                let masks = (0..).zip(&mut tracks).filter(|(_, track)| track.kind == Kind::Mask);
                for (hint, track) in masks {
                    let values = &state[hint as usize];
                    track.starts_set = values.iter().all(|&value| value == 1) && track.len > 0;
                    changes.retain(|change| change.hint != hint);
                    let set = (0..).zip(values).filter(|(_, value)| **value == 1);
                    let marks = set.map(|(index, &value)| Change { value, index, hint });
                    changes.extend(marks.filter(|_| !track.starts_set));
                }
                changes.sort_by_key(|change| (change.hint, change.index));
            }
            step_ends.push(changes.len());
        }
        Self { tracks, changes, step_ends }
    }

    fn is_written_as(&self, other: &Self) -> bool {
        (&self.tracks, &self.step_ends, &self.changes)
            == (&other.tracks, &other.step_ends, &other.changes)
    }
}

/// Equal hints show the same values at every step.
impl PartialEq for Hints {
    fn eq(&self, other: &Self) -> bool {
        self.is_written_as(other)
            || self.n_steps() == other.n_steps()
                && self.canonical().is_written_as(&other.canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::super::changes::Track;
    use super::*;

    fn hints(starts_set: bool, steps: &[&[(u32, u32, u64)]]) -> Hints {
        let track = |kind, starts_set| Track { kind, len: 2, starts_set };
        let (mut changes, mut step_ends) = (Vec::new(), Vec::new());
        for step in steps {
            changes.extend(step.iter().map(|&(hint, index, value)| Change { value, index, hint }));
            step_ends.push(changes.len());
        }
        let tracks = vec![track(Kind::Mask, starts_set), track(Kind::Pointer, false)];
        Hints { tracks, changes, step_ends }
    }

    #[test]
    fn what_shows_the_same_is_equal_and_written_alike() {
        let plain = hints(true, &[&[(1, 1, 0)], &[(0, 0, 0)]]);
        // Set one by one, in another order, with a value that is replaced and one that stays.
        let other = hints(
            false,
            &[&[(1, 1, 1), (0, 1, 1), (1, 1, 0), (0, 0, 1)], &[(1, 0, 0), (0, 0, 1), (0, 0, 0)]],
        );
        assert_eq!(plain, other);
        assert!(plain.canonical().is_written_as(&other.canonical()));
        assert!(plain.canonical().is_written_as(&plain));
        let different = hints(true, &[&[(1, 1, 0)], &[(0, 1, 0)]]);
        assert_ne!(plain, different);
        assert_ne!(plain, hints(true, &[&[(1, 1, 0)]]));
    }
}
