//! Gradients of layers that are summed when everything is undone must be those that are added up.

use std::sync::Arc;

use salsa_engine::cpu::Cpu;
use salsa_engine::device::Activation;
use salsa_engine::graph::Edges;
use salsa_engine::reference::Reference;
use salsa_engine::tape::{GruCell, Linear, Messages, Tape, Tensor};

use crate::conformance::{has_gpu, on_gpu};
use crate::random::{Grid, Random};

/// Columns of states, so many that gradients are worth waiting for; the weight's rows are more than
/// one tile and no multiple of it.
const COLUMNS: usize = 44;

struct Rollout {
    edges: Arc<Edges>,
    steps: usize,
}

impl Rollout {
    fn new(n_nodes: usize, steps: usize) -> Self {
        Self { edges: Random(5).graph(n_nodes, 2 * n_nodes, false), steps }
    }

    /// The gradients of all parameters after two runs, which add up.
    fn gradients(&self, mut tape: Tape, deferred: bool) -> Vec<(String, Vec<f64>)> {
        tape.set_deferred(deferred);
        tape.set_recording(true);
        let mut random = Random(9);
        let mut parameter = |name: &str, rows, columns| {
            // Small, so that many steps do not blow up what is rounding.
            let values = random.values(Grid::Fine, rows * columns);
            let values: Vec<f32> = values.into_iter().map(|value| value / 8.0).collect();
            tape.parameter(name, rows, columns, &values)
        };
        let both = parameter("both", 3 * COLUMNS, 3 * COLUMNS + 1);
        let bias = parameter("bias", 3 * COLUMNS, 1);
        let scale = parameter("scale", 3 * COLUMNS, 1);
        let to_state = parameter("to_state", COLUMNS, 3 * COLUMNS);
        let maximum = parameter("maximum", COLUMNS, COLUMNS);
        let of_maximum = parameter("of_maximum", COLUMNS, 1);
        let cell = GruCell {
            weight_ih: parameter("weight_ih", 3 * COLUMNS, COLUMNS),
            weight_hh: parameter("weight_hh", 3 * COLUMNS, COLUMNS),
            bias_ih: parameter("bias_ih", 3 * COLUMNS, 1),
            bias_hh: parameter("bias_hh", 3 * COLUMNS, 1),
        };
        let (n_nodes, n_entries) = (self.edges.n_nodes(), self.edges.n_entries());
        for run in 0..2 {
            tape.clear();
            let mut random = Random(11 + run);
            let mut constant = |tape: &mut Tape, rows, columns| {
                let values = random.values(Grid::Even, rows * columns);
                tape.constant(rows, columns, &values)
            };
            let mut state = constant(&mut tape, n_nodes, COLUMNS);
            let encoding = constant(&mut tape, n_nodes, COLUMNS);
            let weights = constant(&mut tape, n_entries, 1);
            let (targets, shares) =
                (constant(&mut tape, n_nodes, COLUMNS), constant(&mut tape, n_nodes * COLUMNS, 1));
            // A weight that is computed itself.
            let computed = tape.sum_of_columns(both, &[COLUMNS, 2 * COLUMNS + 1], COLUMNS);
            for _ in 0..self.steps {
                state = self.step(
                    &mut tape,
                    [state, encoding, weights],
                    &Layers { both, computed, bias, scale, to_state, maximum, of_maximum, cell },
                );
            }
            let loss = tape.loss(salsa_engine::device::Loss::Squared, state, targets, shares);
            tape.backward(loss);
        }
        let parameters: Vec<_> =
            tape.parameters().iter().map(|it| (it.name.clone(), it.tensor)).collect();
        parameters
            .into_iter()
            .map(|(name, tensor)| (name, tape.gradient(tensor).unwrap()))
            .collect()
    }

