//! The gated recurrent unit.
//!
//! Gates of input i and state h have their biases inside, in the order reset, update, new:
//! `r = sigmoid(i_r + h_r)`, `z = sigmoid(i_z + h_z)`, `n = tanh(i_n + r * h_n)`,
//! `out = (1 - z) * n + z * state`. (Cho et al. 2014, in the form where r multiplies the product.)

use std::ops::Range;

use super::elementwise::sigmoid;
use super::linear::{column_sums, input_gradient, linear, weight_gradient};
use super::{Reference, sum_into};
use crate::buffer::Buffer;
use crate::device::{Activation, GruGradients, GruWeights, Part, PartShape, RecurrentUnits};

impl RecurrentUnits for Reference {
    fn gru(
        &self,
        weights: &GruWeights<'_>,
        rows: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        gru(weights, rows, columns, out.double_mut(), saved.double_mut());
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
        let work = work.double_mut();
        gru_gradient(weights, saved.double(), dy.double(), rows, columns, work, to);
    }
}

/// Some rows of `out [all rows, columns]`; `saved [rows, 4 columns]` = r, z, n and h_n.
pub fn gru(
    weights: &GruWeights<'_>,
    rows: Range<usize>,
    columns: usize,
    out: &mut [f64],
    saved: &mut [f64],
) {
    let all = rows.end;
    let input_gates = gate_sums(&weights.input, weights.biases[0], all, columns);
    let state_gates = gate_sums(&weights.state, weights.biases[1], all, columns);
    let state = weights.state.input.double();
    for (row, saved) in rows.zip(saved.chunks_exact_mut(4 * columns)) {
        for c in 0..columns {
            let at = gates(row, columns, c);
            let r = sigmoid(input_gates[at.r] + state_gates[at.r]);
            let z = sigmoid(input_gates[at.z] + state_gates[at.z]);
            let n = (input_gates[at.n] + r * state_gates[at.n]).tanh();
            out[row * columns + c] = (1.0 - z) * n + z * state[row * columns + c];
            for (block, value) in [r, z, n, state_gates[at.n]].into_iter().enumerate() {
                saved[block * columns + c] = value;
            }
        }
    }
}

/// The linear layer of all three gates, `[rows, 3 columns]`.
fn gate_sums(part: &Part<'_>, bias: &Buffer, rows: usize, columns: usize) -> Vec<f64> {
    let mut sums = vec![0.0; rows * 3 * columns];
    let parts = std::slice::from_ref(part);
    let (bias, none) = (Some(bias.double()), Activation::None);
    linear(parts, bias, None, none, rows, 3 * columns, &mut sums);
    sums
}

/// The gradients of the gates, `[rows, 3 columns]` each: (of the input, of the state).
fn gate_gradients(state: &[f64], saved: &[f64], dy: &[f64], columns: usize) -> [Vec<f64>; 2] {
    let rows = dy.len() / columns;
    let [mut of_input, mut of_state] = [(); 2].map(|()| vec![0.0; rows * 3 * columns]);
    for (row, saved) in saved.chunks_exact(4 * columns).take(rows).enumerate() {
        for c in 0..columns {
            let at = gates(row, columns, c);
            let [r, z, n, share] = [0, 1, 2, 3].map(|block| saved[block * columns + c]);
            let dy = dy[row * columns + c];
            let d_n = dy * (1.0 - z) * (1.0 - n * n);
            let d_z = dy * (state[row * columns + c] - n) * z * (1.0 - z);
            let d_r = d_n * share * r * (1.0 - r);
            (of_input[at.r], of_input[at.z], of_input[at.n]) = (d_r, d_z, d_n);
            (of_state[at.r], of_state[at.z], of_state[at.n]) = (d_r, d_z, d_n * r);
        }
    }
    [of_input, of_state]
}

