//! Where a function has a corner, every device must choose the same side.

use std::sync::Arc;

use salsa_engine::device::{Activation, Binary, Reduction, Unary};
use salsa_engine::graph::Segments;
use salsa_engine::reference::Reference;
use salsa_engine::tape::{Linear, Messages, Tape, Tensor};

use crate::conformance::{Make, devices};
use crate::random::Random;

/// On the reference and all devices: the gradients of parameters, given as columns, when the
/// result's values count 1, 2, 3, ...
fn gradients(
    parameters: &[&[f32]],
    result: impl Fn(&mut Tape, &[Tensor]) -> Tensor,
) -> Vec<Vec<f64>> {
    let reference: (&str, Make) = ("reference", || Tape::new(Reference));
    let mut all = Vec::new();
    for (name, make) in std::iter::once(reference).chain(devices().iter().copied()) {
        let mut tape = make();
        tape.set_recording(true);
        let tensors: Vec<Tensor> = parameters
            .iter()
            .enumerate()
            .map(|(i, values)| tape.parameter(&i.to_string(), values.len(), 1, values))
            .collect();
        let y = result(&mut tape, &tensors);
        let n = tape.rows(y);
        let places = Arc::new((0..n as u32).collect());
        let weights: Vec<f32> = (1..=n).map(|i| -(i as f32)).collect();
        let weights = tape.constant(n, 1, &weights);
        let loss = tape.picked(y, &places, weights);
        tape.backward(loss);
        let gradients = tensors.iter().map(|&tensor| tape.gradient(tensor).unwrap()).collect();
        all.push((name, gradients));
    }
    let (_, expected): (_, Vec<Vec<f64>>) = all.remove(0);
    all.into_iter().for_each(|(name, found)| assert_eq!(found, expected, "{name}"));
    expected
}

#[test]
fn the_first_of_equal_rows_of_a_segment_gets_the_gradient() {
    let found = gradients(&[&[2.0, 2.0, -1.0, 3.0, 1.0, 3.0]], |tape, x| {
        tape.segment_reduce(Reduction::Max, x[0], &Segments::Every(3))
    });
    assert_eq!(found, [[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]]);
}

#[test]
fn the_first_of_equal_entries_gets_the_gradient() {
    // 0 - 1 - 2, with loops: every node sees itself and its neighbours.
    let entries = (vec![0, 0, 1, 1, 1, 2, 2], vec![0, 1, 0, 1, 2, 1, 2]);
    let edges = salsa_engine::graph::Edges::new(3, entries.0, entries.1).unwrap();
    let edges = std::sync::Arc::new(edges);
    let found = gradients(&[&[5.0, 5.0, 5.0]], |tape, x| {
        tape.gather_max(&edges, Messages::from_source(x[0]))
    });
    assert_eq!(found, [[3.0, 3.0, 0.0]]);
}

#[test]
fn messages_that_are_all_cut_off_send_no_gradient_back() {
    let edges = Random(1).graph(4, 5, false);
    let found = gradients(&[&[-1.0, -2.0, -3.0, 0.0]], |tape, x| {
        let messages = Messages { activation: Activation::Relu, ..Messages::from_source(x[0]) };
        tape.gather_max(&edges, messages)
    });
    assert_eq!(found, [[0.0; 4]]);
}

#[test]
fn the_first_of_two_equal_values_gets_the_gradient() {
    let found = gradients(&[&[1.0, 0.0, 2.0], &[1.0, 3.0, 0.0]], |tape, x| {
        tape.binary(Binary::Max, x[0], x[1])
    });
    assert_eq!(found, [[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]]);
}

#[test]
fn nothing_goes_back_through_zero() {
    let found = gradients(&[&[0.0, -0.0, 1.0, -1.0]], |tape, x| tape.unary(Unary::Relu, x[0]));
    assert_eq!(found, [[0.0, 0.0, 3.0, 0.0]]);
    let found = gradients(&[&[0.0, -0.0, 1.0, -1.0], &[1.0]], |tape, x| {
        tape.linear(Linear::new(&[(x[0], x[1])]).relu())
    });
    assert_eq!(found, [vec![0.0, 0.0, 3.0, 0.0], vec![3.0]]);
}

#[test]
fn a_row_of_zeros_has_a_norm_without_a_gradient() {
    let found = gradients(&[&[0.0, 4.0]], |tape, x| tape.mean_norm(x[0]));
    assert_eq!(found, [[0.0, 0.5]]);
}
