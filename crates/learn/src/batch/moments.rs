//! The moments at which hints are decoded: each step of each graph.

use std::ops::Range;
use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::graph::Edges;
use salsa_traces::spec::{Field, Kind, Location};

/// Moments below each other: all graphs at the first step, then those that go on at the second,
/// and so on. Together they are one graph with a row for every node of every moment.
#[derive(Debug, PartialEq)]
pub struct Moments {
    /// Where each moment lies, in order.
    pub places: Vec<Place>,
    /// The edges among the rows.
    pub edges: Arc<Edges>,
    /// The node of each row.
    pub nodes: Arc<Indices>,
    /// The first row of each moment, and the number of rows.
    pub graphs: Arc<Indices>,
    /// The rows as runs of nodes at one step.
    pub runs: Vec<(usize, Range<usize>)>,
}

/// Where the values of one graph lie among those of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which graph.
    pub graph: usize,
    /// After which step, from 0.
    pub step: usize,
    /// Which in the order of places.
    pub index: usize,
    /// The row of its first node.
    pub first_row: usize,
    /// Its first entry.
    pub first_entry: usize,
}

impl Moments {
    /// Those that count in the loss of hints: the steps that each graph takes.
    pub fn that_count(edges: &Edges, graphs: &[u32], lengths: &[usize]) -> Self {
        Self::new(edges, graphs, lengths, |graph, step| step < lengths[graph])
    }

    /// All steps of the longest for all graphs.
    pub fn all(edges: &Edges, graphs: &[u32], lengths: &[usize]) -> Self {
        Self::new(edges, graphs, lengths, |_, _| true)
    }

    fn new(
        edges: &Edges,
        graphs: &[u32],
        lengths: &[usize],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let steps = lengths.iter().copied().max().unwrap_or_default();
        let (mut places, mut nodes, mut first_rows) = (Vec::new(), Vec::new(), vec![0]);
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        let mut first_entry = 0;
        for step in 0..steps {
            for graph in (0..lengths.len()).filter(|&graph| wanted(graph, step)) {
                let own = graphs[graph]..graphs[graph + 1];
                let rows = own.start as usize..own.end as usize;
                let (index, first_row) = (places.len(), nodes.len());
                places.push(Place { graph, step, index, first_row, first_entry });
                first_entry += edges.entries(&rows).len();
                nodes.extend(own);
                first_rows.push(nodes.len() as u32);
                match runs.last_mut() {
                    Some((at, run)) if *at == step && run.end == rows.start => run.end = rows.end,
                    _ => runs.push((step, rows)),
                }
            }
        }
        Self {
            edges: Arc::new(edges.repeated(runs.iter().map(|(_, rows)| rows.clone()))),
            places,
            nodes: Arc::new(Indices::new(nodes)),
            graphs: Arc::new(Indices::new(first_rows)),
            runs,
        }
    }

    /// The moment after a graph's last step, if it takes any.
    pub fn last_of(&self, graph: usize) -> Option<&Place> {
        self.places.iter().rfind(|place| place.graph == graph)
    }

    /// The rows of what is decoded for a feature that belong to a moment.
    pub fn decoded(&self, field: &Field, place: &Place) -> Range<usize> {
        let first_rows = self.graphs.as_slice();
        let rows = first_rows[place.index] as usize..first_rows[place.index + 1] as usize;
        match (field.location, field.kind) {
            (_, Kind::Pointer) | (Location::Edge, _) => self.edges.entries(&rows),
            (Location::Node, _) => rows,
            (Location::Graph, _) => place.index..place.index + 1,
        }
    }
}

/// Where outputs lie: every graph once.
pub(super) fn outputs(edges: &Edges, graphs: &[u32]) -> impl Iterator<Item = Place> {
    let offsets = edges.offsets.as_slice();
    graphs[..graphs.len() - 1].iter().enumerate().map(|(graph, &first)| Place {
        graph,
        step: 0,
        index: graph,
        first_row: first as usize,
        first_entry: offsets[first as usize] as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes with an edge, one alone, all with loops.
    fn edges() -> Edges {
        Edges::new(3, vec![0, 0, 1, 1, 2], vec![0, 1, 0, 1, 2]).unwrap()
    }

    #[test]
    fn a_graph_is_left_out_when_it_has_ended() {
        let moments = Moments::that_count(&edges(), &[0, 2, 3], &[1, 3]);
        let found: Vec<_> = moments.places.iter().map(|place| (place.step, place.graph)).collect();
        assert_eq!(found, [(0, 0), (0, 1), (1, 1), (2, 1)]);
        assert_eq!(moments.nodes.as_slice(), [0, 1, 2, 2, 2]);
        assert_eq!(moments.graphs.as_slice(), [0, 2, 3, 4, 5]);
        assert_eq!(moments.edges.neighbours.as_slice(), [0, 1, 0, 1, 2, 3, 4]);
        assert_eq!(moments.runs, [(0, 0..3), (1, 2..3), (2, 2..3)]);
        assert_eq!(moments.last_of(0).unwrap().index, 0);
        let last = moments.last_of(1).unwrap();
        assert_eq!((last.index, last.first_row, last.first_entry), (3, 4, 6));
    }

    #[test]
    fn all_moments_are_every_step_of_every_graph() {
        let moments = Moments::all(&edges(), &[0, 2, 3], &[1, 2]);
        assert_eq!(moments.nodes.as_slice(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(moments.edges.neighbours.as_slice(), [0, 1, 0, 1, 2, 3, 4, 3, 4, 5]);
    }
}
