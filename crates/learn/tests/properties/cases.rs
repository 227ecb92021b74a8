//! What is tried: every processor on every algorithm in both conventions.

use salsa_engine::cuda::CudaOptions;
use salsa_engine::device::Device;
use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::model::processors::{self, Kind};
use salsa_learn::network::Network;
use salsa_learn::run::{Aggregation, Run};
use salsa_learn::training::step::{StepOptions, step};
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::convention::Convention;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;

/// What is tested: the CPU on one thread, or the first GPU where `SALSA_TEST_CUDA=1` asks for it.
pub fn tested() -> Compute {
    if std::env::var_os("SALSA_TEST_CUDA").is_some_and(|value| value == "1") {
        Compute::Cuda(CudaOptions::default())
    } else {
        Compute::Cpu { n_threads: 1 }
    }
}

/// A processor, an algorithm and how the model is read.
#[derive(Clone, Copy)]
pub struct Case {
    pub algorithm: &'static dyn Algorithm,
    pub kind: &'static Kind,
    pub convention: Convention,
    pub aggregation: Aggregation,
    pub steps_per_hint: u64,
    pub hidden: u64,
}

/// Every processor on every algorithm, in both conventions.
pub fn all() -> Vec<Case> {
    of(algorithms::ALL, &Convention::ALL)
}

/// Every processor on the algorithms of the benchmark, in the convention of the paper.
pub fn benchmark() -> Vec<Case> {
    of(algorithms::benchmark(), &[Convention::Paper])
}

/// Every processor in some other way: another aggregation, more than one step for each recorded
/// one. One algorithm has no weights, one has them, one has random values.
pub fn variants() -> Vec<Case> {
    let algorithms = ["bfs", "dijkstra", "mis"].map(|name| algorithms::find(name).unwrap());
    let mut cases = Vec::new();
    for case in of(&algorithms, &Convention::ALL) {
        for aggregation in [Aggregation::Sum, Aggregation::Mean] {
            cases.push(Case { aggregation, ..case });
        }
        cases.push(Case { steps_per_hint: 2, ..case });
    }
    cases
}

fn of(algorithms: &[&'static dyn Algorithm], conventions: &[Convention]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &algorithm in algorithms {
        for &kind in processors::ALL {
            for &convention in conventions {
                cases.push(Case {
                    algorithm,
                    kind,
                    convention,
                    aggregation: Aggregation::Max,
                    steps_per_hint: 1,
                    hidden: 8,
                });
            }
        }
    }
    cases
}

impl Case {
    pub fn name(&self) -> String {
        format!(
            "{} by {}, {}, {}, {} steps a hint",
            self.algorithm.spec().algorithm,
            self.kind.name,
            self.convention.name(),
            self.aggregation,
            self.steps_per_hint
        )
    }

    pub fn run(&self, hints: bool) -> Run {
        let mut run = Run {
            algorithm: self.algorithm.spec().algorithm.to_string(),
            convention: self.convention,
            hints,
            ..Run::default()
        };
        run.model.processor = self.kind.name.to_owned();
        run.model.hidden = self.hidden;
        run.model.aggregation = self.aggregation;
        run.model.steps_per_hint = self.steps_per_hint;
        run
    }

    pub fn network(&self, hints: bool, device: Box<dyn Device>) -> Network {
        Network::with_processor(&self.run(hints), device, self.kind.build).unwrap()
    }

    /// A network that has made two steps, so that its statistics are those of data.
    pub fn stepped_network(&self) -> Network {
        let mut network = self.network(false, tested().device().unwrap());
        let batch = Batch::new(&self.samples(&[5, 7, 6, 4]), false).unwrap();
        let options = StepOptions::new(&self.run(false));
        for number in 1..=2 {
            step(&mut network, &batch, &options, number).unwrap();
        }
        network
    }

    /// One sample for each number of nodes, with hints; every second graph is a tree, on which
    /// most algorithms take longer.
    pub fn samples(&self, n_nodes: &[usize]) -> Vec<Sample> {
        let one = |(index, n_nodes): (u64, &usize)| {
            let generator = if index % 2 == 0 { "er\"\np = 0.5" } else { "tree\"" };
            let text = format!(
                "name = \"small\"\nversion = 1\nsummary = \"\"\nconvention = \"{}\"\nseed = 0\n\
                 [[split]]\nname = \"train\"\nsamples = 100\nnodes = {n_nodes}\n\
                 generator = \"{generator}\n",
                self.convention.name()
            );
            let suite = Suite::parse("small", &text).unwrap();
            let sampler = Sampler::new(&suite, suite.seed, self.algorithm, "train").unwrap();
            sampler.sample(index, true).unwrap()
        };
        (0..).zip(n_nodes).map(one).collect()
    }
}

/// Decoded outputs of a batch in evaluation.
pub fn decoded(network: &mut Network, batch: &Batch) -> Vec<Vec<f32>> {
    let Network { tape, model } = network;
    tape.set_recording(false);
    let outputs = model.forward(tape, batch).outputs;
    outputs.into_iter().map(|output| tape.read(output)).collect()
}

/// Whether two rows of numbers agree within `tolerance`, absolutely and relatively.
pub fn close(found: &[f32], expected: &[f32], tolerance: f32) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}
