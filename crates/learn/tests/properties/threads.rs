//! The same bits on any number of threads.

use salsa_engine::cpu::Cpu;
use salsa_learn::batch::Batch;
use salsa_learn::training::step::{StepOptions, step};

use crate::cases::{self, Case};

/// The bits of everything that stays, after three steps.
fn after_three_steps(case: Case, n_threads: usize) -> Vec<u32> {
    let mut network = case.network(true, Box::new(Cpu::new(n_threads)));
    let options = StepOptions::new(&case.run(true));
    let batches = [[13, 16, 7], [16, 16, 4], [11, 13, 16]]
        .map(|n_nodes| Batch::new(&case.samples(&n_nodes), true).unwrap());
    for (batch, number) in batches.iter().zip(1..) {
        step(&mut network, batch, &options, number).unwrap();
    }
    let mut bits = Vec::new();
    for (index, kept) in network.tape.parameters().iter().enumerate() {
        let (first, second) = network.tape.moments(index).unwrap_or_default();
        let values = network.tape.read(kept.tensor);
        bits.extend([values, first, second].concat().iter().map(|value| value.to_bits()));
    }
    bits
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for case in cases::all() {
        let one = after_three_steps(case, 1);
        for n_threads in [2, 3] {
            let found = after_three_steps(case, n_threads);
            assert!(found == one, "{} on {n_threads} threads", case.name());
        }
    }
}

#[test]
fn large_layers_give_the_same_bits_too() {
    // Wide enough for every operator to be cut into tasks.
    for mut case in cases::benchmark() {
        case.hidden = 128;
        if ["bfs", "mis"].contains(&&*case.algorithm.spec().algorithm) {
            let one = after_three_steps(case, 1);
            assert!(after_three_steps(case, 3) == one, "{}", case.name());
        }
    }
}
