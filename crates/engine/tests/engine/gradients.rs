//! Gradients from the tape against central differences, in double precision.
//!
//! Inputs lie on a grid of 1/4096 and move by 2^-20, which single precision holds exactly; corners
//! of maxima and activations are either hit exactly, which the seeds avoid, or far away.

use salsa_engine::reference::Reference;
use salsa_engine::tape::Tape;

use crate::programs;
use crate::random::Grid;
use crate::stage::{Size, Stage};

const STEP: f32 = 1.0 / 1_048_576.0;

fn size(seed: u64) -> Size {
    Size {
        n_nodes: 4 + seed as usize % 2,
        n_edges: 5,
        bare: seed % 2 == 1,
        columns: 3,
        width: 2 + seed as usize % 3,
        grid: Grid::Fine,
        seed,
    }
}

#[test]
fn every_operator_has_the_gradient_of_its_value() {
    for program in programs::all() {
        for seed in 1..=3 {
            let mut stage = Stage::new(Tape::new(Reference), size(seed));
            let (_, loss) = stage.forward(&program);
            stage.tape.backward(loss);
            let parameters = stage.parameters();
            let gradients: Vec<_> = parameters
                .iter()
                .map(|(tensor, _)| stage.tape.gradient(*tensor).unwrap())
                .collect();
            assert!(!parameters.is_empty(), "{} has parameters", program.name);
            for ((tensor, values), gradient) in parameters.iter().zip(gradients) {
                for i in 0..values.len() {
                    let mut loss_at = |step: f32| {
                        let mut moved = values.clone();
                        moved[i] += step;
                        stage.tape.set(*tensor, &moved);
                        let (_, loss) = stage.forward(&program);
                        stage.tape.values(loss)[0]
                    };
                    let slope = (loss_at(STEP) - loss_at(-STEP)) / (2.0 * f64::from(STEP));
                    let error = (slope - gradient[i]).abs();
                    assert!(
                        error <= 1e-6 * (1.0 + slope.abs()),
                        "{}, seed {seed}, value {i} of {tensor:?}: {} is not {slope}",
                        program.name,
                        gradient[i],
                    );
                }
                stage.tape.set(*tensor, values);
            }
        }
    }
}

#[test]
fn every_program_uses_the_operator_it_is_listed_under() {
    for program in programs::all() {
        let mut stage = Stage::new(Tape::new(Reference), size(1));
        stage.forward(&program);
        let tape = format!("{:?}", stage.tape);
        assert!(tape.contains(&format!("{} {{", program.operation)), "{}", program.name);
    }
}

#[test]
fn every_operator_that_a_tape_remembers_has_a_program() {
    let source = include_str!("../../src/tape/operation.rs");
    let (_, rest) = source.split_once("enum Operation {").unwrap();
    let (variants, _) = rest.split_once("\n}").unwrap();
    let names: Vec<&str> =
        variants.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(" {")).collect();
    assert!(names.len() >= 20, "{names:?}");
    let programs = programs::all();
    for name in names {
        assert!(programs.iter().any(|program| program.operation == name), "{name} has no program");
    }
}
