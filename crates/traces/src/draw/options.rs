//! What a user may choose about a picture.
//!
//! Numbers that make no sense (a width of 0, no seconds at all) are brought to the nearest that
//! does, so drawing cannot fail.

use super::palette::{DARK, LIGHT, Palette};

/// How pictures are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Width of the whole document in pixels; its height follows from the graph.
    pub size: f64,
    /// Whether nodes show their numbers, where there is room.
    pub labels: bool,
    /// Panels of a strip at most; longer executions are thinned evenly.
    pub max_panels: usize,
    /// How long an animation shows each step.
    pub seconds_per_step: f64,
    /// Whether the background is dark.
    pub dark: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: 640.0, labels: true, max_panels: 12, seconds_per_step: 0.8, dark: false }
    }
}

impl Options {
    /// The colours.
    pub(super) fn palette(&self) -> &'static Palette {
        if self.dark { &DARK } else { &LIGHT }
    }

    /// The width, no less than what a node and a word need.
    pub(super) fn width(&self) -> f64 {
        if self.size.is_finite() { self.size.max(120.0).round() } else { Self::default().size }
    }

    /// How long a frame of an animation lasts.
    pub(super) fn seconds_per_frame(&self) -> f64 {
        let seconds = self.seconds_per_step;
        if seconds.is_finite() { seconds.max(0.02) } else { Self::default().seconds_per_step }
    }
}
