//! Edges as proofs: only a graph makes one, so who has one need not check again that it exists.

/// An edge of a graph, seen from one end; only a graph makes one, so to have it is the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub(super) source: u32,
    pub(super) target: u32,
}

impl Edge {
    /// The near end.
    #[inline]
    pub fn source(self) -> u32 {
        self.source
    }

    /// The far end.
    #[inline]
    pub fn target(self) -> u32 {
        self.target
    }
}

/// The edges out of a node, one after the other.
#[derive(Debug, Clone)]
pub struct Row<'g> {
    pub(super) source: u32,
    pub(super) rest: std::slice::Iter<'g, u32>,
}

impl Iterator for Row<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let source = self.source;
        self.rest.next().map(|&target| Edge { source, target })
    }
}
