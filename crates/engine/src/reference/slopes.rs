//! Gradients against the slopes of their operators, measured by moving one input a little.
//!
//! Hand-computed cases check a formula at one point; these check that it is the derivative. What
//! only moves or sums values is left to the hand-computed cases.

use super::messages::tests::path;
use super::*;
use crate::buffer::Buffer;
use crate::device::{
    Activation, Binary, GruGradients, GruWeights, Loss, MessageTerms, Part, PartShape, Reduction,
    Unary,
};
use crate::graph::Segments;

/// Three rows, two columns, four inputs.
const SHAPE: PartShape = PartShape { rows: 3, columns: 2, width: 4, start: 0, stride: 4 };

/// `n` values between -1 and 1 without order, none near another or near 0.
fn uneven(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7 + seed * 13 + 3) as f64 * 2.399).sin()).collect()
}

/// Compares `gradient(x, dy)` with slopes of `forward` at `x`.
#[track_caller]
fn check(
    x: &[f64],
    forward: impl Fn(&[f64]) -> Vec<f64>,
    gradient: impl Fn(&[f64], &[f64]) -> Vec<f64>,
) {
    let dy = uneven(forward(x).len(), 99);
    let weighted = |x: &[f64]| forward(x).iter().zip(&dy).map(|(y, dy)| y * dy).sum::<f64>();
    let found = gradient(x, &dy);
    assert_eq!(found.len(), x.len());
    for i in 0..x.len() {
        let (mut above, mut below) = (x.to_vec(), x.to_vec());
        above[i] += 1e-5;
        below[i] -= 1e-5;
        let slope = (weighted(&above) - weighted(&below)) / 2e-5;
        assert!((found[i] - slope).abs() < 1e-7, "value {i}: {} but slope {slope}", found[i]);
    }
}

/// `len` values that `write` has written or added to zeros.
fn filled(len: usize, write: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut values = vec![0.0; len];
    write(&mut values);
    values
}

#[test]
fn linear_layers() {
    // 3 rows, 2 columns, 4 inputs
    let (x, weight) = (uneven(12, 1), uneven(8, 2));
    let forward = |x: &[f64], weight: &[f64]| {
        let (input, weight) = (Buffer::Double(x.to_vec()), Buffer::Double(weight.to_vec()));
        let parts = [Part {
            input: &input,
            weight: &weight,
            transposed: None,
            width: 4,
            start: 0,
            stride: 4,
        }];
        filled(6, |out| linear::linear(&parts, None, None, Activation::None, 3, 2, out))
    };
    check(
        &x,
        |x| forward(x, &weight),
        |_, dy| filled(12, |dx| linear::input_gradient(dy, &weight, SHAPE, dx)),
    );
    check(
        &weight,
        |weight| forward(&x, weight),
        |_, dy| filled(8, |dw| linear::weight_gradient(dy, &x, SHAPE, dw)),
    );
}

#[test]
fn messages_and_their_maximum() {
    let (edges, weights) = (path(), Buffer::Double(uneven(4, 2)));
    let (source, scale) = (uneven(6, 1), uneven(2, 3));
    let with_terms = |source: &[f64], scale: &[f64], run: &mut dyn FnMut(&MessageTerms<'_>)| {
        let (source, scale) = (Buffer::Double(source.to_vec()), Buffer::Double(scale.to_vec()));
        run(&MessageTerms {
            source: Some(&source),
            target: None,
            scaled: Some((&weights, &scale)),
            bias: None,
            activation: Activation::None,
        });
    };
    let all = |source: &[f64]| {
        let mut out = vec![0.0; 8];
        with_terms(source, &scale, &mut |terms| {
            messages::messages(&edges, 0..3, terms, 2, &mut out);
        });
        out
    };
    check(&source, all, |_, dy| filled(6, |dx| messages::source_gradient(&edges, dy, 2, dx)));
    let largest = |source: &[f64], scale: &[f64]| {
        let (mut out, mut origin) = (vec![0.0; 6], vec![0; 6]);
        with_terms(source, scale, &mut |terms| {
            gather_max::gather_max(&edges, terms, 2, &mut out, &mut origin);
        });
        (out, origin)
    };
    let (_, origin) = largest(&source, &scale);
    check(
        &source,
        |source| largest(source, &scale).0,
        |_, dy| filled(6, |dx| gather_max::source_gradient(&edges, dy, 2, &origin, dx)),
    );
    check(
        &scale,
        |scale| largest(&source, scale).0,
        |_, dy| filled(2, |dx| gather_max::scale_gradient(dy, weights.double(), 3, 2, &origin, dx)),
    );
}

