//! What the tape remembers of an operator: its inputs, its result and what it kept for the way back.

use std::ops::Range;
use std::sync::Arc;

use super::Tensor;
use crate::buffer::{Buffer, Indices, Pool};
use crate::device::{Activation, Binary, Loss, Reduction, Unary};
use crate::graph::{Edges, Segments};

/// At most so many summands in one linear layer.
pub(super) const MAX_PARTS: usize = 4;

/// An input, its weight and the weight's first column that counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct LayerPart {
    pub(super) input: Tensor,
    pub(super) weight: Tensor,
    pub(super) start: usize,
}

/// The learned values of a gated recurrent unit, with gates in the order reset, update, new.
#[derive(Debug, Clone, Copy)]
pub struct GruCell {
    /// `[3 hidden, inputs]`.
    pub weight_ih: Tensor,
    /// `[3 hidden, hidden]`.
    pub weight_hh: Tensor,
    /// `[3 hidden, 1]`.
    pub bias_ih: Tensor,
    /// `[3 hidden, 1]`.
    pub bias_hh: Tensor,
}

/// Some rows of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) tensor: Tensor,
    pub(super) rows: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Operation {
    Linear {
        parts: [Option<LayerPart>; MAX_PARTS],
        bias: Option<Tensor>,
        addend: Option<(Tensor, Option<Arc<Indices>>)>,
        activation: Activation,
        out: Tensor,
    },
    Columns {
        x: Tensor,
        starts: [usize; 2],
        n_starts: usize,
        out: Tensor,
    },
    Messages {
        edges: Arc<Edges>,
        source: Option<Tensor>,
        target: Option<Tensor>,
        scaled: Option<(Tensor, Tensor)>,
        bias: Option<Tensor>,
        activation: Activation,
        out: Tensor,
    },
    GatherMax {
        edges: Arc<Edges>,
        source: Tensor,
        scaled: Option<(Tensor, Tensor)>,
        bias: Option<Tensor>,
        activation: Activation,
        origin: Option<Indices>,
        out: Tensor,
    },
    LinearMax {
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        edges: Arc<Edges>,
        origin: Indices,
        out: Tensor,
    },
    SegmentReduce {
        reduction: Reduction,
        x: Tensor,
        segments: Segments,
        origin: Option<Indices>,
        out: Tensor,
    },
    GatherRows {
        x: Tensor,
        indices: Arc<Indices>,
        out: Tensor,
    },
    Stack {
        pieces: Range<usize>,
        out: Tensor,
    },
    Join {
        pieces: Range<usize>,
        out: Tensor,
    },
    TransposedProduct {
        a: Tensor,
        b: Tensor,
        out: Tensor,
    },
    LogSoftmax {
        x: Tensor,
        segments: Segments,
        out: Tensor,
    },
    EdgeDot {
        edges: Arc<Edges>,
        source: Tensor,
        target: Tensor,
        out: Tensor,
    },
    LayerNorm {
        x: Tensor,
        gain: Tensor,
        bias: Tensor,
        saved: Buffer,
        out: Tensor,
    },
    BatchNorm {
        x: Tensor,
        gain: Tensor,
        bias: Tensor,
        activation: Activation,
        saved: Buffer,
        out: Tensor,
    },
    Gru {
        x: Tensor,
        state: Tensor,
        cell: GruCell,
        saved: Buffer,
        out: Tensor,
    },
    Unary {
        function: Unary,
        x: Tensor,
        out: Tensor,
    },
    Binary {
        function: Binary,
        a: Tensor,
        b: Tensor,
        out: Tensor,
    },
    ScaledSum {
        scale: Tensor,
        a: Tensor,
        b: Tensor,
        out: Tensor,
    },
    AddScaled {
        a: Tensor,
        b: Tensor,
        factor: f64,
        out: Tensor,
    },
    Picked {
        x: Tensor,
        targets: Arc<Indices>,
        weights: Tensor,
        out: Tensor,
    },
    Loss {
        loss: Loss,
        x: Tensor,
        targets: Tensor,
        weights: Tensor,
        out: Tensor,
    },
    MeanNorm {
        x: Tensor,
        saved: Buffer,
        out: Tensor,
    },
}

impl Operation {
    pub(super) fn out(&self) -> Tensor {
        match *self {
            Self::Linear { out, .. }
            | Self::Columns { out, .. }
            | Self::Messages { out, .. }
            | Self::GatherMax { out, .. }
            | Self::LinearMax { out, .. }
            | Self::SegmentReduce { out, .. }
            | Self::GatherRows { out, .. }
            | Self::Stack { out, .. }
            | Self::Join { out, .. }
            | Self::TransposedProduct { out, .. }
            | Self::LogSoftmax { out, .. }
            | Self::EdgeDot { out, .. }
            | Self::LayerNorm { out, .. }
            | Self::BatchNorm { out, .. }
            | Self::Gru { out, .. }
            | Self::Unary { out, .. }
            | Self::Binary { out, .. }
            | Self::ScaledSum { out, .. }
            | Self::AddScaled { out, .. }
            | Self::Picked { out, .. }
            | Self::Loss { out, .. }
            | Self::MeanNorm { out, .. } => out,
        }
    }

    /// Calls `f` with every tensor that is a layer's own and not what goes through it: weights, biases
    /// and scales.
    pub(super) fn each_own(&self, mut f: impl FnMut(Tensor)) {
        match *self {
            Self::Linear { parts, bias, .. } => {
                parts.iter().flatten().for_each(|part| f(part.weight));
                bias.into_iter().for_each(f);
            }
            Self::LinearMax { weight, bias, .. } => [weight, bias].into_iter().for_each(f),
            Self::Messages { scaled, bias, .. } | Self::GatherMax { scaled, bias, .. } => {
                scaled.map(|(_, scale)| scale).into_iter().chain(bias).for_each(f);
            }
            Self::Gru { cell: GruCell { weight_ih, weight_hh, bias_ih, bias_hh }, .. } => {
                [weight_ih, weight_hh, bias_ih, bias_hh].into_iter().for_each(f);
            }
            _ => {}
        }
    }

    /// Gives back what it kept.
    pub(super) fn recycle(self, pool: &mut Pool) {
        match self {
            Self::LayerNorm { saved, .. }
            | Self::BatchNorm { saved, .. }
            | Self::Gru { saved, .. }
            | Self::MeanNorm { saved, .. } => pool.give(saved),
            Self::LinearMax { origin, .. }
            | Self::GatherMax { origin: Some(origin), .. }
            | Self::SegmentReduce { origin: Some(origin), .. } => pool.give_indices(origin),
            _ => {}
        }
    }
}
