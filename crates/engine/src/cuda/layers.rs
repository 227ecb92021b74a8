//! Norms and the gated recurrent unit.

use std::ops::Range;

use super::Cuda;
use super::arena::Place;
use super::draft::{Code, Draft};
use super::large::LARGE_ROWS;
use super::product::{Operand, Product};
use super::together::{LargeLayer, LargePart};
use super::values::{COLUMNS, ROWS};
use crate::buffer::Buffer;
use crate::device::{
    Activation, BatchNormState, BatchNorms, Gradient, GruGradients, GruWeights, LayerNorms, Part,
    RecurrentUnits,
};

impl LayerNorms for Cuda {
    fn layer_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let draft = Draft::new(Code::LayerNorm).input(0, x).input(1, gain).input(2, bias);
        let draft = draft.output(3, out).output(4, saved).numbers(0, [rows, columns]);
        self.run(draft.tiles(rows, ROWS).by_rows(rows));
    }

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
    ) {
        if let Some(dx) = dx {
            let draft = Draft::new(Code::LayerNormInput).input(0, x).input(1, gain).input(2, saved);
            let draft = draft.input(3, dy).output(4, dx.buffer);
            let draft = draft.numbers(0, [rows, columns, dx.add.into()]);
            self.run(draft.tiles(rows, ROWS).by_rows(rows));
        }
        let draft = Draft::new(Code::LayerNormLearned).input(0, x).input(1, saved).input(2, dy);
        let draft = draft.output(3, d_gain.buffer).output(4, d_bias.buffer);
        let draft = draft.numbers(0, [rows, columns, d_gain.add.into(), d_bias.add.into()]);
        self.run(draft.tiles(columns, COLUMNS));
    }
}

impl BatchNorms for Cuda {
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
    ) {
        let draft = Draft::new(Code::BatchNorm).input(0, x).input(1, gain).input(2, bias);
        let draft = draft
            .output(3, running.mean)
            .output(4, running.variance)
            .output(5, out)
            .output(6, saved);
        let relu = usize::from(activation == Activation::Relu);
        let draft = draft.numbers(0, [rows, columns, relu]).tiles(columns, COLUMNS);
        self.run(draft.by_columns(rows, columns));
    }

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
    ) {
        let draft = Draft::new(Code::BatchNormRunning).input(0, x).input(1, gain).input(2, bias);
        let draft = draft.input(3, running.0).input(4, running.1).output(5, out);
        let relu = usize::from(activation == Activation::Relu);
        self.run(draft.numbers(0, [rows, columns, relu]).rows(rows, columns));
    }

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
    ) {
        let draft = Draft::new(Code::BatchNormGradient).input(0, x).input(1, y).input(2, gain);
        let mut draft =
            draft.input(3, saved).input(4, dy).output(6, d_gain.buffer).output(7, d_bias.buffer);
        let mut add = false;
        if let Some(dx) = dx {
            draft = draft.output(5, dx.buffer);
            add = dx.add;
        }
        let relu = usize::from(activation == Activation::Relu);
        let flags = [rows, columns, relu, add.into(), d_gain.add.into(), d_bias.add.into()];
        let draft = draft.numbers(0, flags).tiles(columns, COLUMNS);
        self.run(draft.by_columns(rows, columns));
    }
}

/// Rows of a weight, and the columns of the gates (of their gradients) that belong to them.
struct Gates {
    rows: Range<usize>,
    column: usize,
}

/// Of the state's weight: reset and update, and its share of new.
fn state_gates(columns: usize) -> [Gates; 2] {
    [
        Gates { rows: 0..2 * columns, column: 0 },
        Gates { rows: 2 * columns..3 * columns, column: 3 * columns },
    ]
}

impl Cuda {
    /// Sums of the gates; the kernel of gates adds the state's bias to reset and update.
    fn gates(&self, weights: &GruWeights<'_>, block: &Range<usize>, columns: usize, gates: Place) {
        let (rows, new) = (block.len(), 2 * columns);
        let GruWeights { input, state, biases } = weights;
        let x = Operand::rows(input.input, input.width).at(block.start * input.width);
        let h = Operand::rows(state.input, columns).at(block.start * columns);
        let of_input = Operand::rows(input.weight, input.stride).at(input.start);
        let of_state = Operand::rows(state.weight, state.stride).at(state.start);
        let [input_bias, state_bias] = biases.map(|bias| bias.cuda().place());
        let product = |parts: &[_], columns_out, column, bias| {
            self.product(Product {
                parts,
                rows,
                columns: columns_out,
                out: (gates, column, 4 * columns),
                add: false,
                bias: Some(bias),
                relu: false,
            });
        };
        let both = [(x, of_input, input.width), (h, of_state, columns)];
        product(&both, 2 * columns, 0, (input_bias, 0));
        let of_input = of_input.at(new * input.stride);
        product(&[(x, of_input, input.width)], columns, new, (input_bias, new));
        let of_state = of_state.at(new * state.stride);
        product(&[(h, of_state, columns)], columns, 3 * columns, (state_bias, new));
    }

