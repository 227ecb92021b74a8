//! All hints at once, as stretches of steps over which a value rests.
//!
//! A dense array whose steps lie next to each other is filled stretch by stretch. Going through
//! the changes backwards, each of them holds until the one after it, so every value is written
//! once: O(dense values + changes), whatever the order of recording.

use std::ops::Range;

use super::Hints;
use super::changes::Change;
use crate::spec::Kind;

/// A value of a hint that stays the same for some steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// The place of the hint among those of the spec.
    pub hint: usize,
    /// Which of its values: a node, an entry, or 0.
    pub index: usize,
    /// The value as a number: pointers and marked nodes are node numbers, masks 0 or 1.
    pub value: f64,
    /// The steps that show it, at least one.
    pub steps: Range<usize>,
}

impl Hints {
    /// Gives every stretch of every hint to `each`; together they are all dense values.
    pub fn stretches(&self, mut each: impl FnMut(Stretch)) {
        let mut ends: Vec<Vec<usize>> =
            self.tracks.iter().map(|track| vec![self.n_steps(); track.len as usize]).collect();
        for step in (0..self.n_steps()).rev() {
            for &Change { value, index, hint } in self.at_step(step).iter().rev() {
                let (hint, index) = (hint as usize, index as usize);
                let end = std::mem::replace(&mut ends[hint][index], step);
                if step < end {
                    let value = match self.tracks[hint].kind {
                        Kind::Scalar => f64::from_bits(value),
                        _ => value as f64,
                    };
                    each(Stretch { hint, index, value, steps: step..end });
                }
            }
        }
        for (hint, (track, ends)) in self.tracks.iter().zip(ends).enumerate() {
            for (index, end) in ends.into_iter().enumerate().filter(|(_, end)| *end > 0) {
                let value = match track.kind {
                    Kind::Pointer => index as f64,
                    _ => f64::from(u8::from(track.starts_set)),
                };
                each(Stretch { hint, index, value, steps: 0..end });
            }
        }
    }
}