#[test]
fn products_over_edges() {
    let (edges, source, target) = (path(), uneven(6, 1), uneven(6, 2));
    let forward = |source: &[f64], target: &[f64]| {
        filled(4, |out| edge_dot::edge_dot(&edges, source, target, 2, out))
    };
    let gradient = |dy: &[f64], other: &[f64], of_source| {
        filled(6, |dx| edge_dot::edge_dot_gradient(&edges, dy, other, of_source, 2, dx))
    };
    check(&source, |source| forward(source, &target), |_, dy| gradient(dy, &target, true));
    check(&target, |target| forward(&source, target), |_, dy| gradient(dy, &source, false));
}

#[test]
fn segments_and_log_probabilities() {
    let (x, every) = (uneven(12, 1), Segments::Every(3));
    for reduction in [Reduction::Max, Reduction::Sum, Reduction::Mean] {
        let forward = |x: &[f64], origin: &mut [u32]| {
            filled(4, |out| {
                segments::segment_reduce(reduction, x, &every, 6, 2, out, Some(origin));
            })
        };
        let mut origin = [0; 4];
        forward(&x, &mut origin);
        let gradient = |_: &[f64], dy: &[f64]| {
            filled(12, |dx| {
                let origin = Some(&origin[..]);
                segments::segment_reduce_gradient(reduction, dy, &every, 6, 2, origin, dx);
            })
        };
        check(&x, |x| forward(x, &mut [0; 4]), gradient);
    }
    let forward = |x: &[f64]| filled(12, |out| log_softmax::log_softmax(x, &every, 2, out));
    let gradient = |x: &[f64], dy: &[f64]| {
        filled(12, |dx| log_softmax::log_softmax_gradient(&forward(x), dy, &every, 2, dx))
    };
    check(&x, forward, gradient);
}

#[test]
fn norms() {
    // 4 rows, 3 columns; the values are x, then gain, then bias
    let layer = |all: &[f64]| {
        let (mut out, mut saved) = (vec![0.0; 12], vec![0.0; 8]);
        layer_norm::layer_norm(&all[..12], &all[12..15], &all[15..], 4, 3, &mut out, &mut saved);
        (out, saved)
    };
    check(
        &uneven(18, 1),
        |all| layer(all).0,
        |all, dy| {
            let (x, gain, saved) = (&all[..12], &all[12..15], layer(all).1);
            filled(18, |d| {
                let (dx, learned) = d.split_at_mut(12);
                let (dg, db) = learned.split_at_mut(3);
                layer_norm::layer_norm_gradient(x, gain, &saved, dy, 4, 3, Some(dx), dg, db);
            })
        },
    );
    for activation in [Activation::None, Activation::Relu] {
        let batch = |all: &[f64]| {
            let (x, gain, bias) = (&all[..12], &all[12..15], &all[15..]);
            let (mut y, mut saved, mut running) = (vec![0.0; 12], vec![0.0; 6], [[0.0; 3]; 2]);
            let [mean, variance] = &mut running;
            let running = (&mut mean[..], &mut variance[..]);
            batch_norm::batch_norm(x, gain, bias, running, activation, 4, 3, &mut y, &mut saved);
            (y, saved)
        };
        check(
            &uneven(18, 1),
            |all| batch(all).0,
            |all, dy| {
                let (x, gain, (y, saved)) = (&all[..12], &all[12..15], batch(all));
                filled(18, |d| {
                    let (dx, learned) = d.split_at_mut(12);
                    let (dg, db) = learned.split_at_mut(3);
                    let dx = Some(dx);
                    batch_norm::batch_norm_gradient(
                        x, &y, gain, &saved, activation, dy, 4, 3, dx, dg, db,
                    );
                })
            },
        );
    }
}