    fn step(&self, tape: &mut Tape, inputs: [Tensor; 3], layers: &Layers) -> Tensor {
        let [state, encoding, weights] = inputs;
        let Layers { both, computed, bias, scale, to_state, maximum, of_maximum, cell } = *layers;
        let parts = [(encoding, both), (state, both)];
        let source = tape.linear(Linear::new(&parts).bias(bias));
        let target = tape.linear(Linear::new(&[(state, computed)]));
        let messages = Messages {
            target: Some(target),
            scaled: Some((weights, scale)),
            bias: Some(bias),
            activation: Activation::Relu,
            ..Messages::from_source(source)
        };
        let made = tape.messages(&self.edges, messages);
        let narrow = tape.linear(Linear::new(&[(made, to_state)]).relu());
        let greatest = tape.linear_max(&self.edges, narrow, maximum, of_maximum);
        tape.gru(cell, greatest, state)
    }
}

#[derive(Clone, Copy)]
struct Layers {
    both: Tensor,
    computed: Tensor,
    bias: Tensor,
    scale: Tensor,
    to_state: Tensor,
    maximum: Tensor,
    of_maximum: Tensor,
    cell: GruCell,
}

fn assert_close(
    found: &[(String, Vec<f64>)],
    expected: &[(String, Vec<f64>)],
    tolerance: f64,
    case: &str,
) {
    for ((name, found), (_, expected)) in found.iter().zip(expected) {
        let norm =
            |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let error = norm(&mut found.iter().zip(expected).map(|(a, b)| a - b));
        let size = norm(&mut expected.iter().copied());
        assert!(
            size > 0.0 && error <= tolerance * size,
            "{case}: {name} is off by {error} of {size}"
        );
    }
}

#[test]
fn sums_at_the_end_are_those_that_are_added_up() {
    // One use of a layer, and more than fit into a chunk of a GPU.
    for (n_nodes, steps) in [(20, 1), (20, 5), (16, 70), (150, 4)] {
        let rollout = Rollout::new(n_nodes, steps);
        let expected = rollout.gradients(Tape::new(Reference), false);
        let found = rollout.gradients(Tape::new(Reference), true);
        let case = format!("{n_nodes} nodes, {steps} steps");
        assert_close(&found, &expected, 1e-12, &case);
        let tapes: &[fn() -> Tape] = match has_gpu() {
            true => &[on_gpu],
            false => &[|| Tape::new(Cpu::new(1)), || Tape::new(Cpu::new(2))],
        };
        for tape in tapes {
            for deferred in [true, false] {
                assert_close(&rollout.gradients(tape(), deferred), &expected, 3e-5, &case);
            }
        }
    }
}

#[test]
fn sums_of_so_many_tiles_that_they_are_launched_alone_are_right() {
    // More than a small part of a GPU has in a program.
    let (rows, columns) = (16, 1100);
    let gradients = |mut tape: Tape| {
        tape.set_deferred(true);
        tape.set_recording(true);
        let mut random = Random(3);
        let mut values = |len| -> Vec<f32> {
            random.values(Grid::Fine, len).into_iter().map(|value| value / 32.0).collect()
        };
        let weight = tape.parameter("weight", columns, columns, &values(columns * columns));
        let bias = tape.parameter("bias", columns, 1, &values(columns));
        let mut state = tape.constant(rows, columns, &values(rows * columns));
        for _ in 0..3 {
            state = tape.linear(Linear::new(&[(state, weight)]).bias(bias));
        }
        let len = rows * columns;
        let targets = tape.constant(rows, columns, &values(len));
        let shares = tape.constant(len, 1, &values(len));
        let loss = tape.loss(salsa_engine::device::Loss::Squared, state, targets, shares);
        tape.backward(loss);
        let named = [("weight", weight), ("bias", bias)];
        named.map(|(name, tensor)| (name.to_owned(), tape.gradient(tensor).unwrap()))
    };
    let expected = gradients(Tape::new(Reference));
    let tape = if has_gpu() { on_gpu() } else { Tape::new(Cpu::new(2)) };
    assert_close(&gradients(tape), &expected, 3e-5, "many tiles");
}

#[test]
fn sums_at_the_end_are_the_same_every_time() {
    let rollout = Rollout::new(40, 6);
    let tape = || if has_gpu() { on_gpu() } else { Tape::new(Cpu::new(2)) };
    assert_eq!(rollout.gradients(tape(), true), rollout.gradients(tape(), true));
}
