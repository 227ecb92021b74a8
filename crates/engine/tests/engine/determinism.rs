//! The same bits for any number of threads and any part of a GPU, and again on a tape whose buffers were used before.

use salsa_engine::cpu::Cpu;
use salsa_engine::cuda::{self, CudaOptions};
use salsa_engine::tape::Tape;

use crate::conformance::{has_gpu, on_gpu};
use crate::programs;
use crate::random::Grid;
use crate::stage::{Outcome, Size, Stage};

/// Large enough that every operator that is shared out is cut into several tasks.
const SIZE: Size = Size {
    n_nodes: 700,
    n_edges: 900,
    bare: true,
    columns: 70,
    width: 33,
    grid: Grid::Fine,
    seed: 3,
};

fn bits(outcome: &Outcome) -> Vec<(&str, Vec<u64>)> {
    let bits = |values: &Vec<f64>| values.iter().map(|x| x.to_bits()).collect();
    outcome.tensors.iter().map(|(name, values)| (name.as_str(), bits(values))).collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for program in programs::all() {
        let step = |threads: usize| Stage::new(Tape::new(Cpu::new(threads)), SIZE).step(&program);
        let alone = step(1);
        for threads in [2, 3, 8] {
            assert!(bits(&step(threads)) == bits(&alone), "{}, {threads} threads", program.name);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_part_of_a_gpu() {
    if !has_gpu() {
        return;
    }
    let options = CudaOptions { sharing: 5, ..CudaOptions::default() };
    let device = || cuda::open(options).expect("there is a GPU");
    // So many rows that a small part of a GPU has larger tiles than a whole one.
    let size = Size { columns: 128, width: 128, ..SIZE };
    for program in programs::all() {
        let step = |n_others: usize| {
            let _others: Vec<_> = (0..n_others).map(|_| device()).collect();
            Stage::new(Tape::on(device()), size).step(&program)
        };
        assert!(bits(&step(0)) == bits(&step(4)), "{}", program.name);
    }
}

#[test]
fn a_second_run_on_the_same_tape_gives_the_same_bits() {
    let make = if has_gpu() { on_gpu } else { || Tape::new(Cpu::new(2)) };
    for program in programs::all() {
        for size in [SIZE, Size { n_nodes: 9, n_edges: 9, columns: 5, ..SIZE }] {
            let mut stage = Stage::new(make(), size);
            let first = stage.step_anew(&program);
            // On a GPU some buffers rest, until then each step takes one more.
            let settles = (0..6).any(|_| {
                let allocations = stage.tape.allocations();
                stage.step_anew(&program);
                stage.tape.allocations() == allocations
            });
            assert!(settles, "{} takes new buffers", program.name);
            let second = stage.step_anew(&program);
            assert!(bits(&first) == bits(&second), "{}", program.name);
            stage.poison();
            let third = stage.step_anew(&program);
            assert!(bits(&first) == bits(&third), "{} reads an old buffer", program.name);
        }
    }
}

#[test]
fn results_do_not_depend_on_where_programs_end() {
    if !has_gpu() {
        return;
    }
    // Some operators are one where they are in one program; it may end at the 64th operator.
    let size = Size { n_nodes: 40, n_edges: 60, columns: 128, width: 128, ..SIZE };
    for program in programs::all() {
        if !["BatchNorm", "Gru"].contains(&program.operation) {
            continue;
        }
        let step = |others: usize| Stage::new(on_gpu(), size).step_behind(others, &program);
        let alone = step(0);
        for others in 44..64 {
            assert!(bits(&step(others)) == bits(&alone), "{}, {others} before", program.name);
        }
    }
}