#[test]
fn recurrent_units() {
    // 2 rows, 2 columns, 3 inputs; the values are x, the state, both weights and both biases
    let lengths = [6, 4, 18, 12, 6, 6];
    let split = |all: &[f64]| {
        let mut rest = all;
        lengths.map(|len| {
            let (first, others) = rest.split_at(len);
            rest = others;
            Buffer::Double(first.to_vec())
        })
    };
    fn weights(buffers: &[Buffer; 6]) -> GruWeights<'_> {
        let [x, state, weight_ih, weight_hh, bias_ih, bias_hh] = buffers;
        let part = |input, weight, width| Part {
            input,
            weight,
            transposed: None,
            width,
            start: 0,
            stride: width,
        };
        GruWeights {
            input: part(x, weight_ih, 3),
            state: part(state, weight_hh, 2),
            biases: [bias_ih, bias_hh],
        }
    }
    let forward = |all: &[f64]| {
        let (mut out, mut saved) = (vec![0.0; 4], vec![0.0; 16]);
        gru::gru(&weights(&split(all)), 0..2, 2, &mut out, &mut saved);
        (out, saved)
    };
    let gradient = |all: &[f64], dy: &[f64]| {
        let saved = forward(all).1;
        let mut gradients = lengths.map(|len| Buffer::Double(vec![0.0; len]));
        let to = gradients.each_mut().map(|buffer| Some(Gradient { buffer, add: false }));
        let [dx, dh, dw, du, db, dc] = to;
        let to = GruGradients { inputs: [dx, dh], weights: [dw, du], biases: [db, dc] };
        gru::gru_gradient(&weights(&split(all)), &saved, dy, 2, 2, &mut [0.0; 16], to);
        gradients.iter().flat_map(|buffer| buffer.double().to_vec()).collect()
    };
    check(&uneven(52, 1), |all| forward(all).0, gradient);
}

#[test]
fn functions_and_losses() {
    let (x, b, weights) = (uneven(6, 1), uneven(6, 2), uneven(6, 3));
    for function in [Unary::Relu, Unary::Sigmoid, Unary::Tanh] {
        let forward = |x: &[f64]| filled(6, |out| elementwise::unary(function, x, out));
        let gradient = |x: &[f64], dy: &[f64]| {
            filled(6, |dx| elementwise::unary_gradient(function, &forward(x), dy, dx))
        };
        check(&x, forward, gradient);
    }
    for function in [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Max] {
        let forward =
            |a: &[f64], b: &[f64]| filled(6, |out| elementwise::binary(function, a, b, out));
        let gradient = |a: &[f64], b: &[f64], dy: &[f64], of_a| {
            filled(6, |dx| elementwise::binary_gradient(function, a, b, dy, of_a, dx))
        };
        check(&x, |a| forward(a, &b), |a, dy| gradient(a, &b, dy, true));
        check(&b, |b| forward(&x, b), |b, dy| gradient(&x, b, dy, false));
    }
    for loss in [Loss::Binary, Loss::Squared] {
        let forward = |x: &[f64]| filled(1, |out| losses::loss(loss, x, &b, &weights, out));
        let gradient = |x: &[f64], dy: &[f64]| {
            filled(6, |dx| losses::loss_gradient(loss, x, &b, &weights, dy, dx))
        };
        check(&x, forward, gradient);
    }
    let targets = [1, 5, u32::MAX, 1];
    check(
        &x,
        |x| filled(1, |out| losses::picked(x, &targets, &weights, out)),
        |_, dy| filled(6, |dx| losses::picked_gradient(&targets, &weights, dy, dx)),
    );
    let norm = |x: &[f64]| {
        let mut saved = [0.0; 3];
        (filled(1, |out| losses::mean_norm(x, 3, 2, out, &mut saved)), saved)
    };
    check(
        &x,
        |x| norm(x).0,
        |x, dy| filled(6, |dx| losses::mean_norm_gradient(x, &norm(x).1, dy, 3, 2, dx)),
    );
}
