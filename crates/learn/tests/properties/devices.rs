//! The fast device against the reference on whole training steps.
//!
//! As in the parity cases, the deviation of a tensor is the norm of the difference over the larger
//! of its own norm and 1% of its group's. A network that normalises few rows many times in a row
//! has gradients of which single precision knows little: what a change of the parameters in their
//! last digits does to the reference is measured too, and ten times that is allowed. A first update
//! by AdamW is the sign of the gradient, and is compared where there is more than noise.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_engine::cuda::CudaOptions;
use salsa_engine::device::Device;
use salsa_engine::reference::Reference;
use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::model::processors;
use salsa_learn::network::Network;
use salsa_learn::run::Run;
use salsa_learn::training::step::{StepOptions, Stepped, step};
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;
use salsa_traces::{algorithms, random};

use crate::cases::{self, Case, tested};

/// What one step leaves.
struct Left {
    stepped: Stepped,
    updates: Vec<Vec<f32>>,
    statistics: Vec<Vec<f32>>,
    first_moments: Vec<Vec<f32>>,
    second_moments: Vec<Vec<f32>>,
}

fn parameters(network: &Network) -> Vec<Vec<f32>> {
    network.tape.parameters().iter().map(|kept| network.tape.read(kept.tensor)).collect()
}

fn set_parameters(network: &mut Network, values: &[Vec<f32>]) {
    let tensors: Vec<_> = network.tape.parameters().iter().map(|kept| kept.tensor).collect();
    tensors.into_iter().zip(values).for_each(|(tensor, values)| network.tape.set(tensor, values));
}

/// A step of a network; with a `seed`, its parameters are off in their last digits.
fn after_a_step(case: Case, batch: &Batch, device: Box<dyn Device>, seed: Option<u64>) -> Left {
    let hints = !batch.hints.is_empty();
    let mut network = case.network(hints, device);
    let before = parameters(&network);
    if let Some(mut rng) = seed.map(ChaCha8Rng::seed_from_u64) {
        let mut off = |value: &f32| value * (1.0 + random::between(&mut rng, -1e-6, 1e-6) as f32);
        let off: Vec<Vec<f32>> =
            before.iter().map(|values| values.iter().map(&mut off).collect()).collect();
        set_parameters(&mut network, &off);
    }
    let stepped = step(&mut network, batch, &StepOptions::new(&case.run(hints)), 1).unwrap();
    let mut left = Left {
        stepped,
        updates: Vec::new(),
        statistics: Vec::new(),
        first_moments: Vec::new(),
        second_moments: Vec::new(),
    };
    for (index, (before, after)) in before.iter().zip(parameters(&network)).enumerate() {
        if let Some((first, second)) = network.tape.moments(index) {
            left.updates
                .push(after.iter().zip(before).map(|(after, before)| after - before).collect());
            left.first_moments.push(first);
            left.second_moments.push(second);
        } else {
            left.statistics.push(after);
        }
    }
    left
}

fn norm(values: impl IntoIterator<Item = f32>) -> f64 {
    values.into_iter().map(|value| f64::from(value).powi(2)).sum::<f64>().sqrt()
}

