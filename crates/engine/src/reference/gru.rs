//! The gated recurrent unit, from the products of its gates on.
//!
//! Gates of input i and state h have their biases inside, in the order reset, update, new:
//! `r = sigmoid(i_r + h_r)`, `z = sigmoid(i_z + h_z)`, `n = tanh(i_n + r * h_n)`,
//! `out = (1 - z) * n + z * state`. (Cho et al. 2014, in the form where r multiplies the product.)

use super::elementwise::sigmoid;

/// `input_gates` and `state_gates [rows, 3 columns]`, `state [rows, columns]` ->
/// `out [rows, columns]`, `saved [rows, 3 columns]` = r, z and n.
pub fn gru(
    input_gates: &[f64],
    state_gates: &[f64],
    state: &[f64],
    rows: usize,
    columns: usize,
    out: &mut [f64],
    saved: &mut [f64],
) {
    for row in 0..rows {
        for c in 0..columns {
            let at = gates(row, columns, c);
            let r = sigmoid(input_gates[at.r] + state_gates[at.r]);
            let z = sigmoid(input_gates[at.z] + state_gates[at.z]);
            let n = (input_gates[at.n] + r * state_gates[at.n]).tanh();
            out[row * columns + c] = (1.0 - z) * n + z * state[row * columns + c];
            saved[at.r] = r;
            saved[at.z] = z;
            saved[at.n] = n;
        }
    }
}

/// `state_gates` and `saved [rows, 3 columns]`, `state` and `dy [rows, columns]` -> adds to
/// `d_input_gates` and `d_state_gates [rows, 3 columns]` and to `d_state [rows, columns]`, the
/// latter without what reaches the state through its gates.
#[expect(clippy::too_many_arguments, reason = "three gradients share the work")]
pub fn gru_gradient(
    state_gates: &[f64],
    state: &[f64],
    saved: &[f64],
    dy: &[f64],
    rows: usize,
    columns: usize,
    d_input_gates: &mut [f64],
    d_state_gates: &mut [f64],
    d_state: &mut [f64],
) {
    for row in 0..rows {
        for c in 0..columns {
            let at = gates(row, columns, c);
            let (r, z, n) = (saved[at.r], saved[at.z], saved[at.n]);
            let dy = dy[row * columns + c];
            let d_n = dy * (1.0 - z) * (1.0 - n * n);
            let d_z = dy * (state[row * columns + c] - n) * z * (1.0 - z);
            let d_r = d_n * state_gates[at.n] * r * (1.0 - r);
            d_input_gates[at.r] += d_r;
            d_input_gates[at.z] += d_z;
            d_input_gates[at.n] += d_n;
            d_state_gates[at.r] += d_r;
            d_state_gates[at.z] += d_z;
            d_state_gates[at.n] += d_n * r;
            d_state[row * columns + c] += dy * z;
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

    #[test]
    fn the_update_gate_mixes_the_new_value_with_the_state() {
        // r = 3/4, z = 1/4, n = tanh(artanh(1/2)) = 1/2
        let (ln3, artanh) = (3_f64.ln(), 3_f64.ln() / 2.0);
        let input_gates = [ln3 - 1.0, -ln3 - 2.0, artanh - 3.0];
        let (mut out, mut saved) = ([9.0], [9.0; 3]);
        gru(&input_gates, &[1.0, 2.0, 4.0], &[10.0], 1, 1, &mut out, &mut saved);
        assert_close(&saved, &[0.75, 0.25, 0.5]);
        assert_close(&out, &[0.75 * 0.5 + 0.25 * 10.0]);
    }

    #[test]
    fn gates_of_several_columns_stand_in_blocks() {
        let (mut out, mut saved) = ([9.0; 4], [9.0; 12]);
        gru(&[0.0; 12], &[0.0; 12], &[1.0, 2.0, 3.0, 4.0], 2, 2, &mut out, &mut saved);
        assert_close(&out, &[0.5, 1.0, 1.5, 2.0]);
        assert_close(&saved[6..], &[0.5, 0.5, 0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn gradients_pass_through_each_gate() {
        // d_n = 16 * 3/4 * 3/4 = 9; d_z = 16 * 9.5 * 3/16 = 28.5; d_r = 9 * 4 * 3/16 = 6.75
        let (mut d_input, mut d_gates, mut d_state) = ([0.0; 3], [0.0; 3], [1.0]);
        gru_gradient(
            &[1.0, 2.0, 4.0],
            &[10.0],
            &[0.75, 0.25, 0.5],
            &[16.0],
            1,
            1,
            &mut d_input,
            &mut d_gates,
            &mut d_state,
        );
        assert_close(&d_input, &[6.75, 28.5, 9.0]);
        assert_close(&d_gates, &[6.75, 28.5, 6.75]);
        assert_close(&d_state, &[5.0]);
    }
}
