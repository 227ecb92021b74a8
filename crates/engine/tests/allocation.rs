//! A training step takes no memory from the system once a few were done.
//!
//! The allocator is the whole binary's, so this test is one of its own.
#![expect(unsafe_code, reason = "an allocator that counts")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use salsa_engine::buffer::Indices;
use salsa_engine::cpu::Cpu;
use salsa_engine::device::{Activation, Loss, Reduction, Unary};
use salsa_engine::graph::{Edges, Segments};
use salsa_engine::optimiser::AdamW;
use salsa_engine::tape::{GruCell, Linear, Messages, Tape, Tensor};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(at, layout) };
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const N_NODES: usize = 300;
const HIDDEN: usize = 64;

/// A little of everything.
struct Model {
    /// Weights [hidden, hidden].
    square: [Tensor; 4],
    gru: GruCell,
    /// Gains and biases.
    columns: [Tensor; 5],
    epsilon: Tensor,
    running: (Tensor, Tensor),
}

/// What a step is given: on the tape until it is cleared.
struct Batch {
    inputs: Tensor,
    state: Tensor,
    entry_weights: Tensor,
    node_weights: Tensor,
    hidden_weights: Tensor,
    edges: Arc<Edges>,
    graphs: Segments,
    targets: Arc<Indices>,
}

fn wave(i: usize) -> f32 {
    (i as f32 * 0.7).sin() * 0.2
}

impl Model {
    fn new(tape: &mut Tape) -> Self {
        let mut at = 0;
        let mut parameter = |rows: usize, columns: usize| {
            at += 1;
            let values: Vec<f32> = (0..rows * columns).map(|i| wave(i + 31 * at)).collect();
            tape.parameter(&at.to_string(), rows, columns, &values)
        };
        let square = [0; 4].map(|_| parameter(HIDDEN, HIDDEN));
        let gru = GruCell {
            weight_ih: parameter(3 * HIDDEN, HIDDEN),
            weight_hh: parameter(3 * HIDDEN, HIDDEN),
            bias_ih: parameter(3 * HIDDEN, 1),
            bias_hh: parameter(3 * HIDDEN, 1),
        };
        let columns = [0; 5].map(|_| parameter(HIDDEN, 1));
        let epsilon = parameter(1, 1);
        let mut statistic = |name| tape.statistic(name, HIDDEN, 1, &[1.0; HIDDEN]);
        Self { square, gru, columns, epsilon, running: (statistic("mean"), statistic("variance")) }
    }

    fn loss(&self, tape: &mut Tape, batch: &Batch) -> Tensor {
        let [a, b, c, d] = self.square;
        let [gain, bias, other_gain, other_bias, scale] = self.columns;
        let mut state = batch.state;
        for _ in 0..3 {
            let source = tape.linear(Linear::new(&[(batch.inputs, a), (state, b)]));
            let target = tape.linear(Linear::new(&[(state, c)]).bias(bias));
            let messages = Messages {
                source: Some(source),
                target: Some(target),
                scaled: Some((batch.entry_weights, scale)),
                bias: None,
                activation: Activation::Relu,
            };
            let sent = tape.aggregate(&batch.edges, Reduction::Max, messages, |tape, made| {
                tape.linear(Linear::new(&[(made, d)]).relu())
            });
            let gathered = tape.gather_max(&batch.edges, Messages::from_source(source));
            let sum = tape.scaled_sum(self.epsilon, sent, gathered);
            let normal = tape.layer_norm(sum, gain, bias);
            let learned = (other_gain, other_bias);
            let normal = tape.batch_norm(normal, learned, self.running, Activation::Relu);
            let next = tape.gru(self.gru, normal, state);
            let half = N_NODES / 2;
            state = tape.stack_rows([(next, 0..half), (state, half..N_NODES)]);
        }
        let squashed = tape.unary(Unary::Tanh, state);
        let logits = tape.edge_dot(&batch.edges, state, squashed);
        let rows = Segments::Rows(Arc::clone(&batch.edges));
        let log_probabilities = tape.log_softmax(logits, &rows);
        let mut loss = tape.picked(log_probabilities, &batch.targets, batch.node_weights);
        let graphs = tape.segment_reduce(Reduction::Max, state, &batch.graphs);
        let norm = tape.mean_norm(graphs);
        loss = tape.add_scaled(loss, 0.1, norm);
        let error = tape.loss(Loss::Squared, squashed, state, batch.hidden_weights);
        tape.add(loss, error)
    }
}

impl Batch {
    fn new(tape: &mut Tape, edges: &Arc<Edges>) -> Self {
        let mut constant = |rows: usize, columns: usize| {
            let values: Vec<f32> = (0..rows * columns).map(wave).collect();
            tape.constant(rows, columns, &values)
        };
        let inputs = constant(N_NODES, HIDDEN);
        let state = constant(N_NODES, HIDDEN);
        let entry_weights = constant(edges.n_entries(), 1);
        let node_weights = constant(N_NODES, 1);
        let hidden_weights = constant(N_NODES, HIDDEN);
        let third = N_NODES as u32 / 3;
        let offsets = Arc::new(Indices::new(vec![0, third, 2 * third, N_NODES as u32]));
        Self {
            inputs,
            state,
            entry_weights,
            node_weights,
            hidden_weights,
            edges: Arc::clone(edges),
            graphs: Segments::Offsets(offsets),
            targets: Arc::new((0..N_NODES as u32).map(|u| u * 2).collect()),
        }
    }
}

/// A ring with loops: three entries in each row.
fn ring() -> Arc<Edges> {
    let n = N_NODES as u32;
    let mut entries: Vec<(u32, u32)> =
        (0..n).flat_map(|u| [(u, u), (u, (u + 1) % n), ((u + 1) % n, u)]).collect();
    entries.sort_unstable();
    let (rows, neighbours) = entries.into_iter().unzip();
    Arc::new(Edges::new(N_NODES, rows, neighbours).unwrap())
}

#[test]
fn a_training_step_allocates_nothing() {
    let edges = ring();
    let mut tape = Tape::new(Cpu::new(2));
    let model = Model::new(&mut tape);
    tape.set_recording(true);
    for step in 1..=8 {
        let batch = Batch::new(&mut tape, &edges);
        let before = COUNT.load(Ordering::Relaxed);
        let loss = model.loss(&mut tape, &batch);
        let value = tape.scalar(loss);
        tape.backward(loss);
        let clipping = AdamW::default().update(&mut tape, step, loss);
        let allocated = COUNT.load(Ordering::Relaxed) - before;
        assert!(value.is_finite() && tape.values(clipping)[0] > 0.0);
        let before = COUNT.load(Ordering::Relaxed);
        tape.clear();
        let allocated = allocated + COUNT.load(Ordering::Relaxed) - before;
        assert!(step <= 3 || allocated == 0, "step {step} allocated {allocated} times");
    }
}
