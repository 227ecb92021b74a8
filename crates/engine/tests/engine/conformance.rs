//! Every device against the reference, on every program, there and back.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use salsa_engine::cpu::Cpu;
use salsa_engine::cuda::{self, CudaOptions};
use salsa_engine::optimiser::AdamW;
use salsa_engine::reference::Reference;
use salsa_engine::tape::Tape;

use crate::programs::{self, Program};
use crate::random::Grid;
use crate::stage::{Outcome, Size, Stage};

/// An empty tape on one device.
pub type Make = fn() -> Tape;

/// The devices that have to agree with the reference.
const DEVICES: &[(&str, Make)] = &[
    ("cpu, 1 thread", || Tape::new(Cpu::new(1))),
    ("cpu, 2 threads", || Tape::new(Cpu::new(2))),
    ("cpu, 3 threads", || Tape::new(Cpu::new(3))),
];

/// What `SALSA_TEST_CUDA=1` asks for, on machines with a GPU: it alone, the others are tested
/// everywhere.
const GPU: &[(&str, Make)] = &[("cuda", on_gpu)];

/// An empty tape on the first GPU.
pub fn on_gpu() -> Tape {
    Tape::on(cuda::open(CudaOptions::default()).expect("a GPU, as SALSA_TEST_CUDA says"))
}

/// Whether there is a GPU to test.
pub fn has_gpu() -> bool {
    std::env::var_os("SALSA_TEST_CUDA").is_some_and(|value| value == "1")
}

/// Those to test here.
pub fn devices() -> &'static [(&'static str, Make)] {
    if has_gpu() { GPU } else { DEVICES }
}

/// Of the reference's norm: a few roundings of single precision, and sums over some thousand rows.
const TOLERANCE: f64 = 3e-5;

/// Few values that are nearly the same are normalised by what little they differ in, and their
/// gradient is what is left of large numbers that cancel. So are sums of what passed through a norm or
/// comes from it, such as a gain's gradient where only maxima have one.
fn tolerance(program: &Program, size: Size) -> f64 {
    let joined = ["messages", "maxima", "normed"].iter().any(|with| program.name.contains(with));
    match program.operation {
        "BatchNorm" if size.n_nodes < 8 => 100.0 * TOLERANCE,
        "BatchNorm" | "Gru" if joined && size.columns < 8 => 100.0 * TOLERANCE,
        "BatchNorm" if joined => 10.0 * TOLERANCE,
        _ => TOLERANCE,
    }
}

fn assert_close(found: &Outcome, expected: &Outcome, case: &str, tolerance: f64) {
    assert_eq!(found.tensors.len(), expected.tensors.len(), "{case}");
    for ((name, found), (_, expected)) in found.tensors.iter().zip(&expected.tensors) {
        assert_eq!(found.len(), expected.len(), "{case}: {name}");
        let norm =
            |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
        let error = norm(&mut found.iter().zip(expected).map(|(a, b)| a - b));
        // Of what is left of values of size one that cancel, their rounding is known.
        let size = norm(&mut expected.iter().copied()) + 0.1 * (expected.len() as f64).sqrt();
        // Written so that a NaN fails.
        assert!(error <= tolerance * size, "{case}: {name} is off by {error} of {size}");
    }
}

/// Two steps, whose gradients add up, and one that does not record.
fn runs(tape: Tape, program: &Program, size: Size) -> [Outcome; 3] {
    let mut stage = Stage::new(tape, size);
    let first = stage.step(program);
    if size.n_nodes * size.columns < 1000 {
        stage.poison();
    }
    let second = stage.step(program);
    stage.tape.set_recording(false);
    let (result, _) = stage.forward(program);
    let tensors = vec![("result".to_owned(), stage.tape.values(result))];
    [first, second, Outcome { tensors }]
}

fn check(program: &Program, size: Size) {
    let expected = runs(Tape::new(Reference), program, size);
    for &(device, make) in devices() {
        let found = runs(make(), program, size);
        for ((found, expected), step) in
            found.iter().zip(&expected).zip(["first", "second", "not recording"])
        {
            let case = format!("{}, {device}, {step} of {size:?}", program.name);
            assert_close(found, expected, &case, tolerance(program, size));
        }
    }
}

fn check_all(size: Size) {
    programs::all().iter().for_each(|program| check(program, size));
}

const SIZE: Size =
    Size { n_nodes: 7, n_edges: 9, bare: false, columns: 5, width: 6, grid: Grid::Even, seed: 1 };

#[test]
fn one_node() {
    check_all(Size { n_nodes: 1, n_edges: 0, ..SIZE });
    check_all(Size { n_nodes: 1, n_edges: 0, columns: 1, width: 1, ..SIZE });
}

