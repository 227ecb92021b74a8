//! The seam to the devices: what one has to compute so that the tape can do the rest.
//!
//! A device computes operators and their gradients on buffers of its own; it knows nothing of
//! tapes, parameters or models. Matrices are row-major. Every gradient method has the sign of the
//! chain rule already applied: it takes the gradient of an output and writes, or adds to, the
//! gradient of one input. Results may not depend on how many threads computed them.
//!
//! [`Reference`](crate::reference::Reference) defines the answers, in double precision and in
//! plain loops; [`Cpu`](crate::cpu::Cpu) must agree with it on every method.

use std::fmt::Debug;
use std::ops::Range;

use crate::buffer::{Buffer, Indices};
use crate::graph::{Edges, Segments};

/// What is applied to a result before it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    None,
    /// max(x, 0).
    Relu,
}

/// How many values become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The largest; its gradient goes to the first that is largest.
    Max,
    /// The sum.
    Sum,
    /// The mean.
    Mean,
}

/// Functions of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// max(x, 0).
    Relu,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

/// Functions of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a * b.
    Multiply,
    /// The larger; its gradient goes to a where they are equal.
    Max,
}

/// What a loss compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Binary cross-entropy of a logit with 0 or 1.
    Binary,
    /// Squared error.
    Squared,
}

/// Where a gradient goes: added to what is there, or in its place.
pub struct Gradient<'a> {
    /// The gradient of one input.
    pub buffer: &'a mut Buffer,
    /// Whether something is there already.
    pub add: bool,
}

/// One summand of a linear layer: `input · weightᵀ`, with some columns of a weight.
pub struct Part<'a> {
    /// `[rows, width]`.
    pub input: &'a Buffer,
    /// `[columns, stride]`, of which columns `start..start + width` count.
    pub weight: &'a Buffer,
    /// `[stride, columns]`, where the device asked for it.
    pub transposed: Option<&'a Buffer>,
    /// How many inputs.
    pub width: usize,
    /// The first column of the weight.
    pub start: usize,
    /// How many columns the whole weight has.
    pub stride: usize,
}

/// What was computed before and is added to a linear layer.
#[derive(Clone, Copy)]
pub struct Addend<'a> {
    /// `[any, columns]`.
    pub values: &'a Buffer,
    /// Which of its rows each row gets; without, the one of the same number.
    pub rows: Option<&'a Indices>,
}

/// A gated recurrent unit's learned values; gates in the order reset, update, new.
pub struct GruWeights<'a> {
    /// Of the input, `[3 columns, width]`; its input is x.
    pub input: Part<'a>,
    /// Of the state, `[3 columns, columns]`; its input is the state.
    pub state: Part<'a>,
    /// `[3 columns]` each.
    pub biases: [&'a Buffer; 2],
}

/// Where the gradients of a gated recurrent unit go, if wanted.
pub struct GruGradients<'a> {
    /// Of the input and the state.
    pub inputs: [Option<Gradient<'a>>; 2],
    /// Of their weights.
    pub weights: [Option<Gradient<'a>>; 2],
    /// Of their biases.
    pub biases: [Option<Gradient<'a>>; 2],
}

/// The shapes of a part's products.
#[derive(Debug, Clone, Copy)]
pub struct PartShape {
    /// Rows of input and output.
    pub rows: usize,
    /// Columns of the output.
    pub columns: usize,
    /// Columns of the input.
    pub width: usize,
    /// The first column of the weight.
    pub start: usize,
    /// How many columns the whole weight has.
    pub stride: usize,
}

/// What a message is made of: `activation(source + target + weight * scale + bias)`.
pub struct MessageTerms<'a> {
    /// `[n_nodes, columns]`, read at the other end of an entry.
    pub source: Option<&'a Buffer>,
    /// `[n_nodes, columns]`, read at the row of an entry.
    pub target: Option<&'a Buffer>,
    /// A number for each entry `[n_entries]`, and what it multiplies `[columns]`.
    pub scaled: Option<(&'a Buffer, &'a Buffer)>,
    /// `[columns]`.
    pub bias: Option<&'a Buffer>,
    /// Applied to the sum.
    pub activation: Activation,
}

/// Learned and running values of a batch norm.
pub struct BatchNormState<'a> {
    /// Running mean `[columns]`, updated in training.
    pub mean: &'a mut Buffer,
    /// Running variance `[columns]`, updated in training.
    pub variance: &'a mut Buffer,
}

