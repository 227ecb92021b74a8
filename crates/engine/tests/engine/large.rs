//! Layers on some hundred rows and on many, which a GPU computes by other kernels than those on few.

use salsa_engine::device::Loss;
use salsa_engine::reference::Reference;
use salsa_engine::tape::{Linear, Tape};

use crate::conformance::devices;

/// Rows, inner sizes of a layer's parts, its columns, and what comes on top.
struct Layer {
    rows: usize,
    widths: &'static [usize],
    columns: usize,
    bias: bool,
    addend: bool,
    relu: bool,
}

/// No whole number of tiles, and more than 4096.
const SOME: usize = 441;
const MANY: usize = 4096 + 37;

const LAYERS: [Layer; 8] = [
    Layer { rows: MANY, widths: &[128], columns: 128, bias: true, addend: false, relu: true },
    Layer { rows: MANY, widths: &[384], columns: 384, bias: true, addend: false, relu: false },
    Layer { rows: MANY, widths: &[128, 32], columns: 384, bias: true, addend: true, relu: true },
    Layer { rows: MANY, widths: &[64], columns: 102, bias: false, addend: true, relu: false },
    Layer { rows: SOME, widths: &[384], columns: 384, bias: true, addend: true, relu: false },
    Layer { rows: SOME, widths: &[256], columns: 100, bias: false, addend: false, relu: true },
    // What tensor cores do not compute: inner sizes and columns that do not fit, few columns.
    Layer { rows: MANY, widths: &[33], columns: 128, bias: true, addend: true, relu: true },
    Layer { rows: MANY, widths: &[128, 128], columns: 31, bias: true, addend: false, relu: false },
];

/// Values from -0.2 to 1, as they are after an activation: their sums grow.
fn values(len: usize, start: u32) -> Vec<f32> {
    let number = |i: u32| (i ^ i >> 15).wrapping_mul(0x2c1b_3c6d) ^ start.wrapping_mul(0x9e37_79b9);
    let fraction = |i: u32| number(number(i)) as f32 / u32::MAX as f32;
    (0..len as u32).map(|i| 1.2 * fraction(i) - 0.2).collect()
}

/// What a layer is computed from.
struct Inputs {
    /// Input and weight of each part.
    parts: Vec<[Vec<f32>; 2]>,
    bias: Vec<f32>,
    addend: Vec<f32>,
}

fn run(tape: &mut Tape, layer: &Layer) -> (Vec<f32>, Inputs) {
    tape.set_recording(false);
    let &Layer { rows, widths, columns, .. } = layer;
    let matrices: Vec<[Vec<f32>; 2]> = (0..)
        .zip(widths)
        .map(|(i, &width)| [values(rows * width, i), values(columns * width, 10 + i)])
        .collect();
    let parts: Vec<_> = matrices
        .iter()
        .zip(widths)
        .map(|([x, weight], &width)| {
            (tape.constant(rows, width, x), tape.constant(columns, width, weight))
        })
        .collect();
    let (bias, addend) = (values(columns, 20), values(rows * columns, 21));
    let mut linear = Linear::new(&parts);
    if layer.bias {
        linear = linear.bias(tape.constant(columns, 1, &bias));
    }
    if layer.addend {
        linear = linear.add(tape.constant(rows, columns, &addend));
    }
    if layer.relu {
        linear = linear.relu();
    }
    let out = tape.linear(linear);
    (tape.read(out), Inputs { parts: matrices, bias, addend })
}

