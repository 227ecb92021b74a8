//! The message-passing graph written out: the targets of all entries, self-loops in their places.

use super::rows::offsets_of_upper;
use super::{Graph, GraphError};
use crate::spec::Location;

/// Entries sorted by source and target, row after row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries {
    /// The first entry of each node, and the number of all.
    firsts: Vec<u32>,
    targets: Vec<u32>,
}

impl Entries {
    /// Those of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut targets = vec![0; graph.n_entries()];
        graph.write_targets(&mut targets);
        let mut first = 0;
        let ends = graph.entry_counts().map(|count| {
            first += count;
            first
        });
        Self { firsts: [0].into_iter().chain(ends).collect(), targets }
    }

    /// Those of the graph with these neighbours above each node, ascending, row after row, and one
    /// weight an entry if `weights` has one for each of the neighbours; self-loops weigh 1.
    ///
    /// The same as by way of a [`Graph`], in half the time.
    pub fn of_upper_rows(
        row_lengths: &[u32],
        upper: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<(Self, Option<Vec<f32>>), GraphError> {
        let mut firsts = offsets_of_upper(row_lengths, upper)?;
        for (loops, first) in (0..).zip(&mut firsts) {
            *first += loops;
        }
        let n_entries = firsts[row_lengths.len()] as usize;
        let mut entries = Self { firsts, targets: vec![0; n_entries] };
        let Some(weights) = weights else {
            entries.unfold(row_lengths, upper, |_, _| ());
            return Ok((entries, None));
        };
        if weights.len() != upper.len() {
            return Err(GraphError::WeightCount { expected: upper.len(), found: weights.len() });
        }
        let mut by_entry = vec![1.0; n_entries];
        let mut finite = true;
        entries.unfold(row_lengths, upper, |edge, [own, other]| {
            let weight = weights[edge];
            finite &= weight.is_finite();
            by_entry[own] = weight as f32;
            by_entry[other] = weight as f32;
        });
        if !finite {
            // Which one it is takes a graph to say.
            Graph::from_upper_rows(row_lengths, upper)?.with_weights(weights)?;
        }
        Ok((entries, Some(by_entry)))
    }

    /// Writes all targets; calls `see` with every edge's place in `upper` and its two entries.
    ///
    /// Whoever is below a node comes before it and enters its row in order; then come the node
    /// itself and the rest.
    fn unfold(
        &mut self,
        row_lengths: &[u32],
        upper: &[u32],
        mut see: impl FnMut(usize, [usize; 2]),
    ) {
        let mut next = self.firsts.clone();
        let mut edge = 0;
        for (u, &len) in (0..).zip(row_lengths) {
            let mut own = next[u as usize] as usize;
            self.targets[own] = u;
            for &v in &upper[edge..edge + len as usize] {
                own += 1;
                let place = &mut next[v as usize];
                let other = *place as usize;
                *place += 1;
                self.targets[own] = v;
                self.targets[other] = u;
                see(edge, [own, other]);
                edge += 1;
            }
        }
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.firsts.len() - 1
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Number of values that a feature at `location` has.
    pub fn n_values(&self, location: Location) -> usize {
        match location {
            Location::Node => self.n_nodes(),
            Location::Edge => self.len(),
            Location::Graph => 1,
        }
    }

    /// The target of each entry.
    pub fn into_targets(self) -> Vec<u32> {
        self.targets
    }

    /// How many entries each node is the source of.
    pub fn row_lengths(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.firsts.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// The entry from `u` to `v`, which is a neighbour or `u` itself.
    pub fn entry_to(&self, u: u32, v: u32) -> Option<usize> {
        let first = self.firsts[u as usize] as usize;
        let row = &self.targets[first..self.firsts[u as usize + 1] as usize];
        // Most rows are short: eight targets are compared at a time, without a branch.
        let place = match row.len() {
            0..=64 => {
                let blocks = row.chunks(8).map(|block| {
                    let bits = (0..).zip(block).map(|(i, &w)| u32::from(w == v) << i);
                    bits.fold(0, |all, bit| all | bit)
                });
                let (block, found) = (0..).zip(blocks).find(|&(_, found)| found != 0)?;
                8 * block + found.trailing_zeros() as usize
            }
            _ => row.binary_search(&v).ok()?,
        };
        Some(first + place)
    }
}
