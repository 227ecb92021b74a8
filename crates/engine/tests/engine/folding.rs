//! A batch norm by its running statistics and the layer before it, as one layer.

use salsa_engine::device::Activation;
use salsa_engine::tape::{Linear, Tape};

use crate::conformance::devices;

/// Values from -1 to 1 that do not repeat soon.
fn values(len: usize, start: f32) -> Vec<f32> {
    (0..len).map(|i| (start + 2.3 * i as f32).sin()).collect()
}

/// The layer and then the norm, and the folded layer.
fn both(tape: &mut Tape, rows: usize, inputs: usize, columns: usize) -> [Vec<f32>; 2] {
    let x = tape.parameter("x", rows, inputs, &values(rows * inputs, 0.1));
    let weight = tape.parameter("weight", columns, inputs, &values(columns * inputs, 0.2));
    let learned = ["bias", "gain", "shift"];
    let [bias, gain, shift] =
        learned.map(|name| tape.parameter(name, columns, 1, &values(columns, name.len() as f32)));
    let mean = tape.statistic("mean", columns, 1, &values(columns, 0.7));
    let variance: Vec<f32> = values(columns, 0.8).iter().map(|x| 0.01 + x * x).collect();
    let variance = tape.statistic("variance", columns, 1, &variance);
    tape.set_recording(false);
    let layer = tape.linear(Linear::new(&[(x, weight)]).bias(bias));
    let expected = tape.batch_norm(layer, (gain, shift), (mean, variance), Activation::None);
    let (weight, bias) = tape.folded_batch_norm((weight, bias), (gain, shift), (mean, variance));
    let found = tape.linear(Linear::new(&[(x, weight)]).bias(bias));
    [expected, found].map(|tensor| tape.read(tensor))
}

#[test]
fn a_folded_norm_gives_what_layer_and_norm_give() {
    for (rows, inputs, columns) in [(1, 1, 1), (5, 7, 3), (40, 16, 128), (9, 130, 17)] {
        for (device, make) in devices() {
            let [expected, found] = both(&mut make(), rows, inputs, columns);
            for (expected, found) in expected.iter().zip(&found) {
                let off = (expected - found).abs() / (1.0 + expected.abs());
                assert!(
                    off <= 1e-4,
                    "{device}, {rows} x {inputs} -> {columns}: {found}, not {expected}"
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "running statistics")]
fn a_norm_is_not_folded_where_it_is_learned() {
    let (_, make) = devices()[0];
    let mut tape = make();
    tape.set_recording(true);
    let [weight, a, b, c, d] = [0; 5].map(|_| tape.constant(1, 1, &[1.0]));
    tape.folded_batch_norm((weight, a), (a, b), (c, d));
}