#[test]
fn layers_are_as_exact_as_single_precision() {
    for layer in &LAYERS {
        let &Layer { rows, widths, columns, bias, addend, relu } = layer;
        for (device, make) in devices() {
            let (found, inputs) = run(&mut make(), layer);
            assert_eq!(found.len(), rows * columns);
            // Every tile's corners and edges, and much between.
            for i in (0..found.len()).step_by(977).chain(found.len() - columns..found.len()) {
                let (row, column) = (i / columns, i % columns);
                let (mut sum, mut size) = (0.0, 0.0);
                let mut add = |term: f64| (sum, size) = (sum + term, size + term.abs());
                for ([x, weight], &width) in inputs.parts.iter().zip(widths) {
                    for k in 0..width {
                        let factors = (x[row * width + k], weight[column * width + k]);
                        add(f64::from(factors.0) * f64::from(factors.1));
                    }
                }
                if bias {
                    add(f64::from(inputs.bias[column]));
                }
                if addend {
                    add(f64::from(inputs.addend[i]));
                }
                let expected = if relu { f64::max(sum, 0.0) } else { sum };
                assert!(
                    (f64::from(found[i]) - expected).abs() <= 1e-6 * size,
                    "{device}, {rows} x {widths:?} -> {columns}, row {row}, column {column}: {}, not {expected}",
                    found[i],
                );
            }
        }
    }
}

/// Layers that could run side by side and such that need each other, in buffers that are used again.
#[test]
fn layers_wait_for_layers_whose_results_they_need() {
    let run = |mut tape: Tape| {
        tape.set_recording(false);
        let x = tape.constant(MANY, 128, &values(MANY * 128, 1));
        let weights: Vec<_> = (2..6)
            .map(|start| {
                let small: Vec<f32> =
                    values(128 * 128, start).iter().map(|w| 0.05 * (w - 0.4)).collect();
                tape.constant(128, 128, &small)
            })
            .collect();
        let mut state = x;
        for _ in 0..3 {
            let layer =
                |tape: &mut Tape, x, i: usize| tape.linear(Linear::new(&[(x, weights[i])]).relu());
            let (a, b) = (layer(&mut tape, state, 0), layer(&mut tape, state, 1));
            let c = tape.replaced(a, |tape, a| layer(tape, a, 2));
            let both = [(b, weights[3]), (c, weights[0])];
            let next = tape.linear(Linear::new(&both).add(state));
            [b, c].into_iter().for_each(|used| tape.release(used));
            state = tape.replaced(state, |_, _| next);
        }
        tape.read(state)
    };
    let expected = run(Tape::new(Reference));
    let largest = expected.iter().fold(0.0, |largest, x| f32::max(largest, x.abs()));
    for (device, make) in devices() {
        for (i, (found, expected)) in run(make()).iter().zip(&expected).enumerate() {
            assert!(
                (found - expected).abs() <= 3e-6 * largest,
                "{device}, {i}: {found}, not {expected}"
            );
        }
    }
}

/// The way back through two layers and an activation, whose gradients add up.
#[test]
fn gradients_of_layers_on_some_rows_are_those_of_the_reference() {
    let run = |mut tape: Tape| {
        let weight = |tape: &mut Tape, name, start| {
            let values: Vec<f32> =
                values(384 * 384, start).iter().map(|w| 0.1 * (w - 0.4)).collect();
            tape.parameter(name, 384, 384, &values)
        };
        let x = tape.parameter("x", SOME, 384, &values(SOME * 384, 1));
        let (first, second) = (weight(&mut tape, "first", 2), weight(&mut tape, "second", 3));
        tape.set_recording(true);
        let targets = tape.constant(SOME, 384, &values(SOME * 384, 4));
        let shares = tape.constant(SOME * 384, 1, &values(SOME * 384, 5));
        let inner = tape.linear(Linear::new(&[(x, first)]).relu());
        let out = tape.linear(Linear::new(&[(inner, second)]).add(x));
        let loss = tape.loss(Loss::Squared, out, targets, shares);
        tape.backward(loss);
        [x, first, second].map(|parameter| tape.gradient(parameter).unwrap())
    };
    let expected = run(Tape::new(Reference));
    for (device, make) in devices() {
        for (number, (found, expected)) in run(make()).iter().zip(&expected).enumerate() {
            let largest = expected.iter().fold(0.0, |largest, x| f64::max(largest, x.abs()));
            for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
                assert!(
                    (found - expected).abs() <= 3e-6 * largest,
                    "{device}, {number}, {i}: {found}, not {expected}"
                );
            }
        }
    }
}
