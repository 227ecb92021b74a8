//! A simple undirected graph in compressed rows, built once and checked once.
//!
//! Row `u` holds the neighbours of `u` in ascending order, each undirected edge twice, no
//! self-loops; a place in the rows is called an *arc*. The message-passing graph that models and
//! files see adds a self-loop on every node: its directed edges sorted by (source, target) are
//! called *entries*, `n + 2m` of them. Arcs and entries differ only by the loops before them, so
//! the entries are never stored: entry = arc + source + (target > source).

use std::ops::Range;

use super::GraphError;
use super::edge::{Edge, Row};
use super::rows::{rows, rows_of_upper};
use super::stored::RawGraph;
use crate::spec::Location;
use serde::{Deserialize, Serialize};

/// A simple undirected graph, with or without a weight on every edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawGraph", into = "RawGraph")]
pub struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    weights: Option<Vec<f64>>,
    positions: Option<Vec<[f64; 2]>>,
}

impl Graph {
    /// An unweighted graph from undirected edges in any order and direction.
    ///
    /// Costs O(nodes + edges).
    pub fn from_edges(n_nodes: usize, edges: &[(u32, u32)]) -> Result<Self, GraphError> {
        let (offsets, neighbours) = rows(n_nodes, edges)?;
        Ok(Self { offsets, neighbours, weights: None, positions: None })
    }

    /// An unweighted graph from the neighbours above each node, ascending, row after row, as
    /// [`Graph::edges`] lists them.
    pub fn from_upper_rows(row_lengths: &[u32], upper: &[u32]) -> Result<Self, GraphError> {
        let (offsets, neighbours) = rows_of_upper(row_lengths, upper)?;
        Ok(Self { offsets, neighbours, weights: None, positions: None })
    }

    /// A weighted graph; `weights` stand in the order of `edges`.
    pub fn from_weighted_edges(
        n_nodes: usize,
        edges: &[(u32, u32)],
        weights: &[f64],
    ) -> Result<Self, GraphError> {
        if weights.len() != edges.len() {
            return Err(GraphError::WeightCount { expected: edges.len(), found: weights.len() });
        }
        let graph = Self::from_edges(n_nodes, edges)?;
        let normal = |&(u, v): &(u32, u32)| (u.min(v), u.max(v));
        if edges.iter().map(normal).is_sorted() {
            return graph.with_weights(weights);
        }
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_unstable_by_key(|&edge| normal(&edges[edge]));
        let sorted: Vec<f64> = order.into_iter().map(|edge| weights[edge]).collect();
        graph.with_weights(&sorted)
    }

    /// The same graph with `weights` on its edges, in the order of [`Graph::edges`].
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self, GraphError> {
        if weights.len() != self.n_edges() {
            return Err(GraphError::WeightCount { expected: self.n_edges(), found: weights.len() });
        }
        if let Some(place) = weights.iter().position(|weight| !weight.is_finite()) {
            let (u, v) = self.edges().nth(place).expect("there are as many edges as weights");
            return Err(GraphError::Weight { u, v, weight: weights[place] });
        }
        let mut by_arc = vec![0.0; self.neighbours.len()];
        // Rows are sorted, so whoever is below `u` has filled the start of its row.
        let mut next: Vec<u32> = self.offsets[..self.n_nodes()].to_vec();
        let mut rest = weights;
        for u in 0..self.n_nodes() {
            let upper = next[u] as usize..self.offsets[u + 1] as usize;
            let (own, after) = rest.split_at(upper.len());
            rest = after;
            by_arc[upper.clone()].copy_from_slice(own);
            for (&v, &weight) in self.neighbours[upper].iter().zip(own) {
                let place = &mut next[v as usize];
                by_arc[*place as usize] = weight;
                *place += 1;
            }
        }
        self.weights = Some(by_arc);
        Ok(self)
    }

    /// The same graph with a place in the plane for every node, used for drawing only.
    pub fn with_positions(mut self, positions: Vec<[f64; 2]>) -> Result<Self, GraphError> {
        if positions.len() != self.n_nodes() {
            return Err(GraphError::PositionCount {
                expected: self.n_nodes(),
                found: positions.len(),
            });
        }
        self.positions = Some(positions);
        Ok(self)
    }