/// The worst deviation of a group's tensors.
fn deviation(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f64 {
    let whole = norm(expected.iter().flatten().copied());
    let deviations = found.iter().zip(expected).map(|(found, expected)| {
        let difference = norm(found.iter().zip(expected).map(|(a, b)| a - b));
        difference / norm(expected.iter().copied()).max(0.01 * whole).max(f64::MIN_POSITIVE)
    });
    deviations.fold(0.0, f64::max)
}

/// The updates of parameters whose gradient is well above rounding.
fn clear_updates(of: &Left, by: &Left) -> Vec<Vec<f32>> {
    let largest = by.first_moments.iter().flatten().fold(0.0_f32, |a, b| a.max(b.abs()));
    let pairs = of.updates.iter().zip(&by.first_moments);
    pairs
        .map(|(updates, moments)| {
            let pairs = updates.iter().zip(moments);
            pairs.filter(|(_, m)| m.abs() > 0.01 * largest).map(|(update, _)| *update).collect()
        })
        .collect()
}

/// Every comparison of two steps by name, with the least limit for single precision.
fn deviations(found: &Left, expected: &Left) -> [(&'static str, f64, f64); 9] {
    let (a, b) = (found.stepped, expected.stepped);
    let updates = clear_updates(expected, expected);
    let updates = deviation(&clear_updates(found, expected), &updates);
    let relative = |a: f64, b: f64| (a - b).abs() / (1e-3 + b.abs());
    [
        ("total", relative(a.loss.total, b.loss.total), 1e-4),
        ("output", relative(a.loss.output, b.loss.output), 1e-4),
        ("hints", relative(a.loss.hints, b.loss.hints), 1e-4),
        ("hidden", relative(a.loss.hidden, b.loss.hidden), 1e-4),
        ("gradient's norm", relative(a.gradient_norm, b.gradient_norm), 5e-3),
        ("statistics", deviation(&found.statistics, &expected.statistics), 1e-4),
        ("first moments", deviation(&found.first_moments, &expected.first_moments), 5e-3),
        ("second moments", deviation(&found.second_moments, &expected.second_moments), 1e-2),
        ("updates", updates, 1e-3),
    ]
}

/// Compares one step on both devices; how many of its numbers single precision says something of.
fn compared(case: Case, batch: &Batch) -> usize {
    let found = after_a_step(case, batch, tested().device().unwrap(), None);
    let expected = after_a_step(case, batch, Box::new(Reference), None);
    // What rounding does to the reference, it may do to single precision.
    let rounded = [1, 2, 3].map(|seed| after_a_step(case, batch, Box::new(Reference), Some(seed)));
    let rounded = rounded.map(|rounded| deviations(&rounded, &expected));
    let mut compared = 0;
    for (i, (name, found, least)) in deviations(&found, &expected).into_iter().enumerate() {
        let own = rounded.iter().map(|deviations| deviations[i].1).fold(0.0, f64::max);
        if own > 0.02 {
            continue;
        }
        compared += 1;
        let limit = least.max(10.0 * own);
        assert!(found <= limit, "{}: {name} deviates by {found}, limit {limit}", case.name());
    }
    compared
}

#[test]
fn a_training_step_is_that_of_the_reference() {
    let cases: Vec<Case> = cases::all().into_iter().chain(cases::variants()).collect();
    let mut numbers = 0;
    for &case in &cases {
        let mut batch = Batch::new(&case.samples(&[12, 16, 9, 16]), false).unwrap();
        // Outputs after three steps at most, whatever the algorithm needs.
        for (graph, length) in batch.lengths.iter_mut().enumerate() {
            *length = 3 - graph % 2;
        }
        numbers += compared(case, &batch);
    }
    assert!(numbers * 100 >= 9 * cases.len() * 99, "{numbers} numbers compared");
}

#[test]
fn a_training_step_with_hints_is_that_of_the_reference() {
    let cases = cases::all();
    let mut numbers = 0;
    for &case in &cases {
        let batch = Batch::new(&case.samples(&[12, 16, 9, 16]), true).unwrap();
        let compared = compared(case, &batch);
        // Without batch norm, long trajectories are harmless.
        assert!(compared == 9 || case.kind.name != "pgn", "{}", case.name());
        numbers += compared;
    }
    assert!(numbers * 100 >= 9 * cases.len() * 80, "{numbers} numbers compared");
}

/// Batches of the first 20 steps of a training as the paper's.
fn first_batches(run: &Run) -> Vec<Batch> {
    let suite = Suite::named(run.suite()).unwrap();
    let algorithm = algorithms::find(&run.algorithm).unwrap();
    let sampler = Sampler::new(&suite, suite.seed, algorithm, "train").unwrap();
    let batch = |number: u64| {
        let samples = (number * 8..(number + 1) * 8).map(|i| sampler.sample(i, false).unwrap());
        Batch::new(&samples.collect::<Vec<_>>(), false).unwrap()
    };
    (1..=20).map(batch).collect()
}

fn untrained(run: &Run, device: Box<dyn Device>) -> Network {
    let kind = processors::find(&run.model.processor).unwrap();
    Network::with_processor(run, device, kind.build).unwrap()
}

/// The losses of the first steps of a training, and the parameters after them.
fn beginning(run: &Run, device: Box<dyn Device>) -> (Vec<f64>, Vec<Vec<f32>>) {
    let mut network = untrained(run, device);
    let options = StepOptions::new(run);
    let losses = (1..)
        .zip(first_batches(run))
        .map(|(number, batch)| step(&mut network, &batch, &options, number).unwrap().loss.total);
    (losses.collect(), parameters(&network))
}

/// Trainings in single precision drift apart (below), but no step of them is wrong: wherever a
/// training comes to, the next step from there has the loss and the gradient of the reference.
#[test]
fn from_the_same_parameters_every_step_of_a_training_is_that_of_the_reference() {
    for algorithm in ["bfs", "dijkstra", "mis"] {
        let run = Run { algorithm: algorithm.to_owned(), ..Run::default() }.resolved();
        let options = StepOptions::new(&run);
        let mut exact = untrained(&run, Box::new(Reference));
        let mut network = untrained(&run, tested().device().unwrap());
        for (number, batch) in (1..).zip(first_batches(&run)) {
            set_parameters(&mut network, &parameters(&exact));
            let expected = step(&mut exact, &batch, &options, number).unwrap();
            let found = step(&mut network, &batch, &options, number).unwrap();
            let relative = |found: f64, expected: f64| (found - expected).abs() / expected;
            let loss = relative(found.loss.total, expected.loss.total);
            let norm = relative(found.gradient_norm, expected.gradient_norm);
            assert!(loss <= 1e-5, "{algorithm}, step {number}: loss off by {loss}");
            assert!(norm <= 1e-3, "{algorithm}, step {number}: gradient's norm off by {norm}");
        }
    }
}

/// The first updates of AdamW are signs of gradients, and where those are noise, a training in
/// single precision soon leaves the one in double precision, on every device: on BFS by 1e-3 after
/// 7 steps. Four steps agree to that; later ones to 1e-2, or a few times what single precision
/// does to the CPU.
#[test]
#[ignore = "needs a GPU"]
fn a_training_begins_on_a_gpu_as_on_the_cpu_and_always_the_same() {
    for algorithm in ["bfs", "dijkstra", "mis"] {
        let run = Run { algorithm: algorithm.to_owned(), ..Run::default() }.resolved();
        let cpu = Compute::Cpu { n_threads: 2 }.device().unwrap();
        let gpu = Compute::Cuda(CudaOptions::default());
        let (on_cpu, _) = beginning(&run, cpu);
        let (on_gpu, parameters) = beginning(&run, gpu.device().unwrap());
        let (exact, _) = beginning(&run, Box::new(Reference));
        let mut noise = 0f64;
        for (step, ((cpu, gpu), exact)) in on_cpu.iter().zip(&on_gpu).zip(&exact).enumerate() {
            noise = noise.max((cpu - exact).abs() / exact);
            let off = (cpu - gpu).abs() / cpu;
            let limit = if step < 4 { 1e-3 } else { f64::max(1e-2, 5.0 * noise) };
            assert!(off <= limit, "{algorithm}, step {step}: {cpu} and {gpu}");
        }
        // Alone or beside others: the same bits.
        let shared = gpu.shared_by(5).device().unwrap();
        assert_eq!(beginning(&run, shared), (on_gpu, parameters), "{algorithm}");
    }
}
