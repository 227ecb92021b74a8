//! What a tape that does not record gives back early must not change what it computes.

use std::sync::Arc;

use salsa_engine::cpu::Cpu;
use salsa_engine::device::{Activation, Reduction, Unary};
use salsa_engine::graph::Edges;
use salsa_engine::reference::Reference;
use salsa_engine::tape::{GruCell, Linear, Messages, Tape, Tensor};

use crate::random::{Grid, Random};

/// More than fit in one block of entries.
const MANY: usize = 16_384 + 5_000;

const COLUMNS: usize = 6;

/// Entries in every row, and more in all together than in one block.
fn wide() -> Arc<Edges> {
    Random(5).graph(2_000, MANY / 2, true)
}

/// Node 0 has more entries than one block by itself.
fn star() -> Arc<Edges> {
    let leaves = 1..MANY as u32;
    let mut entries = vec![(0, 0)];
    entries.extend(leaves.flat_map(|leaf| [(0, leaf), (leaf, 0), (leaf, leaf)]));
    entries.sort_unstable();
    let (rows, neighbours) = entries.into_iter().unzip();
    Arc::new(Edges::new(MANY, rows, neighbours).unwrap())
}

/// Some layers of message passing, each in a scope.
fn layers(tape: &mut Tape, edges: &Arc<Edges>, reduction: Reduction, n_layers: usize) -> Tensor {
    let mut random = Random(9);
    let weight = random.values(Grid::Fine, COLUMNS * COLUMNS);
    let weight = tape.constant(COLUMNS, COLUMNS, &weight);
    let scale = random.values(Grid::Fine, COLUMNS);
    let scale = tape.constant(COLUMNS, 1, &scale);
    let weights = random.weights(edges.n_entries());
    let weights = tape.constant(edges.n_entries(), 1, &weights);
    let values = random.values(Grid::Fine, edges.n_nodes() * COLUMNS);
    let mut hidden = tape.constant(edges.n_nodes(), COLUMNS, &values);
    for _ in 0..n_layers {
        hidden = tape.scope(|tape| {
            let messages = Messages {
                target: Some(hidden),
                scaled: Some((weights, scale)),
                activation: Activation::Relu,
                ..Messages::from_source(hidden)
            };
            let sums = tape.aggregate(edges, reduction, messages, |tape, made| {
                let first = tape.linear(Linear::new(&[(made, weight)]).relu());
                tape.linear(Linear::new(&[(first, weight)]))
            });
            let squashed = tape.unary(Unary::Tanh, sums);
            tape.add(squashed, hidden)
        });
    }
    hidden
}

fn values(mut tape: Tape, recording: bool, edges: &Arc<Edges>, reduction: Reduction) -> Vec<f64> {
    tape.set_recording(recording);
    let result = layers(&mut tape, edges, reduction, 2);
    tape.values(result)
}

#[test]
fn blocks_of_entries_give_the_values_of_all_at_once() {
    for edges in [wide(), star()] {
        assert!(edges.n_entries() > MANY);
        for reduction in [Reduction::Max, Reduction::Sum, Reduction::Mean] {
            let cpu = |recording| values(Tape::new(Cpu::new(2)), recording, &edges, reduction);
            assert!(cpu(false) == cpu(true), "cpu, {reduction:?}");
        }
    }
    let edges = wide();
    let reference = |recording| values(Tape::new(Reference), recording, &edges, Reduction::Max);
    assert!(reference(false) == reference(true));
}

#[test]
fn a_layer_takes_one_more_buffer_for_its_result() {
    let edges = wide();
    let buffers = |recording: bool, n_layers: usize| {
        let mut tape = Tape::new(Cpu::new(2));
        tape.set_recording(recording);
        layers(&mut tape, &edges, Reduction::Max, n_layers);
        tape.allocations()
    };
    assert!(buffers(false, 2) < 20);
    assert_eq!(buffers(false, 20), buffers(false, 2) + 18);
    assert!(buffers(true, 20) > 100);
}