    /// Number of nodes, n.
    #[inline]
    pub fn n_nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of undirected edges, m.
    pub fn n_edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Number of directed edges of the message-passing graph, n + 2m.
    pub fn n_entries(&self) -> usize {
        self.n_nodes() + self.neighbours.len()
    }

    /// Number of values that a feature at `location` has.
    pub fn n_values(&self, location: Location) -> usize {
        match location {
            Location::Node => self.n_nodes(),
            Location::Edge => self.n_entries(),
            Location::Graph => 1,
        }
    }

    /// The nodes 0, 1, ..., n - 1.
    pub fn nodes(&self) -> Range<u32> {
        0..self.n_nodes() as u32
    }

    /// The neighbours of `u`, ascending.
    #[inline]
    pub fn neighbours(&self, u: u32) -> &[u32] {
        &self.neighbours[self.arcs(u)]
    }

    /// Reads the start of the rows of `nodes`, so that memory fetches them side by side.
    ///
    /// On a graph larger than the caches, going from row to row waits for memory at each one;
    /// with this before it, a batch of rows waits about once. It changes nothing else, and does
    /// nothing on graphs that the caches hold.
    #[inline]
    pub fn fetch_rows(&self, nodes: &[u32]) {
        if !self.outgrows_caches() {
            return;
        }
        let first = |&u: &u32| {
            let arc = self.offsets[u as usize] as usize;
            let weight = self.weights.as_ref().and_then(|weights| weights.get(arc));
            self.neighbours.get(arc).copied().unwrap_or(0)
                ^ weight.map_or(0, |w| w.to_bits() as u32)
        };
        std::hint::black_box(nodes.iter().map(first).fold(0, |all, read| all ^ read));
    }

    /// Whether the rows are larger than the cache of a processor core usually is, a megabyte.
    #[inline]
    pub fn outgrows_caches(&self) -> bool {
        self.neighbours.len() > 1 << 18
    }

    /// Number of neighbours of `u`.
    #[inline]
    pub fn degree(&self, u: u32) -> usize {
        self.arcs(u).len()
    }

    /// The arcs out of `u`: places in the rows, in the order of its neighbours.
    #[inline]
    pub fn arcs(&self, u: u32) -> Range<usize> {
        self.offsets[u as usize] as usize..self.offsets[u as usize + 1] as usize
    }

