//! What operators are given.

use crate::buffer::{Buffer, Indices};

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

/// A whole linear layer: `activation(input · weightᵀ + bias)`.
pub struct Dense<'a> {
    /// `[columns, width]`.
    pub weight: &'a Buffer,
    /// `[columns]`.
    pub bias: &'a Buffer,
    /// How many outputs.
    pub columns: usize,
    /// Applied last.
    pub activation: Activation,
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

/// `dyᵀ · x`, summed over operators that share what this is a gradient of.
pub struct DeferredSum<'a> {
    /// To which of the gradients it goes,
    pub to: usize,
    /// and there from which row and column on.
    pub first: [usize; 2],
    /// How many columns the whole gradient has.
    pub stride: usize,
    /// Columns of every `dy`: rows of the sum.
    pub columns: usize,
    /// Columns of every `x`.
    pub width: usize,
    /// One for each operator.
    pub summands: Vec<Summand<'a>>,
}

/// What one operator adds to a sum.
#[derive(Clone, Copy)]
pub struct Summand<'a> {
    /// A gradient `[rows, dy_stride]`, of which columns from `dy_start` on count.
    pub dy: &'a Buffer,
    /// The first of those columns.
    pub dy_start: usize,
    /// How many columns it has.
    pub dy_stride: usize,
    /// `[rows, width]`; without, a column of ones.
    pub x: Option<&'a Buffer>,
    /// Of both.
    pub rows: usize,
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
    /// 1 for the first update.
    pub step: u64,
}

/// Values on their way to the host.
#[derive(Debug)]
pub enum Later {
    /// They are there.
    Values(Vec<f32>),
    /// A device will have put so many of them into the place of this number.
    Place {
        /// Where.
        number: usize,
        /// How many.
        len: usize,
    },
}