#[test]
fn more_blocks_take_no_more_buffers() {
    let buffers = |n_edges: usize| {
        let edges = Random(5).graph(2_000, n_edges, true);
        let mut tape = Tape::new(Cpu::new(2));
        layers(&mut tape, &edges, Reduction::Max, 1);
        tape.allocations()
    };
    // Blocks differ a little in their rows, so a few sizes of buffers are there.
    assert!(buffers(10 * MANY) <= buffers(2 * MANY) + 2);
}

#[test]
fn the_buffer_of_what_is_replaced_is_used_again_unless_the_tape_records() {
    let chain = |recording: bool| {
        let mut tape = Tape::new(Cpu::new(1));
        tape.set_recording(recording);
        let first = tape.constant(1, 64, &[2.0; 64]);
        let relu = |tape: &mut Tape, x| tape.unary(Unary::Relu, x);
        let last = (0..10).fold(first, |x, _| tape.replaced(x, relu));
        (tape.read(last), tape.allocations())
    };
    assert_eq!(chain(false), (vec![2.0; 64], 2));
    assert_eq!(chain(true), (vec![2.0; 64], 11));
}

#[test]
fn a_scope_leaves_its_result_and_what_was_there_before() {
    let mut tape = Tape::new(Cpu::new(1));
    let outer = tape.constant(1, 2, &[1.0, -2.0]);
    let result = tape.scope(|tape| {
        let inner = tape.scope(|tape| {
            let sum = tape.add(outer, outer);
            tape.add(sum, sum)
        });
        let cut = tape.unary(Unary::Relu, inner);
        tape.add(cut, outer);
        cut
    });
    assert_eq!((tape.read(result), tape.read(outer)), (vec![4.0, 0.0], vec![1.0, -2.0]));
    let same = tape.scope(|tape| {
        tape.add(outer, outer);
        outer
    });
    assert_eq!(same, outer);
    let after = tape.add(result, outer);
    assert_eq!(tape.read(after), [5.0, -2.0]);
}

#[test]
fn a_scope_keeps_what_gradients_need() {
    let mut tape = Tape::new(Cpu::new(1));
    let x = tape.parameter("x", 1, 1, &[3.0]);
    tape.set_recording(true);
    let cube = tape.scope(|tape| {
        let square = tape.binary(salsa_engine::device::Binary::Multiply, x, x);
        tape.binary(salsa_engine::device::Binary::Multiply, square, x)
    });
    tape.backward(cube);
    assert_eq!(tape.gradient(x), Some(vec![27.0]));
}

#[test]
fn a_gru_in_blocks_of_rows_gives_what_it_gives_at_once() {
    let rows = 8_192 + 700;
    let run = |recording: bool| {
        let mut tape = Tape::new(Cpu::new(2));
        tape.set_recording(recording);
        let mut random = Random(3);
        let mut constant = |rows: usize, columns: usize| {
            let values = random.values(Grid::Fine, rows * columns);
            tape.constant(rows, columns, &values)
        };
        let cell = GruCell {
            weight_ih: constant(3 * COLUMNS, 4),
            weight_hh: constant(3 * COLUMNS, COLUMNS),
            bias_ih: constant(3 * COLUMNS, 1),
            bias_hh: constant(3 * COLUMNS, 1),
        };
        let (x, state) = (constant(rows, 4), constant(rows, COLUMNS));
        let next = tape.gru(cell, x, state);
        tape.read(next)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn what_is_kept_outlives_its_scope() {
    for recording in [false, true] {
        let mut tape = Tape::new(Cpu::new(1));
        tape.set_recording(recording);
        let x = tape.constant(1, 2, &[1.0, -1.0]);
        let mut kept = tape.unary(Unary::Relu, x);
        let mut sums = Vec::new();
        for _ in 0..3 {
            let sum = tape.scope(|tape| {
                let next = tape.add(kept, x);
                let sum = tape.add(next, kept);
                kept = tape.kept_in(kept, next);
                sum
            });
            sums.push(tape.read(sum));
        }
        assert_eq!(sums, [[3.0, -1.0], [5.0, -3.0], [7.0, -5.0]]);
        assert_eq!(tape.read(kept), [4.0, -3.0]);
    }
}
