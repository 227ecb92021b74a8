//! The sparse structure that operators work on: edges in rows, and segments.
//!
//! The message-passing graph is symmetric, so one list serves both directions: the entries of row
//! u are the edges that leave u (what a pointer chooses from) and, read backwards, the edges that
//! enter u (what its messages come over). `reverse` leads from an entry to the one of the opposite
//! direction; with it the gradient of a gather is a sum over a row, in a fixed order, without any
//! scattered write.

use std::ops::Range;
use std::sync::Arc;

use crate::buffer::Indices;

/// A symmetric graph as rows of neighbours, self-loops included.
#[derive(Debug, PartialEq, Eq)]
pub struct Edges {
    /// Row u is entries `offsets[u]..offsets[u + 1]`; `[n_nodes + 1]`.
    pub offsets: Indices,
    /// The node at the other end of each entry; `[n_entries]`.
    pub neighbours: Indices,
    /// The row of each entry; `[n_entries]`.
    pub rows: Indices,
    /// The entry of the opposite direction; `[n_entries]`.
    pub reverse: Indices,
}

/// Why a list of entries is not a symmetric graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EdgesError {
    /// Entries are not sorted by row, then neighbour.
    #[error("entry {0} is not after the one before it")]
    Unsorted(usize),
    /// A node number is too large.
    #[error("entry {0} names a node that does not exist")]
    NoSuchNode(usize),
    /// A direction is missing.
    #[error("entry {0} has no opposite entry")]
    OneWay(usize),
}

impl Edges {
    /// From entries sorted by (row, neighbour).
    pub fn new(n_nodes: usize, rows: Vec<u32>, neighbours: Vec<u32>) -> Result<Self, EdgesError> {
        let mut offsets = vec![0u32; n_nodes + 1];
        let mut previous = None;
        for (k, (&row, &neighbour)) in rows.iter().zip(&neighbours).enumerate() {
            if row as usize >= n_nodes || neighbour as usize >= n_nodes {
                return Err(EdgesError::NoSuchNode(k));
            }
            if previous.is_some_and(|previous| previous >= (row, neighbour)) {
                return Err(EdgesError::Unsorted(k));
            }
            previous = Some((row, neighbour));
            offsets[row as usize + 1] += 1;
        }
        for u in 0..n_nodes {
            offsets[u + 1] += offsets[u];
        }
        // Entries come sorted, so the opposite entries of one neighbour come in its row's order.
        let mut next: Vec<u32> = offsets[..n_nodes].to_vec();
        let mut reverse = vec![0u32; rows.len()];
        for (k, (&row, &neighbour)) in rows.iter().zip(&neighbours).enumerate() {
            let opposite = next[neighbour as usize];
            if opposite >= offsets[neighbour as usize + 1] || neighbours[opposite as usize] != row {
                return Err(EdgesError::OneWay(k));
            }
            reverse[k] = opposite;
            next[neighbour as usize] += 1;
        }
        Ok(Self {
            offsets: Indices(offsets),
            neighbours: Indices(neighbours),
            rows: Indices(rows),
            reverse: Indices(reverse),
        })
    }

    /// How many nodes.
    pub fn n_nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many entries: every direction of every edge, and the self-loops.
    pub fn n_entries(&self) -> usize {
        self.neighbours.len()
    }

    /// The entries of some rows.
    pub fn entries(&self, rows: &Range<usize>) -> Range<usize> {
        let offsets = self.offsets.host();
        offsets[rows.start] as usize..offsets[rows.end] as usize
    }
}

/// Consecutive runs of rows of a tensor, possibly the same runs again for several copies.
///
/// With `copies` = T a tensor has T blocks of the same layout below each other: what all steps of
/// a trajectory look like when they are decoded together.
#[derive(Debug, Clone)]
pub enum Segments {
    /// Segment i of a copy is its rows `offsets[i]..offsets[i + 1]`.
    Offsets {
        /// Where segments begin, and the end of the last.
        offsets: Arc<Indices>,
        /// How many blocks of them.
        copies: usize,
    },
    /// The entries of the rows of a graph: a segment is the edges of a node.
    Rows {
        /// The graph.
        edges: Arc<Edges>,
        /// How many blocks of them.
        copies: usize,
    },
    /// Segments of one length.
    Every(usize),
}

impl Segments {
    pub(crate) fn layout(&self) -> (Option<&[u32]>, usize) {
        match self {
            Self::Offsets { offsets, copies } => (Some(offsets.host()), *copies),
            Self::Rows { edges, copies } => (Some(edges.offsets.host()), *copies),
            Self::Every(length) => (None, *length),
        }
    }

    /// How many segments a tensor of `n_rows` rows has.
    pub fn count(&self, n_rows: usize) -> usize {
        match self.layout() {
            (Some(offsets), copies) => (offsets.len() - 1) * copies,
            (None, length) => n_rows / length,
        }
    }

    /// The rows of segment `i`.
    pub fn range(&self, i: usize) -> Range<usize> {
        match self.layout() {
            (Some(offsets), _) => {
                let n = offsets.len() - 1;
                let base = i / n * offsets[n] as usize;
                base + offsets[i % n] as usize..base + offsets[i % n + 1] as usize
            }
            (None, length) => i * length..(i + 1) * length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 0 - 1 - 2, with loops
    fn path() -> Edges {
        Edges::new(3, vec![0, 0, 1, 1, 1, 2, 2], vec![0, 1, 0, 1, 2, 1, 2]).unwrap()
    }

    #[test]
    fn reverse_leads_to_the_opposite_entry() {
        let edges = path();
        assert_eq!(edges.reverse.host(), [0, 2, 1, 3, 5, 4, 6]);
        assert_eq!(edges.entries(&(1..3)), 2..7);
    }

    #[test]
    fn a_missing_direction_is_named() {
        assert_eq!(Edges::new(2, vec![0, 1], vec![1, 1]).unwrap_err(), EdgesError::OneWay(0));
        assert_eq!(Edges::new(2, vec![1, 0], vec![0, 1]).unwrap_err(), EdgesError::Unsorted(1));
        assert_eq!(Edges::new(1, vec![0], vec![1]).unwrap_err(), EdgesError::NoSuchNode(0));
    }

    #[test]
    fn copies_of_segments_follow_each_other() {
        let segments = Segments::Offsets { offsets: Arc::new(Indices(vec![0, 2, 3])), copies: 2 };
        let ranges: Vec<_> = (0..segments.count(6)).map(|i| segments.range(i)).collect();
        assert_eq!(ranges, [0..2, 2..3, 3..5, 5..6]);
    }
}