/// Adds to every gradient that is wanted, and keeps those of r, z, n and h_n in `work`.
pub fn gru_gradient(
    weights: &GruWeights<'_>,
    saved: &[f64],
    dy: &[f64],
    rows: usize,
    columns: usize,
    work: &mut [f64],
    to: GruGradients<'_>,
) {
    let state = weights.state.input.double();
    let of_gates = gate_gradients(state, saved, dy, columns);
    let [of_input, of_state] = of_gates.each_ref().map(|all| all.chunks_exact(3 * columns));
    for ((work, input), state) in work.chunks_exact_mut(4 * columns).zip(of_input).zip(of_state) {
        work[..3 * columns].copy_from_slice(input);
        work[3 * columns..].copy_from_slice(&state[2 * columns..]);
    }
    let GruGradients { inputs: [dx, d_state], weights: d_weights, biases } = to;
    let d_state = d_state.map(|gradient| {
        let d_state = sum_into(gradient);
        for (row, saved) in saved.chunks_exact(4 * columns).take(rows).enumerate() {
            for c in 0..columns {
                d_state[row * columns + c] += dy[row * columns + c] * saved[columns + c];
            }
        }
        d_state
    });
    let parts = [&weights.input, &weights.state];
    let inputs = [dx.map(sum_into), d_state];
    for (((part, dy), dx), (dw, db)) in
        parts.into_iter().zip(&of_gates).zip(inputs).zip(d_weights.into_iter().zip(biases))
    {
        let Part { width, start, stride, .. } = *part;
        let shape = PartShape { rows, columns: 3 * columns, width, start, stride };
        if let Some(dx) = dx {
            input_gradient(dy, part.weight.double(), shape, dx);
        }
        if let Some(dw) = dw {
            weight_gradient(dy, part.input.double(), shape, sum_into(dw));
        }
        if let Some(db) = db {
            column_sums(dy, None, rows, 3 * columns, sum_into(db));
        }
    }
}

/// Where the three gates of one value are.
struct Gates {
    r: usize,
    z: usize,
    n: usize,
}

fn gates(row: usize, columns: usize, c: usize) -> Gates {
    let r = row * 3 * columns + c;
    Gates { r, z: r + columns, n: r + 2 * columns }
}

#[cfg(test)]
mod tests {
    use super::super::close::assert_close;
    use super::*;
    use crate::device::Gradient;

    /// A cell of one column whose state is 10 and whose gates are what its biases say.
    fn with_cell<T>(input_bias: [f64; 3], run: impl FnOnce(&GruWeights<'_>) -> T) -> T {
        let [x, state] = [0.0, 10.0].map(|value| Buffer::Double(vec![value]));
        let weight = Buffer::Double(vec![0.0; 3]);
        let part = |input| Part {
            input,
            weight: &weight,
            transposed: None,
            width: 1,
            start: 0,
            stride: 1,
        };
        let biases = [input_bias, [1.0, 2.0, 4.0]].map(|bias| Buffer::Double(bias.to_vec()));
        let biases = [&biases[0], &biases[1]];
        run(&GruWeights { input: part(&x), state: part(&state), biases })
    }

    #[test]
    fn the_update_gate_mixes_the_new_value_with_the_state() {
        // r = 3/4, z = 1/4, n = tanh(artanh(1/2)) = 1/2
        let (ln3, artanh) = (3_f64.ln(), 3_f64.ln() / 2.0);
        let (mut out, mut saved) = ([9.0], [9.0; 4]);
        with_cell([ln3 - 1.0, -ln3 - 2.0, artanh - 3.0], |weights| {
            gru(weights, 0..1, 1, &mut out, &mut saved);
        });
        assert_close(&saved, &[0.75, 0.25, 0.5, 4.0]);
        assert_close(&out, &[0.75 * 0.5 + 0.25 * 10.0]);
    }

    #[test]
    fn gradients_pass_through_each_gate() {
        // d_n = 16 * 3/4 * 3/4 = 9; d_z = 16 * 9.5 * 3/16 = 28.5; d_r = 9 * 4 * 3/16 = 6.75
        let [of_input, of_state] = gate_gradients(&[10.0], &[0.75, 0.25, 0.5, 4.0], &[16.0], 1);
        assert_close(&of_input, &[6.75, 28.5, 9.0]);
        assert_close(&of_state, &[6.75, 28.5, 6.75]);
    }

    #[test]
    fn the_state_gets_its_share_directly_and_weights_get_products() {
        let [mut d_state, mut d_weight, mut d_bias] =
            [1, 3, 3].map(|len| Buffer::Double(vec![1.0; len]));
        let mut work = [0.0; 4];
        with_cell([0.0; 3], |weights| {
            let to = GruGradients {
                inputs: [None, Some(Gradient { buffer: &mut d_state, add: true })],
                weights: [None, Some(Gradient { buffer: &mut d_weight, add: true })],
                biases: [None, Some(Gradient { buffer: &mut d_bias, add: false })],
            };
            gru_gradient(weights, &[0.75, 0.25, 0.5, 4.0], &[16.0], 1, 1, &mut work, to);
        });
        assert_close(&work, &[6.75, 28.5, 9.0, 6.75]);
        assert_close(d_state.double(), &[5.0]);
        assert_close(d_weight.double(), &[68.5, 286.0, 68.5]);
        assert_close(d_bias.double(), &[6.75, 28.5, 6.75]);
    }
}
