//! Random values on a grid, and random graphs.
//!
//! A grid makes results exact where it matters: sums of products of [`Grid::Even`] values are
//! exact in single precision, so two devices agree on which of two numbers is larger and on which
//! side of zero one is. Their gradients can then be compared everywhere.

use std::sync::Arc;

use salsa_engine::graph::Edges;

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

/// Which values are drawn, all from -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// Multiples of 1/4096: hardly ever equal.
    Fine,
    /// Multiples of 1/32.
    Even,
    /// Multiples of 1/2: ties everywhere.
    Coarse,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// A value of a grid.
    pub fn value(&mut self, grid: Grid) -> f32 {
        let steps = match grid {
            Grid::Fine => 4096,
            Grid::Even => 32,
            Grid::Coarse => 2,
        };
        (self.below(2 * steps + 1) as f32 - steps as f32) / steps as f32
    }

    /// Values of a grid.
    pub fn values(&mut self, grid: Grid, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.value(grid)).collect()
    }

    /// From 1/2 to 1.
    pub fn weights(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| 0.75 + self.value(Grid::Even) / 4.0).collect()
    }

    /// A symmetric graph with about `n_edges` edges and loops; where `bare`, some nodes have no
    /// loop, and so perhaps no entry at all.
    pub fn graph(&mut self, n_nodes: usize, n_edges: usize, bare: bool) -> Arc<Edges> {
        let mut entries = Vec::new();
        for u in 0..n_nodes {
            if !bare || self.below(4) != 0 {
                entries.push((u as u32, u as u32));
            }
        }
        for _ in 0..n_edges {
            let (u, v) = (self.below(n_nodes) as u32, self.below(n_nodes) as u32);
            if u != v {
                entries.extend([(u, v), (v, u)]);
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let (rows, neighbours) = entries.into_iter().unzip();
        Arc::new(Edges::new(n_nodes, rows, neighbours).unwrap())
    }

    /// Offsets of segments of `n_rows` rows together: the first and the last are empty, and so are
    /// some between.
    pub fn offsets(&mut self, n_rows: usize) -> Vec<u32> {
        let mut offsets = vec![0, 0];
        let mut end = 0;
        while end < n_rows {
            end = (end + self.below(5)).min(n_rows);
            offsets.push(end as u32);
        }
        offsets.push(n_rows as u32);
        offsets
    }
}