/// One AdamW update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Learning rate.
    pub learning_rate: f64,
    /// Decay of both moments.
    pub betas: (f64, f64),
    /// Keeps the division finite.
    pub epsilon: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// What gradients are multiplied by first: the clipping.
    pub scale: f64,
    /// 1 for the first update.
    pub step: u64,
}

/// What a device computes. `rows` and `columns` are those of the main operand.
#[expect(missing_docs, reason = "gradient methods are documented with their operator")]
pub trait Device: Debug {
    /// Its name, for messages.
    fn name(&self) -> String;

    /// A buffer of zeros.
    fn zeros(&self, len: usize) -> Buffer;
    /// Copies host values in.
    fn write(&self, values: &[f32], to: &mut Buffer);
    /// Copies values to the host.
    fn read(&self, from: &Buffer, to: &mut [f32]);
    /// All values, as exactly as the device has them.
    fn values(&self, from: &Buffer) -> Vec<f64>;
    fn fill(&self, to: &mut Buffer, value: f32);
    fn copy(&self, from: &Buffer, to: Gradient<'_>);
    /// Floating-point operations spent in dense products so far.
    fn product_operations(&self) -> u64 {
        0
    }

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

    /// `out [rows, width] =` the sum of the blocks of `width` columns of `x` from each start.
    fn columns(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    );
    /// Adds to those blocks of `dx`, which holds a gradient already.
    fn columns_gradient(
        &self,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    );

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

    /// Of a linear layer whose results were reduced by a maximum: `dy [n_nodes, columns]` came
    /// from the entries `origin`. Writes all of `dx [n_entries, width]`.
    #[expect(clippy::too_many_arguments, reason = "the operator's own arguments and its gradient")]
    fn linear_max_input_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Gradient<'_>,
    );
    /// The same for `dw [columns, width]`.
    fn linear_max_weight_gradient(
        &self,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        columns: usize,
        width: usize,
        dw: Gradient<'_>,
    );

    /// The maximum of messages without storing them: `out [n_nodes, columns]`; `origin` is the
    /// entry it came from.
    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: &mut Indices,
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

    /// `out [rows, columns] = x[indices]`.
    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer);
    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    );
    /// Copies a range of values to where `at` begins.
    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize);
    /// Adds a range of values to those where `at` begins.
    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize);

    /// `out [rows, stride]` gets `x [rows, width]` in the columns from `start` on.
    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    );
    /// The other way: `dx [rows, width]`.
    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    );

    /// Log-probabilities within each segment, column by column.
    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer);
    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    );

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
    /// Of all rows; `work` is as large as `saved`.
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

    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer);
    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>);
    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer);
    /// The gradient of `a` (`of_a`) or `b`.
    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    );
    /// `out = (1 + scale[0]) a + b`.
    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer);
    /// The gradient of `a`: `(1 + scale[0]) dy`.
    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>);
    /// `out [1] = a · b`, summed in a fixed order.
    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>);
    /// `out = a + factor * b`.
    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer);
    /// `to = factor * from`.
    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>);

    /// `out [1] =` the sum of `-weight * log_probability[target]`.
    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    );
    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>);
    /// `out [1] =` the sum of `weight * loss(x, target)`.
    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer);
    fn loss_gradient(
        &self,
        loss: Loss,
        x: &Buffer,
        targets: &Buffer,
        weights: &Buffer,
        dy: &Buffer,
        dx: Gradient<'_>,
    );
    /// `out [1] =` the mean over rows of the Euclidean norm; `saved [rows]` keeps the norms.
    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    );
    /// A row of zeros gets no gradient.
    fn mean_norm_gradient(
        &self,
        x: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Gradient<'_>,
    );

    /// The sum of squares of all values.
    fn sum_of_squares(&self, x: &Buffer) -> f64;
    /// One AdamW update of `value` and its moments.
    fn adam(
        &self,
        step: AdamStep,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    );
}
