//! Operators over the entries of a graph and over segments.

use std::ops::Range;

use super::Cuda;
use super::draft::{Code, Draft};
use super::large::LARGE_ROWS;
use super::split::{Network, Split};
use super::values::{COLUMNS, ROWS};
use crate::buffer::{Buffer, Indices};
use crate::device::{
    Activation, Dense, EdgeProducts, GatherMaxima, Gradient, LogProbabilities, Memory,
    MessageLists, MessageNetworks, MessageTerms, Reduction, SegmentReductions,
};
use crate::graph::{Edges, Segments};

impl Cuda {
    /// What messages are made of, in the places that the kernels know.
    fn terms(&self, draft: Draft, edges: &Edges, terms: &MessageTerms<'_>) -> Draft {
        let (weights, scale) = terms.scaled.unzip();
        let draft = draft.any_input(0, terms.source).any_input(1, terms.target);
        let draft = draft.any_input(2, weights).any_input(3, scale).any_input(4, terms.bias);
        let draft = self.with(draft, 5, &edges.neighbours);
        if terms.target.is_some() { self.with(draft, 6, &edges.rows) } else { draft }
    }

    /// Where segments begin, unless all are of one length; that length, and how many there are.
    fn segments(
        &self,
        draft: Draft,
        i: usize,
        segments: &Segments,
        rows: usize,
    ) -> (Draft, usize, usize) {
        let count = segments.count(rows);
        match segments {
            Segments::Offsets(offsets) => (self.with(draft, i, offsets), 0, count),
            Segments::Rows(edges) => (self.with(draft, i, &edges.offsets), 0, count),
            Segments::Every(length) => (draft, *length, count),
        }
    }
}

impl GatherMaxima for Cuda {
    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let (nodes, relu) = (edges.n_nodes(), terms.activation == Activation::Relu);
        let draft = self.terms(Draft::new(Code::GatherMax), edges, terms);
        let mut draft = self.with(draft, 7, &edges.offsets).output(8, out);
        if let Some(origin) = origin {
            draft = draft.writes(9, self.origin(origin, nodes * columns), 0..nodes * columns);
        }
        self.run(draft.numbers(0, [nodes, columns, relu.into()]).rows(nodes, columns));
    }

    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    ) {
        let nodes = edges.n_nodes();
        let draft = self.with(Draft::new(Code::GatherMaxSource), 0, &edges.offsets);
        let draft = self.with(draft, 1, &edges.reverse);
        let draft = self.with(draft, 2, &edges.neighbours).input(3, dy);
        let draft = draft.reads(4, self.indices(origin), 0..nodes * columns).output(5, dx.buffer);
        self.run(draft.numbers(0, [nodes, columns, dx.add.into()]).rows(nodes, columns));
    }

    fn gather_max_scale_gradient(
        &self,
        dy: &Buffer,
        weights: &Buffer,
        rows: usize,
        columns: usize,
        origin: &Indices,
        out: Gradient<'_>,
    ) {
        let draft = Draft::new(Code::GatherMaxScale).input(0, dy).input(1, weights);
        let draft = draft.reads(2, self.indices(origin), 0..rows * columns).output(3, out.buffer);
        self.run(draft.numbers(0, [rows, columns, out.add.into()]).tiles(columns, COLUMNS));
    }
}

impl MessageLists for Cuda {
    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    ) {
        let entries = edges.entries(&rows);
        let relu = usize::from(terms.activation == Activation::Relu);
        let draft = self.terms(Draft::new(Code::Messages), edges, terms).output(7, out);
        let draft = draft.numbers(0, [entries.start, entries.len(), columns, relu]);
        self.run(draft.rows(entries.len(), columns).by_columns(entries.len(), columns));
    }

    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let nodes = edges.n_nodes();
        let draft = self.with(Draft::new(Code::MessagesSource), 0, &edges.offsets);
        let draft = self.with(draft, 1, &edges.reverse).input(2, dy).output(3, dx.buffer);
        let draft = draft.numbers(0, [nodes, columns, dx.add.into()]).rows(nodes, columns);
        self.run(draft.by_columns(edges.n_entries(), columns));
    }

    fn messages_gradients(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        source: &mut Buffer,
        target: &mut Buffer,
    ) -> bool {
        let nodes = edges.n_nodes();
        let draft = self.with(Draft::new(Code::MessagesEnds), 0, &edges.offsets);
        let draft = self.with(draft, 1, &edges.reverse).input(2, dy);
        let draft = draft.output(3, source).output(4, target).numbers(0, [nodes, columns]);
        self.run(draft.rows(2 * nodes, columns).by_columns(edges.n_entries(), columns));
        true
    }
}

