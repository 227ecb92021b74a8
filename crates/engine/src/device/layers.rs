//! Layers with learned values.

use std::ops::Range;

use super::operands::{
    Activation, Addend, BatchNormState, DeferredSum, Gradient, GruGradients, GruWeights, Part,
    PartShape,
};
use crate::buffer::{Buffer, Indices};
use crate::graph::Edges;

/// Linear layers and the sums their gradients need.
pub trait LinearLayers {
    /// Whether [`Part::transposed`] is wanted.
    fn wants_transposed(&self) -> bool {
        false
    }
    /// `from [rows, columns]` to `to [columns, rows]`.
    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer);
    /// `out [rows, columns] = activation(sum of parts + bias + addend)`.
    #[expect(clippy::too_many_arguments, reason = "one operator with everything fused into it")]
    fn linear(
        &self,
        parts: &[Part<'_>],
        bias: Option<&Buffer>,
        addend: Option<Addend<'_>>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    );
    /// `dx [rows, width] = dy [rows, columns] · weight`, by the part's columns of the weight, and
    /// `dw [columns, stride]` gets `dyᵀ · x` in the part's columns and nothing in the others.
    fn linear_gradient(
        &self,
        dy: &Buffer,
        x: &Buffer,
        weight: &Buffer,
        shape: PartShape,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    );
    /// `out [columns] = sum over rows`, each row times its factor where there are factors.
    fn column_sums(
        &self,
        x: &Buffer,
        factors: Option<&Buffer>,
        rows: usize,
        columns: usize,
        out: Gradient<'_>,
    );
    /// `dy = 0` where the activated `y` is not positive.
    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer);
}

/// Gradients of what many operators share, computed when all of those have been undone. A rollout
/// uses the same layers at every step: one long product keeps a device busier than many short ones
/// that each add to the last.
pub trait DeferredSums {
    /// Whether a tape does best to leave gradients of layers for [`DeferredSums::deferred_sums`].
    fn defers(&self) -> bool {
        false
    }
    /// Writes or adds sums to gradients; several sums may have places in one gradient.
    fn deferred_sums(&self, gradients: &mut [Gradient<'_>], sums: &[DeferredSum<'_>]);
}

/// The gradient of a linear layer whose results were reduced by a maximum.
pub trait LinearMaxima {
    /// `dy [n_nodes, columns]` came from the entries `origin`. Writes all of `dx [n_entries, width]`
    /// and of `dw [columns, width]`.
    #[expect(clippy::too_many_arguments, reason = "the operator's own arguments and its gradients")]
    fn linear_max_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    );
}

/// Normalising rows.
pub trait LayerNorms {
    /// Normalises rows; `saved [rows, 2]` keeps mean and reciprocal deviation.
    #[expect(clippy::too_many_arguments, reason = "the layer's learned values, result and memory")]
    fn layer_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    );
    /// Its gradient.
    #[expect(clippy::too_many_arguments, reason = "three gradients share the work")]
    fn layer_norm_gradient(
        &self,
        x: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    );
}

/// Normalising columns.
pub trait BatchNorms {
    /// Normalises columns over the batch and updates the running statistics; `saved [2, columns]`
    /// keeps mean and reciprocal deviation.
    #[expect(clippy::too_many_arguments, reason = "the layer's learned values, result and memory")]
    fn batch_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: BatchNormState<'_>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    );
    /// Normalises columns by the running statistics.
    #[expect(clippy::too_many_arguments, reason = "the layer's learned values, result and memory")]
    fn batch_norm_running(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    );
    /// Of the training form. `y` is the activated output, for the gradient of the activation.
    #[expect(clippy::too_many_arguments, reason = "three gradients share the work")]
    fn batch_norm_gradient(
        &self,
        x: &Buffer,
        y: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        activation: Activation,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    );
}

/// The gated recurrent unit.
pub trait RecurrentUnits {
    /// Some rows of `out [all rows, columns]` by a gated recurrent unit. `saved
    /// [rows, 4 columns]` keeps for each the three gates and the state's share of the new one.
    fn gru(
        &self,
        weights: &GruWeights<'_>,
        rows: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    );
    /// Of all rows; `work` is as large as `saved` and keeps the gradients of the same four.
    #[expect(clippy::too_many_arguments, reason = "six gradients share the work")]
    fn gru_gradient(
        &self,
        weights: &GruWeights<'_>,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        work: &mut Buffer,
        to: GruGradients<'_>,
    );
}
