//! Layers: named parameters on a tape, initialised as PyTorch does.

use rand_chacha::ChaCha8Rng;
use salsa_engine::device::Activation;
use salsa_engine::tape::{GruCell, Linear, MessageLayer, Tape, Tensor};
use salsa_traces::random;

/// Makes parameters with names under a prefix.
pub struct Builder<'a> {
    tape: &'a mut Tape,
    rng: &'a mut ChaCha8Rng,
    prefix: String,
}

impl<'a> Builder<'a> {
    /// Parameters go on `tape`, their first values come from `rng`.
    pub fn new(tape: &'a mut Tape, rng: &'a mut ChaCha8Rng) -> Self {
        Self { tape, rng, prefix: String::new() }
    }

    /// The same with names that begin with `name.`
    pub fn under(&mut self, name: &str) -> Builder<'_> {
        let prefix = format!("{}{name}.", self.prefix);
        Builder { tape: self.tape, rng: self.rng, prefix }
    }

    /// Values uniform in ± `bound`.
    fn uniform(&mut self, name: &str, (rows, columns): (usize, usize), bound: f64) -> Tensor {
        let values: Vec<f32> =
            (0..rows * columns).map(|_| random::between(self.rng, -bound, bound) as f32).collect();
        self.tape.parameter(&format!("{}{name}", self.prefix), rows, columns, &values)
    }

    /// A column of one value each.
    pub fn constant(&mut self, name: &str, len: usize, value: f32) -> Tensor {
        self.tape.parameter(&format!("{}{name}", self.prefix), len, 1, &vec![value; len])
    }

    fn statistic(&mut self, name: &str, len: usize, value: f32) -> Tensor {
        self.tape.statistic(&format!("{}{name}", self.prefix), len, 1, &vec![value; len])
    }

    /// A linear layer from `inputs` to `outputs`.
    pub fn affine(&mut self, name: &str, inputs: usize, outputs: usize) -> Affine {
        let bound = 1.0 / (inputs as f64).sqrt();
        let mut own = self.under(name);
        Affine {
            weight: own.uniform("weight", (outputs, inputs), bound),
            bias: own.uniform("bias", (outputs, 1), bound),
        }
    }

    /// A layer norm over `columns`.
    pub fn layer_norm(&mut self, name: &str, columns: usize) -> LayerNorm {
        let mut own = self.under(name);
        LayerNorm {
            gain: own.constant("weight", columns, 1.0),
            bias: own.constant("bias", columns, 0.0),
        }
    }

    /// A batch norm over `columns`.
    pub fn batch_norm(&mut self, name: &str, columns: usize) -> BatchNorm {
        let mut own = self.under(name);
        BatchNorm {
            gain: own.constant("weight", columns, 1.0),
            bias: own.constant("bias", columns, 0.0),
            mean: own.statistic("running_mean", columns, 0.0),
            variance: own.statistic("running_var", columns, 1.0),
        }
    }

    /// A gated recurrent unit.
    pub fn gru(&mut self, name: &str, inputs: usize, hidden: usize) -> Gru {
        let bound = 1.0 / (hidden as f64).sqrt();
        let mut own = self.under(name);
        Gru(GruCell {
            weight_ih: own.uniform("weight_ih", (3 * hidden, inputs), bound),
            weight_hh: own.uniform("weight_hh", (3 * hidden, hidden), bound),
            bias_ih: own.uniform("bias_ih", (3 * hidden, 1), bound),
            bias_hh: own.uniform("bias_hh", (3 * hidden, 1), bound),
        })
    }
}

/// A linear layer.
#[derive(Debug, Clone, Copy)]
pub struct Affine {
    /// `[outputs, inputs]`.
    pub weight: Tensor,
    /// `[outputs, 1]`.
    pub bias: Tensor,
}

impl Affine {
    /// `x [rows, inputs]` -> `[rows, outputs]`.
    pub fn apply(&self, tape: &mut Tape, x: Tensor) -> Tensor {
        tape.linear(Linear::new(&[(x, self.weight)]).bias(self.bias))
    }

    /// The same, with max(x, 0) applied.
    pub fn apply_relu(&self, tape: &mut Tape, x: Tensor) -> Tensor {
        tape.linear(Linear::new(&[(x, self.weight)]).bias(self.bias).relu())
    }

    /// The same on messages that need not be stored.
    pub fn on_messages(&self, activation: Activation) -> MessageLayer {
        MessageLayer { weight: self.weight, bias: self.bias, activation }
    }
}

/// Normalises each row.
#[derive(Debug, Clone, Copy)]
pub struct LayerNorm {
    gain: Tensor,
    bias: Tensor,
}

impl LayerNorm {
    /// `x [rows, columns]` -> the same shape.
    pub fn apply(&self, tape: &mut Tape, x: Tensor) -> Tensor {
        tape.layer_norm(x, self.gain, self.bias)
    }
}

/// Normalises each column.
#[derive(Debug, Clone, Copy)]
pub struct BatchNorm {
    gain: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
}

impl BatchNorm {
    /// `x [rows, columns]` -> the same shape.
    pub fn apply(&self, tape: &mut Tape, x: Tensor, activation: Activation) -> Tensor {
        tape.batch_norm(x, (self.gain, self.bias), (self.mean, self.variance), activation)
    }

    /// The layer that does what `layer` and then the norm by its running statistics do.
    pub fn folded_into(&self, tape: &mut Tape, layer: Affine) -> Affine {
        let Affine { weight, bias } = layer;
        let (learned, running) = ((self.gain, self.bias), (self.mean, self.variance));
        let (weight, bias) = tape.folded_batch_norm((weight, bias), learned, running);
        Affine { weight, bias }
    }
}

/// A gated recurrent unit.
#[derive(Debug, Clone, Copy)]
pub struct Gru(GruCell);

impl Gru {
    /// `x [rows, inputs]`, `state [rows, hidden]` -> the next state.
    pub fn apply(&self, tape: &mut Tape, x: Tensor, state: Tensor) -> Tensor {
        tape.gru(self.0, x, state)
    }
}
