//! How far the losses of one training are apart on different devices, and with the graphs of every
//! batch in reverse: the same step with its sums in another order. On the CPU, on a GPU where there
//! is one, and, for the first steps, in double precision.
//! `cargo run --release --example loss_curves -p salsa-learn -- bfs pgn` is an epoch; a third word
//! is another number of steps.

use std::error::Error;

use salsa_engine::cuda::CudaOptions;
use salsa_engine::device::Device;
use salsa_engine::reference::Reference;
use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::model::processors;
use salsa_learn::network::Network;
use salsa_learn::run::Run;
use salsa_learn::training::step::{StepOptions, step};
use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;

/// Graphs of a batch, and batches of an epoch.
const BATCH: usize = 8;
const EPOCH: usize = 1250;
/// Steps whose losses are averaged.
const STEPS: usize = 50;
/// Steps that are compared one by one.
const FIRST: usize = 20;

fn losses(
    run: &Run,
    samples: &[Sample],
    device: Box<dyn Device>,
    reverse: bool,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let processor = processors::find(&run.model.processor)?;
    let mut network = Network::with_processor(run, device, processor.build)?;
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

/// The relative difference of two means.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
    (a - b).abs() / a.abs().max(b.abs())
}

/// The largest of means over so many steps.
fn farthest(a: &[f64], b: &[f64], steps: usize) -> f64 {
    a.chunks(steps).zip(b.chunks(steps)).map(|(a, b)| apart(a, b)).fold(0.0, f64::max)
}

/// How many of the first steps are within a thousandth.
fn agreeing(a: &[f64], b: &[f64]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| (*a - *b).abs() <= 1e-3 * b.abs()).count()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut run = Run::default();
    run.algorithm = words.next().unwrap_or(run.algorithm);
    run.model.processor = words.next().unwrap_or(run.model.processor);
    let steps = words.next().map_or(Ok(EPOCH), |word| word.parse())?;
    let run = run.resolved();
    let suite = Suite::named(run.suite())?;
    let sampler = Sampler::new(&suite, suite.seed, algorithms::find(&run.algorithm)?, "train")?;
    let samples: Vec<_> =
        (0..(steps * BATCH) as u64).map(|i| sampler.sample(i, false)).collect::<Result<_, _>>()?;

    let (cpu, gpu) = (Compute::Cpu { n_threads: 2 }, Compute::Cuda(CudaOptions::default()));
    let has_gpu = match gpu.device() {
        Ok(_) => true,
        Err(error) => {
            eprintln!("without a GPU: {error}");
            false
        }
    };
    let few = &samples[..samples.len().min(FIRST * BATCH)];
    let mut curves = Vec::new();
    for (order, reverse) in [("", false), (", reversed", true)] {
        let mut add = |name, samples, device: Box<dyn Device>| -> Result<(), Box<dyn Error>> {
            curves.push((format!("{name}{order}"), losses(&run, samples, device, reverse)?));
            Ok(())
        };
        add("double precision", few, Box::new(Reference))?;
        add("cpu", &samples, cpu.device()?)?;
        if has_gpu {
            add("cuda", &samples, gpu.device()?)?;
        }
    }
    println!("{} by {}, {steps} steps", run.algorithm, run.model.processor);
    for (name, losses) in &curves {
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        let means: Vec<_> =
            losses.chunks(STEPS).map(|losses| format!("{:.4}", mean(losses))).collect();
        println!("{name}, means of {STEPS}: {}", means.join(" "));
    }
    println!(
        "relative differences: first steps within 1e-3; of means of {STEPS}, of the mean of all, where \
         both made all steps"
    );
    for (i, (a, first)) in curves.iter().enumerate() {
        for (b, second) in &curves[i + 1..] {
            print!("{a} and {b}: {}", agreeing(first, second));
            if first.len() == second.len() && first.len() == steps {
                print!("; {:.3}, {:.4}", farthest(first, second, STEPS), apart(first, second));
            }
            println!();
        }
    }
    Ok(())
}
