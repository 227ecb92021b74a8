//! An epoch of training on the CPU and on a GPU, and on each with the graphs of every batch in
//! reverse: the same step with its sums in another order. Tells how far losses are apart, step by
//! step and as means over many. `cargo run --release --example loss_curves -p salsa-learn -- bfs
//! pgn` on a machine with a GPU.

use std::error::Error;

use salsa_engine::cuda::CudaOptions;
use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::network::Network;
use salsa_learn::run::Run;
use salsa_learn::training::step::{StepOptions, step};
use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;

/// Graphs of an epoch, of a batch, and steps whose losses are averaged.
const GRAPHS: u64 = 10_000;
const BATCH: usize = 8;
const STEPS: usize = 50;

fn losses(
    run: &Run,
    samples: &[Sample],
    compute: Compute,
    reverse: bool,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut network = Network::new(run, compute)?;
    let options = StepOptions::new(run);
    let mut losses = Vec::new();
    for (number, samples) in (1..).zip(samples.chunks(BATCH)) {
        let mut samples = samples.to_vec();
        if reverse {
            samples.reverse();
        }
        let batch = Batch::new(&samples, false)?;
        losses.push(step(&mut network, &batch, &options, number)?.loss.total);
    }
    Ok(losses)
}

/// The largest relative differences: in the first 20 steps, and of means over `STEPS`; and that of
/// the mean over all.
fn apart(a: &[f64], b: &[f64]) -> [f64; 3] {
    let relative = |a: &[f64], b: &[f64]| {
        let (a, b) = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
        (a - b).abs() / a.abs().max(b.abs())
    };
    let largest = |length: usize, steps: usize| {
        let pairs = a[..steps].chunks(length).zip(b[..steps].chunks(length));
        pairs.map(|(a, b)| relative(a, b)).fold(0.0, f64::max)
    };
    [largest(1, 20), largest(STEPS, a.len()), relative(a, b)]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut names = std::env::args().skip(1);
    let mut run = Run::default();
    run.algorithm = names.next().unwrap_or(run.algorithm);
    run.model.processor = names.next().unwrap_or(run.model.processor);
    let run = run.resolved();
    let suite = Suite::named(run.suite())?;
    let sampler = Sampler::new(&suite, suite.seed, algorithms::find(&run.algorithm)?, "train")?;
    let samples = (0..GRAPHS).map(|i| sampler.sample(i, false)).collect::<Result<Vec<_>, _>>()?;

    let (cpu, gpu) = (Compute::Cpu { n_threads: 2 }, Compute::Cuda(CudaOptions::default()));
    let mut curves = Vec::new();
    for (device, compute) in [("cpu", cpu), ("cuda", gpu)] {
        for (order, reverse) in [("", false), (", reversed", true)] {
            curves.push((format!("{device}{order}"), losses(&run, &samples, compute, reverse)?));
        }
    }
    println!("{} by {}, mean losses of {STEPS} steps", run.algorithm, run.model.processor);
    for (name, losses) in &curves {
        let means = losses.chunks(STEPS).map(|losses| losses.iter().sum::<f64>() / STEPS as f64);
        let means: Vec<String> = means.map(|mean| format!("{mean:.4}")).collect();
        println!("{name}: {}", means.join(" "));
    }
    println!("relative differences: within 20 steps, of means of {STEPS}, of the mean of all");
    for (i, (a, first)) in curves.iter().enumerate() {
        for (b, second) in &curves[i + 1..] {
            let [steps, means, all] = apart(first, second);
            println!("{a} and {b}: {steps:.1e} {means:.3} {all:.4}");
        }
    }
    Ok(())
}
