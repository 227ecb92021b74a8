//! Handles to hints: each makes the changes of one hint, and only such as fit its kind.
//!
//! A change whose index or value does not exist is made all the same, but marked as refused; the
//! recorder looks at the marks of a whole step at once and tells the first one. That keeps the
//! check off the path of correct algorithms.

use super::changes::Change;
use crate::graph::Edge;

/// Added to the hint of a change that is refused.
pub(super) const REFUSED: u32 = 1 << 31;

/// Where the changes of a hint go, and what they may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) hint: u32,
    /// Number of values.
    pub(super) len: u32,
    /// Whole values must be below it.
    pub(super) bound: u32,
}

impl Slot {
    /// For a hint that is not declared or not recorded: nothing fits.
    pub(super) const NOWHERE: Self = Self { hint: u32::MAX, len: 0, bound: 0 };

    #[inline]
    fn change(self, index: u32, value: u64, fits: bool) -> Change {
        let refused = if fits && index < self.len { 0 } else { REFUSED };
        Change { value, index, hint: self.hint | refused }
    }

    #[inline]
    fn whole(self, index: u32, value: u32) -> Change {
        self.change(index, value.into(), value < self.bound)
    }
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name(pub(super) Slot);
    )*};
}

handles! {
    /// A handle to a mask hint.
    MaskHint,
    /// A handle to a hint that marks one node.
    MaskOneHint,
    /// A handle to a categorical hint.
    CategoricalHint,
    /// A handle to a scalar hint.
    ScalarHint,
    /// A handle to a pointer hint.
    PointerHint,
}

impl MaskHint {
    /// The mask at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn to(self, index: u32, value: bool) -> Change {
        self.0.whole(index, value.into())
    }
}

impl MaskOneHint {
    /// `node` is the marked one.
    #[inline]
    pub fn to(self, node: u32) -> Change {
        self.0.whole(0, node)
    }
}

impl CategoricalHint {
    /// `node` has class `class`.
    #[inline]
    pub fn to(self, node: u32, class: u8) -> Change {
        self.0.whole(node, class.into())
    }
}

impl ScalarHint {
    /// The number at `index` (a node, an entry, or 0) is `value`.
    #[inline]
    pub fn to(self, index: u32, value: f64) -> Change {
        self.0.change(index, value.to_bits(), true)
    }
}

impl PointerHint {
    /// The far end of an edge points back to its near end, which an edge is the proof of.
    #[inline]
    pub fn back(self, edge: Edge) -> Change {
        self.0.whole(edge.target(), edge.source())
    }

    /// `node` points to itself, for "none".
    #[inline]
    pub fn none(self, node: u32) -> Change {
        self.0.whole(node, node)
    }

    /// `node` points to `target`, which someone else must have checked.
    #[inline]
    pub(super) fn unchecked(self, node: u32, target: u32) -> Change {
        self.0.whole(node, target)
    }
}