    /// The edges out of `u`, in the order of its neighbours.
    #[inline]
    pub fn edges_of(&self, u: u32) -> Row<'_> {
        Row { source: u, rest: self.neighbours(u).iter() }
    }

    /// The node an arc leads to.
    #[inline]
    pub fn target(&self, arc: usize) -> u32 {
        self.neighbours[arc]
    }

    /// Whether the edges carry weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Whether some weight is below 0.
    pub fn has_negative_weight(&self) -> bool {
        self.weights.iter().flatten().any(|&weight| weight < 0.0)
    }

    /// The neighbours of `u` with the weights of the edges to them; weight 1 if there are none.
    #[inline]
    pub fn weighted_neighbours(&self, u: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let weights = self.weights.as_deref();
        self.arcs(u).map(move |arc| (self.neighbours[arc], weights.map_or(1.0, |w| w[arc])))
    }

    /// The edges out of `u` with their weights; weight 1 if there are none.
    #[inline]
    pub fn weighted_edges_of(&self, u: u32) -> impl Iterator<Item = (Edge, f64)> + '_ {
        let edge = move |(target, weight)| (Edge { source: u, target }, weight);
        self.weighted_neighbours(u).map(edge)
    }

    /// Whether `v` is a neighbour of `u`.
    #[inline]
    pub fn has_edge(&self, u: u32, v: u32) -> bool {
        self.neighbours(u).binary_search(&v).is_ok()
    }

    /// The arc from `u` to `v`.
    #[inline]
    pub fn arc(&self, u: u32, v: u32) -> Option<usize> {
        let row = self.neighbours(u);
        let place = count_below(row, v);
        (row.get(place) == Some(&v)).then(|| self.offsets[u as usize] as usize + place)
    }

    /// The entry of the message-passing graph that is the arc `arc` out of `u`.
    #[inline]
    pub fn entry(&self, u: u32, arc: usize) -> usize {
        self.entry_between(u, arc, self.neighbours[arc])
    }

    /// The same where the arc is known to lead to `v`, without looking it up.
    #[inline]
    pub fn entry_between(&self, u: u32, arc: usize, v: u32) -> usize {
        arc + u as usize + usize::from(v > u)
    }

    /// The entry that is the self-loop of `u`.
    #[inline]
    pub fn loop_entry(&self, u: u32) -> usize {
        self.offsets[u as usize] as usize + u as usize + count_below(self.neighbours(u), u)
    }

    /// The entry from `u` to `v`, which is a neighbour or `u` itself.
    #[inline]
    pub fn entry_to(&self, u: u32, v: u32) -> Option<usize> {
        match u == v {
            true => Some(self.loop_entry(u)),
            false => Some(self.entry_between(u, self.arc(u, v)?, v)),
        }
    }

    /// Undirected edges (u, v) with u < v, sorted.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes().flat_map(move |u| {
            let row = self.neighbours(u);
            row[row.partition_point(|&v| v < u)..].iter().map(move |&v| (u, v))
        })
    }

    /// Weights in the order of [`Graph::edges`], if there are any.
    pub fn edge_weights(&self) -> Option<impl Iterator<Item = f64> + '_> {
        let weights = self.weights.as_deref()?;
        Some(self.nodes().flat_map(move |u| {
            self.arcs(u).filter(move |&arc| self.neighbours[arc] > u).map(move |arc| weights[arc])
        }))
    }

    /// The entries (source, target) of the message-passing graph: sorted, self-loops in place.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes().flat_map(move |u| {
            let row = self.neighbours(u);
            let (lower, higher) = row.split_at(row.partition_point(|&v| v < u));
            lower.iter().copied().chain([u]).chain(higher.iter().copied()).map(move |v| (u, v))
        })
    }

    /// Number of entries out of each node: its neighbours and itself.
    pub fn entry_counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0] + 1)
    }

    /// Writes the targets of all entries.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn write_targets(&self, targets: &mut [u32]) {
        let mut first = 0;
        for u in self.nodes() {
            let row = self.neighbours(u);
            let end = first + row.len() + 1;
            let targets = &mut targets[first..end];
            // The row with `u` in its place: at each place the larger of what stood before it and
            // of what stands there, unless that is above `u`. So no place is looked for.
            targets[0] = row.first().map_or(u, |&v| v.min(u));
            targets[row.len()] = row.last().map_or(u, |&v| v.max(u));
            for ((target, &here), &before) in
                targets[1..].iter_mut().zip(row.iter().skip(1)).zip(row)
            {
                *target = here.min(u).max(before);
            }
            first = end;
        }
    }

    /// One value an entry: `on_loops` on self-loops, elsewhere the weight (1 without weights).
    pub fn entry_weights(&self, on_loops: f64) -> Vec<f64> {
        let mut values = vec![on_loops; self.n_entries()];
        self.write_weights(|weight| weight, &mut values);
        values
    }

    /// Writes the weight of every entry that is no self-loop, as `number` makes it.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn write_weights<T: Copy>(&self, number: impl Fn(f64) -> T, out: &mut [T]) {
        for u in self.nodes() {
            let arcs = self.arcs(u);
            let own = &mut out[arcs.start + u as usize..=arcs.end + u as usize];
            let weights = self.weights.as_ref().map(|weights| &weights[arcs.clone()]);
            for (place, &v) in self.neighbours[arcs].iter().enumerate() {
                let weight = weights.map_or(1.0, |weights| weights[place]);
                own[place + usize::from(v > u)] = number(weight);
            }
        }
    }

    /// For every arc u -> v the arc v -> u.
    pub fn reverse_arcs(&self) -> Vec<u32> {
        let mut next: Vec<u32> = self.offsets[..self.n_nodes()].to_vec();
        let mut reverse = vec![0; self.neighbours.len()];
        for (arc, &v) in self.neighbours.iter().enumerate() {
            reverse[arc] = next[v as usize];
            next[v as usize] += 1;
        }
        reverse
    }

    /// A place in the plane for every node, if the generator or file gave one.
    pub fn positions(&self) -> Option<&[[f64; 2]]> {
        self.positions.as_deref()
    }
}

/// How many nodes of a sorted row are below `v`.
///
/// Most rows are short, and there counting without a branch is faster than searching.
#[inline]
pub(super) fn count_below(row: &[u32], v: u32) -> usize {
    match row.len() {
        0..=64 => row.iter().map(|&w| u32::from(w < v)).sum::<u32>() as usize,
        _ => row.partition_point(|&w| w < v),
    }
}
