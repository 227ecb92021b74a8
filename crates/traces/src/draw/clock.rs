//! When things are seen: one moment, or the frames of an animation.
//!
//! An element is written once for each stretch of frames over which it looks the same, and shown
//! during that stretch only. So an animation grows with what changes, not with its frames. The
//! last frame rests a little longer, and is what a viewer without animation shows.

use std::ops::Range;

/// Frames that the last one counts for.
const LAST_FRAME: usize = 3;

/// The frames of an animation; a still picture has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    pub n_frames: usize,
    pub seconds_per_frame: f64,
}

impl Clock {
    /// The clock of a still picture.
    pub(super) const STILL: Self = Self { n_frames: 1, seconds_per_frame: 1.0 };

    /// `content`, to be seen during these frames.
    pub(super) fn during(&self, frames: &Range<usize>, content: &str) -> String {
        if *frames == (0..self.n_frames) || content.is_empty() {
            return content.to_owned();
        }
        let total = (self.n_frames - 1 + LAST_FRAME) as f64;
        let (start, end) = (frames.start as f64 / total, frames.end as f64 / total);
        let (values, times) = match (frames.start == 0, frames.end == self.n_frames) {
            (true, _) => ("visible;hidden", format!("0;{end:.5}")),
            (_, true) => ("hidden;visible", format!("0;{start:.5}")),
            _ => ("hidden;visible;hidden", format!("0;{start:.5};{end:.5}")),
        };
        let at_rest = if frames.end == self.n_frames { "" } else { " visibility=\"hidden\"" };
        let seconds = total * self.seconds_per_frame;
        format!(
            "<g{at_rest}><animate attributeName=\"visibility\" calcMode=\"discrete\" \
             values=\"{values}\" keyTimes=\"{times}\" dur=\"{seconds:.2}s\" \
             repeatCount=\"indefinite\"/>{content}</g>\n"
        )
    }
}

/// Consecutive equal items with the stretch they cover.
pub(super) fn runs<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<(Range<usize>, T)> {
    let mut runs: Vec<(Range<usize>, T)> = Vec::new();
    for (place, item) in items.into_iter().enumerate() {
        match runs.last_mut().filter(|(_, last)| *last == item) {
            Some((stretch, _)) => stretch.end = place + 1,
            None => runs.push((place..place + 1, item)),
        }
    }
    runs
}

/// At most `most` of the numbers below `n`, evenly spaced, the first and the last included; of
/// one alone the last.
pub(super) fn evenly(n: usize, most: usize) -> Vec<usize> {
    match most.min(n) {
        0 | 1 => vec![n.saturating_sub(1)],
        kept if kept == n => (0..n).collect(),
        kept => (0..kept).map(|k| (2 * k * (n - 1) + kept - 1) / (2 * (kept - 1))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_make_one_run() {
        assert_eq!(runs("aabca".chars()), [(0..2, 'a'), (2..3, 'b'), (3..4, 'c'), (4..5, 'a')]);
    }

    #[test]
    fn only_what_the_last_frame_shows_is_visible_at_rest() {
        let clock = Clock { n_frames: 4, seconds_per_frame: 0.5 };
        assert_eq!(clock.during(&(0..4), "x"), "x");
        assert!(clock.during(&(0..2), "x").starts_with("<g visibility=\"hidden\">"));
        assert!(clock.during(&(1..4), "x").starts_with("<g><animate"));
        let middle = clock.during(&(1..2), "x");
        assert!(middle.contains("keyTimes=\"0;0.16667;0.33333\" dur=\"3.00s\""), "{middle}");
    }

    #[test]
    fn even_thinning_keeps_both_ends() {
        assert_eq!(evenly(5, 9), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(10, 4), [0, 3, 6, 9]);
        assert_eq!(evenly(7, 1), [6]);
    }
}