impl MessageNetworks for Cuda {
    fn network_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        width: usize,
        layers: &[Dense<'_>],
        out: &mut Buffer,
    ) -> bool {
        let (Some(split), Some(source), Some(target)) = (self.split(), terms.source, terms.target)
        else {
            return false;
        };
        let columns: Vec<usize> = layers.iter().map(|layer| layer.columns).collect();
        let alone = |ends: &[u32]| ends[0] == ends[1];
        if edges.n_entries() < LARGE_ROWS
            || !Split::suits_network(width, &columns)
            || layers.iter().rev().skip(1).any(|layer| layer.activation == Activation::None)
            || edges.offsets.host().windows(2).any(alone)
        {
            return false;
        }
        let address = |buffer: &Buffer| buffer.cuda().place().address;
        let any = |buffer: Option<&Buffer>| buffer.map_or(0, address);
        let (weights, scale) = terms.scaled.unzip();
        let is_active = |activation: Activation| u32::from(activation == Activation::Relu);
        let mut job = Network {
            source: address(source),
            target: address(target),
            weights: any(weights),
            scale: any(scale),
            bias: any(terms.bias),
            neighbours: self.indices(&edges.neighbours).address,
            nodes: self.indices(&edges.rows).address,
            out: address(out),
            layers: [[0; 2]; 2],
            entries: edges.n_entries() as u32,
            width: width as u32,
            columns: 0,
            relu: is_active(terms.activation),
            last_relu: 0,
            unused: 0,
        };
        let mut inner = width;
        for (to, layer) in job.layers.iter_mut().zip(layers) {
            *to = [address(layer.weight), address(layer.bias)];
            (job.columns, job.last_relu) = (layer.columns as u32, is_active(layer.activation));
            self.count(edges.n_entries(), layer.columns, inner);
            inner = layer.columns;
        }
        self.fill(out, f32::NEG_INFINITY);
        self.attempt(|queue| queue.alone(|stream| split.network(stream, job, layers.len())));
        true
    }
}

impl EdgeProducts for Cuda {
    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    ) {
        let entries = edges.n_entries();
        let draft = Draft::new(Code::EdgeDot).input(0, source).input(1, target);
        let draft =
            self.with(self.with(draft, 2, &edges.rows), 3, &edges.neighbours).output(4, out);
        self.run(draft.numbers(0, [entries, columns]).tiles(entries, ROWS));
    }

    fn edge_dot_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        other: &Buffer,
        of_source: bool,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let nodes = edges.n_nodes();
        let draft = self.with(Draft::new(Code::EdgeDotGradient), 0, &edges.offsets);
        let draft = self.with(self.with(draft, 1, &edges.neighbours), 2, &edges.reverse);
        let draft = draft.input(3, dy).input(4, other).output(5, dx.buffer);
        let draft = draft.numbers(0, [nodes, columns, dx.add.into(), of_source.into()]);
        self.run(draft.rows(nodes, columns));
    }
}

impl SegmentReductions for Cuda {
    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    ) {
        let draft = Draft::new(Code::SegmentReduce).input(0, x).output(2, out);
        let (mut draft, length, count) = self.segments(draft, 1, segments, rows);
        if let Some(origin) = origin {
            draft = draft.writes(3, self.origin(origin, count * columns), 0..count * columns);
        }
        let draft = draft.numbers(0, [count, columns, length, number(reduction)]);
        self.run(draft.rows(count, columns).by_columns(rows, columns));
    }

    fn segment_reduce_gradient(
        &self,
        reduction: Reduction,
        dy: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        origin: Option<&Indices>,
        dx: Gradient<'_>,
    ) {
        let draft = Draft::new(Code::SegmentReduceGradient).input(0, dy).output(3, dx.buffer);
        let (mut draft, length, count) = self.segments(draft, 1, segments, rows);
        if let Some(origin) = origin {
            draft = draft.reads(2, self.indices(origin), 0..count * columns);
        }
        let reduction = number(reduction);
        let draft = draft.numbers(0, [count, columns, length, reduction, dx.add.into()]);
        self.run(draft.rows(count, columns).by_columns(rows, columns));
    }
}

/// As the kernels count.
fn number(reduction: Reduction) -> usize {
    match reduction {
        Reduction::Max => 0,
        Reduction::Sum => 1,
        Reduction::Mean => 2,
    }
}

impl LogProbabilities for Cuda {
    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer) {
        let draft = Draft::new(Code::LogSoftmax).input(0, x).output(2, out);
        let (draft, length, count) = self.segments(draft, 1, segments, x.len() / columns);
        self.run(
            draft
                .numbers(0, [count, columns, length])
                .divisor(columns)
                .tiles(count * columns, ROWS),
        );
    }

    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let draft =
            Draft::new(Code::LogSoftmaxGradient).input(0, y).input(1, dy).output(3, dx.buffer);
        let (draft, length, count) = self.segments(draft, 2, segments, y.len() / columns);
        let draft = draft.numbers(0, [count, columns, length, dx.add.into()]);
        self.run(draft.divisor(columns).tiles(count * columns, ROWS));
    }
}
