//! Where the values of each sample lie.

use std::ops::Range;

use super::{Collated, Column, Ready};
use crate::spec::{Field, Kind, Location};

/// The first node and entry of each sample, then their numbers, and the longest trajectory.
pub(super) struct Layout {
    nodes: Vec<usize>,
    entries: Vec<usize>,
    pub(super) steps: usize,
}

impl Layout {
    pub(super) fn new(samples: &[&Ready]) -> Self {
        let mut layout = Self { nodes: vec![0], entries: vec![0], steps: 0 };
        let (mut node, mut entry) = (0, 0);
        for sample in samples {
            node += sample.row_lengths.len();
            entry += sample.targets.len();
            layout.nodes.push(node);
            layout.entries.push(entry);
            layout.steps = layout.steps.max(sample.length as usize);
        }
        layout
    }

    /// How many rows a feature has.
    pub(super) fn n_rows(&self, field: &Field) -> usize {
        let n_graphs = self.nodes.len() - 1;
        self.rows(field, n_graphs - 1).end
    }

    /// The rows of a feature that belong to a sample.
    pub(super) fn rows(&self, field: &Field, place: usize) -> Range<usize> {
        match (field.location, field.kind) {
            (_, Kind::Pointer) | (Location::Edge, _) => {
                self.entries[place]..self.entries[place + 1]
            }
            (Location::Node, _) => self.nodes[place]..self.nodes[place + 1],
            (Location::Graph, _) => place..place + 1,
        }
    }

    /// The whole batch, once its features are known.
    pub(super) fn collated(self, samples: &[&Ready], columns: Vec<Column>) -> Collated {
        // Rows are short: to write eight at a time and take back the rest is faster than to stop
        // at the end of each.
        const AT_ONCE: usize = 8;
        let mut edge_index = Vec::with_capacity(2 * self.entries[samples.len()] + AT_ONCE);
        let row_lengths = samples.iter().flat_map(|sample| &sample.row_lengths);
        for (source, &len) in (0..).zip(row_lengths) {
            let end = edge_index.len() + len as usize;
            while edge_index.len() < end {
                edge_index.extend_from_slice(&[source; AT_ONCE]);
            }
            edge_index.truncate(end);
        }
        for (sample, &first) in samples.iter().zip(&self.nodes) {
            edge_index.extend(sample.targets.iter().map(|&node| first as i64 + i64::from(node)));
        }
        let mut graph_of_node = Vec::with_capacity(self.nodes[samples.len()]);
        for place in 0..samples.len() {
            graph_of_node.resize(self.nodes[place + 1], place as i64);
        }
        let signed = |places: &[usize]| places.iter().map(|&place| place as i64).collect();
        Collated {
            edge_index,
            first_nodes: signed(&self.nodes),
            first_entries: signed(&self.entries),
            graph_of_node,
            lengths: samples.iter().map(|sample| sample.length.into()).collect(),
            columns,
        }
    }
}