#[test]
fn no_edges_but_loops() {
    check_all(Size { n_edges: 0, ..SIZE });
}

#[test]
fn nodes_without_any_entry() {
    check_all(Size { n_nodes: 30, n_edges: 8, bare: true, ..SIZE });
}

#[test]
fn many_narrow_rows() {
    check_all(Size { n_nodes: 1500, n_edges: 2000, columns: 3, width: 17, ..SIZE });
}

#[test]
fn rows_of_a_model_with_128_columns() {
    check_all(Size { n_nodes: 300, n_edges: 300, columns: 128, width: 16, ..SIZE });
}

#[test]
fn few_wide_rows() {
    check_all(Size { n_nodes: 20, n_edges: 20, columns: 384, width: 127, ..SIZE });
}

#[test]
fn layers_on_many_rows() {
    for program in programs::all().iter().filter(|program| program.operation == "Linear") {
        check(program, Size { n_nodes: 4500, n_edges: 0, columns: 32, width: 20, ..SIZE });
        check(program, Size { n_nodes: 4500, n_edges: 0, columns: 17, width: 6, ..SIZE });
    }
}

/// A GPU launches those alone, by kernels of their own, and the library multiplies for them.
#[test]
#[ignore = "needs a GPU"]
fn operators_on_many_rows() {
    let operations = [
        "Unary",
        "Binary",
        "ScaledSum",
        "GatherRows",
        "LayerNorm",
        "BatchNorm",
        "Gru",
        "Messages",
        "GatherMax",
        "SegmentReduce",
        "EdgeDot",
    ];
    for operation in operations {
        let programs = programs::all();
        let programs = programs.iter().filter(|program| program.operation == operation);
        let mut count = 0;
        for program in programs {
            check(program, Size { n_nodes: 4500, n_edges: 4500, columns: 128, width: 20, ..SIZE });
            check(program, Size { n_nodes: 4500, n_edges: 4500, columns: 121, width: 7, ..SIZE });
            count += 1;
        }
        assert!(count > 0, "no program with {operation}");
    }
}

#[test]
fn messages_too_wide_for_the_stack() {
    for program in programs::all().iter().filter(|program| program.operation == "GatherMax") {
        check(program, Size { columns: 1100, ..SIZE });
    }
}

#[test]
fn updates_of_parameters() {
    let programs = programs::all();
    let program = programs.iter().find(|program| program.operation == "Linear").unwrap();
    let size = Size { n_nodes: 40, columns: 127, width: 200, ..SIZE };
    let updated = |tape: Tape, clip: f64| {
        let mut stage = Stage::new(tape, size);
        let optimiser = AdamW { learning_rate: 0.01, clip, ..AdamW::default() };
        let mut tensors = Vec::new();
        for step in 1..=3 {
            let (_, loss) = stage.forward(program);
            stage.tape.backward(loss);
            let clipping = optimiser.update(&mut stage.tape, step, loss);
            tensors.push(("clipping".to_owned(), stage.tape.values(clipping)));
        }
        for (i, (tensor, _)) in stage.parameters().into_iter().enumerate() {
            assert_eq!(stage.tape.gradient(tensor), None);
            let (first, second) = stage.tape.moments(i).unwrap();
            tensors.push((format!("parameter {i}"), stage.tape.values(tensor)));
            tensors.push((format!("first {i}"), first.into_iter().map(f64::from).collect()));
            tensors.push((format!("second {i}"), second.into_iter().map(f64::from).collect()));
        }
        Outcome { tensors }
    };
    for clip in [1.0, 1e9] {
        let expected = updated(Tape::new(Reference), clip);
        for &(device, make) in devices() {
            let case = format!("{device}, clip {clip}");
            assert_close(&updated(make(), clip), &expected, &case, TOLERANCE);
        }
    }
}

fn sizes() -> impl Strategy<Value = Size> {
    let columns = || prop_oneof![Just(1), Just(3), Just(16), Just(17), 1..40usize, 100..200usize];
    let n_nodes = prop_oneof![1..4usize, 4..40usize, 40..100usize];
    let grid = prop_oneof![Just(Grid::Even), Just(Grid::Coarse)];
    let flags = (any::<bool>(), 0..3usize);
    (n_nodes, columns(), columns(), flags, grid, any::<u64>()).prop_map(
        |(n_nodes, columns, width, (bare, density), grid, seed)| Size {
            n_nodes,
            n_edges: density * n_nodes,
            bare,
            columns,
            width,
            grid,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(Config {
        cases: 16,
        failure_persistence: None,
        max_shrink_iters: 60,
        rng_seed: RngSeed::Fixed(7),
        ..Config::default()
    })]

    #[test]
    fn devices_agree_on_random_sizes(size in sizes()) {
        check_all(size);
    }
}
