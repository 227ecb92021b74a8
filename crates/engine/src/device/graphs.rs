//! Operators over the entries of a graph and over segments.

use std::ops::Range;

use super::operands::{Dense, Gradient, MessageTerms, Reduction};
use crate::buffer::{Buffer, Indices};
use crate::graph::{Edges, Segments};

/// The maximum of messages that are never stored.
pub trait GatherMaxima {
    /// The maximum of messages without storing them: `out [n_nodes, columns]`; `origin`, if it is
    /// wanted, is the entry it came from.
    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    );
    /// `dx [n_nodes, columns]` of the source term.
    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    );
    /// `out [columns]`: the sum of `dy`, each times the weight of its entry.
    fn gather_max_scale_gradient(
        &self,
        dy: &Buffer,
        weights: &Buffer,
        rows: usize,
        columns: usize,
        origin: &Indices,
        out: Gradient<'_>,
    );
}

/// Messages, one for every entry.
pub trait MessageLists {
    /// Messages over the entries of some rows: `out [entries of rows, columns]`.
    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    );
    /// `dx [n_nodes, columns] =` the sum of `dy` over the entries whose other end is the node.
    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    );

    /// The gradients of the source's and the target's terms at once, where that takes less time than
    /// one after the other; `source`, `target` `[n_nodes, columns]`. False, and nothing done, elsewhere.
    fn messages_gradients(
        &self,
        _edges: &Edges,
        _dy: &Buffer,
        _columns: usize,
        _source: &mut Buffer,
        _target: &mut Buffer,
    ) -> bool {
        false
    }
}

/// Messages through layers, and the largest result at every node, without storing any of them.
pub trait MessageNetworks {
    /// `out [n_nodes, columns of the last layer]`, from messages of `width` columns; nothing is kept
    /// for a gradient. False, and nothing done, where one operator after the other is as good.
    fn network_max(
        &self,
        _edges: &Edges,
        _terms: &MessageTerms<'_>,
        _width: usize,
        _layers: &[Dense<'_>],
        _out: &mut Buffer,
    ) -> bool {
        false
    }
}

/// A number for each edge from what its two ends say.
pub trait EdgeProducts {
    /// For every entry, `source[row] · target[neighbour]`.
    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    );
    /// The gradient of `source` (`of_source`, given `other` = target) or of `target`.
    fn edge_dot_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        other: &Buffer,
        of_source: bool,
        columns: usize,
        dx: Gradient<'_>,
    );
}

/// Many rows become one.
pub trait SegmentReductions {
    /// `out [segments, columns]`; for the maximum, the row it came from. Empty segments give 0 and
    /// no row (`u32::MAX`).
    #[expect(clippy::too_many_arguments, reason = "the operands, the result and its memory")]
    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        origin: Option<&mut Indices>,
    );
    /// Writes all of `dx [rows, columns]`.
    #[expect(clippy::too_many_arguments, reason = "the operator's own arguments and its gradient")]
    fn segment_reduce_gradient(
        &self,
        reduction: Reduction,
        dy: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        origin: Option<&Indices>,
        dx: Gradient<'_>,
    );
}

/// Log-probabilities within segments.
pub trait LogProbabilities {
    /// Log-probabilities within each segment, column by column.
    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer);
    /// Its gradient.
    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    );
}
