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
            offsets: Indices::new(offsets),
            neighbours: Indices::new(neighbours),
            rows: Indices::new(rows),
            reverse: Indices::new(reverse),
        })
    }

    /// Runs of nodes below each other, each as a graph of its own.
    ///
    /// # Panics
    /// If an edge leads out of a run.
    pub fn repeated(&self, runs: impl IntoIterator<Item = Range<usize>>) -> Self {
        let (mut offsets, mut neighbours) = (vec![0], Vec::new());
        let (mut rows, mut reverse) = (Vec::new(), Vec::new());
        for run in runs {
            let entries = self.entries(&run);
            let (first_row, first_entry) = (offsets.len() as u32 - 1, neighbours.len() as u32);
            let (run, from) = (run.start as u32..run.end as u32, entries.start as u32);
            let node = |node: &u32| {
                assert!(run.contains(node), "an edge leads out of a run of nodes");
                node - run.start + first_row
            };
            neighbours.extend(self.neighbours.host()[entries.clone()].iter().map(node));
            rows.extend(self.rows.host()[entries.clone()].iter().map(node));
            reverse.extend(self.reverse.host()[entries].iter().map(|k| k - from + first_entry));
            let ends = &self.offsets.host()[run.start as usize + 1..=run.end as usize];
            offsets.extend(ends.iter().map(|end| end - from + first_entry));
        }
        Self {
            offsets: Indices::new(offsets),
            neighbours: Indices::new(neighbours),
            rows: Indices::new(rows),
            reverse: Indices::new(reverse),
        }
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

/// Consecutive runs of rows of a tensor.
#[derive(Debug, Clone)]
pub enum Segments {
    /// Segment i is rows `offsets[i]..offsets[i + 1]`.
    Offsets(Arc<Indices>),
    /// The entries of the rows of a graph: a segment is the edges of a node.
    Rows(Arc<Edges>),
    /// Segments of one length.
    Every(usize),
}

impl Segments {
    fn offsets(&self) -> Result<&[u32], usize> {
        match self {
            Self::Offsets(offsets) => Ok(offsets.host()),
            Self::Rows(edges) => Ok(edges.offsets.host()),
            Self::Every(length) => Err(*length),
        }
    }

    /// How many segments a tensor of `n_rows` rows has.
    pub fn count(&self, n_rows: usize) -> usize {
        match self.offsets() {
            Ok(offsets) => offsets.len() - 1,
            Err(length) => n_rows / length,
        }
    }

    /// The rows of segment `i`.
    pub fn range(&self, i: usize) -> Range<usize> {
        match self.offsets() {
            Ok(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Err(length) => i * length..(i + 1) * length,
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
    fn runs_of_nodes_repeat_as_graphs_of_their_own() {
        // 0 - 1, and 2 alone
        let two = Edges::new(3, vec![0, 1, 2], vec![1, 0, 2]).unwrap();
        let repeated = two.repeated([2..3, 0..3, 0..2]);
        let rows = vec![0, 1, 2, 3, 4, 5];
        assert_eq!(repeated, Edges::new(6, rows, vec![0, 2, 1, 3, 5, 4]).unwrap());
    }

    #[test]
    fn a_missing_direction_is_named() {
        assert_eq!(Edges::new(2, vec![0, 1], vec![1, 1]).unwrap_err(), EdgesError::OneWay(0));
        assert_eq!(Edges::new(2, vec![1, 0], vec![0, 1]).unwrap_err(), EdgesError::Unsorted(1));
        assert_eq!(Edges::new(1, vec![0], vec![1]).unwrap_err(), EdgesError::NoSuchNode(0));
    }
}