    /// The same on many rows.
    fn large_gates(
        &self,
        weights: &GruWeights<'_>,
        block: &Range<usize>,
        columns: usize,
        gates: Place,
    ) {
        let GruWeights { input, state, biases } = weights;
        let [input_bias, state_bias] = biases.map(|bias| bias.cuda().place().address);
        let words = |buffer: &Buffer, at: usize| buffer.cuda().place().address + 4 * at as u64;
        // Rows of a weight from `first` on.
        let part = |part: &Part<'_>, first: usize| LargePart {
            input: words(part.input, block.start * part.width),
            weight: words(part.weight, part.start + first * part.stride),
            width: part.width as u32,
            weight_stride: part.stride as u32,
        };
        // Columns of the gates from `column` on.
        let out_stride = 4 * columns;
        let layer = |parts, columns, column: usize, bias| LargeLayer {
            parts,
            columns,
            addend: None,
            bias: Some(bias),
            relu: false,
            out: gates.address + 4 * column as u64,
            out_stride,
        };
        let new = 2 * columns;
        let of_new = 4 * new as u64;
        let layers = [
            layer(vec![part(input, 0), part(state, 0)], new, 0, input_bias),
            layer(vec![part(input, new)], columns, new, input_bias + of_new),
            layer(vec![part(state, new)], columns, 3 * columns, state_bias + of_new),
        ];
        self.large_layers(&layers, block.len());
    }
}

impl RecurrentUnits for Cuda {
    fn gru(
        &self,
        weights: &GruWeights<'_>,
        block: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let (rows, gates) = (block.len(), saved.cuda().place());
        if rows >= LARGE_ROWS && self.library().is_some() {
            self.large_gates(weights, &block, columns, gates);
        } else {
            self.gates(weights, &block, columns, gates);
        }
        let values = block.start * columns..block.end * columns;
        let draft = Draft::new(Code::GruGates)
            .writes(0, gates, 0..rows * 4 * columns)
            .reads(1, weights.state.input.cuda().place(), values.clone())
            .writes(2, out.cuda().place(), values)
            .reads(3, weights.biases[1].cuda().place(), 0..2 * columns);
        self.run(draft.numbers(0, [rows, columns]).rows(rows, columns).by_rows(rows));
    }

    fn gru_gradient(
        &self,
        weights: &GruWeights<'_>,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        work: &mut Buffer,
        to: GruGradients<'_>,
    ) {
        let GruWeights { input, state, .. } = weights;
        let GruGradients { inputs: [dx, d_state], weights: d_weights, biases: d_biases } = to;
        let four = 4 * columns;
        let mut draft = Draft::new(Code::GruGatesGradient).input(0, saved).input(1, state.input);
        draft = draft.input(2, dy).output(3, work);
        if let Some(d_state) = &d_state {
            draft = draft.output(4, d_state.buffer).numbers(2, [d_state.add.into()]);
        }
        self.run(draft.numbers(0, [rows, columns]).rows(rows, columns).by_rows(rows));
        let by_rows = Operand::rows(work, four);
        let input_gates = [Gates { rows: 0..3 * columns, column: 0 }];
        let state_gates = state_gates(columns);
        // The state's gradient holds dy * update by now.
        let d_state = d_state.map(|gradient| Gradient { add: true, ..gradient });
        let sides = [(input, &input_gates[..], dx), (state, &state_gates[..], d_state)];
        for ((part, gates, dx), (dw, db)) in
            sides.into_iter().zip(d_weights.into_iter().zip(d_biases))
        {
            let weight = Operand::columns(part.weight, part.stride).at(part.start);
            let summand = |gates: &Gates| {
                let weight = weight.at(gates.rows.start * part.stride);
                (by_rows.at(gates.column), weight, gates.rows.len())
            };
            if let Some(dx) = dx {
                let parts: [_; 2] = [summand(&gates[0]), summand(&gates[gates.len() - 1])];
                self.product(Product {
                    parts: &parts[..gates.len()],
                    rows,
                    columns: part.width,
                    out: (dx.buffer.cuda().place(), 0, part.width),
                    add: dx.add,
                    bias: None,
                    relu: false,
                });
            }
            if let Some(dw) = dw {
                let x = Operand::columns(part.input, part.width);
                for gates in gates {
                    let dy = Operand::columns(work, four).at(gates.column);
                    self.product(Product {
                        parts: &[(dy, x, rows)],
                        rows: gates.rows.len(),
                        columns: part.width,
                        out: (
                            dw.buffer.cuda().place(),
                            gates.rows.start * part.stride,
                            part.stride,
                        ),
                        add: dw.add,
                        bias: None,
                        relu: false,
                    });
                }
            }
            if let Some(db) = db {
                for gates in gates {
                    let n = gates.rows.len();
                    let words = gates.column..(rows - 1) * four + gates.column + n;
                    let draft = Draft::new(Code::ColumnSums)
                        .reads(0, work.cuda().place(), words)
                        .writes(2, db.buffer.cuda().place(), gates.rows.clone());
                    self.run(draft.column_sums(rows, n, four, db.add));
                }
            }
        }
    }
}
