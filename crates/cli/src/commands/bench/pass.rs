//! One model on one batch of graphs, once forward or one training step: its time and its memory.
//!
//! Shared by `bench infer` and `bench scaling`, so that both measure the same graphs.

use salsa_engine::cuda::CudaError;
use salsa_learn::batch::Batch;
use salsa_learn::compute::{Compute, Computed};
use salsa_learn::network::Network;
use salsa_learn::prediction::predictions;
use salsa_learn::run::Run;
use salsa_learn::training::step::{StepOptions, step};
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;
use serde::{Deserialize, Serialize};

use super::memory::{forget_peak, held_memory, peak_memory};
use super::{median, seconds};
use crate::failure::Failure;

/// What the model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Encoding, all steps and decoding, without gradients.
    #[default]
    Inference,
    /// One training step: forward, backward, clipping and AdamW.
    Training,
}

impl Work {
    pub fn name(self) -> &'static str {
        match self {
            Self::Inference => "inference",
            Self::Training => "training",
        }
    }
}

/// Nodes, edges and entries are those of all graphs together.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cell {
    pub algorithm: String,
    pub model: String,
    #[serde(default)]
    pub work: Work,
    pub threads: usize,
    #[serde(flatten)]
    pub computed: Computed,
    #[serde(default = "one")]
    pub graphs: u64,
    pub nodes: usize,
    pub edges: usize,
    pub entries: usize,
    pub steps: usize,
    pub seconds: f64,
    /// Operations in dense products, in units of 10^9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gflop: Option<f64>,
    /// Nanoseconds for each entry and step.
    pub ns: f64,
    /// The most memory of the process, making the graphs included.
    pub peak_bytes: Option<u64>,
    /// The most memory of the process during the work, above what it held before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_bytes: Option<u64>,
    /// The most memory of a GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_bytes: Option<u64>,
}

impl Cell {
    /// The most memory of where the model is.
    pub fn most_bytes(&self) -> Option<u64> {
        self.device_bytes.or(self.peak_bytes)
    }

    /// What the work took there, as far as that can be told apart: a GPU's memory is taken from
    /// the driver in pieces of which the model has the first.
    pub fn work_bytes(&self) -> Option<u64> {
        self.device_bytes.or(self.added_bytes)
    }
}

/// Where graphs come from.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Erdős-Rényi graphs of so many nodes, with the paper's parameters.
    Nodes(u32),
    /// A split of the release suite.
    Split(&'a str),
}

impl Source<'_> {
    /// The suite and the split that have `graphs` of them.
    fn suite(&self, graphs: u64) -> Result<(Suite, &str), Failure> {
        match self {
            Self::Nodes(nodes) => {
                let text = format!(
                    "name = \"infer\"\nversion = 1\nconvention = \"paper\"\nseed = 0\n\n[[split]]\n\
                     name = \"infer\"\nsamples = {graphs}\ngenerator = \"er\"\nnodes = {nodes}\n"
                );
                Ok((Suite::parse("infer", &text)?, "infer"))
            }
            Self::Split(name) => Ok((Suite::named("release")?, name)),
        }
    }
}

/// What is asked: a new model on so many graphs at once.
pub struct Question<'a> {
    pub algorithm: &'a str,
    pub model: &'a str,
    pub source: Source<'a>,
    pub graphs: u64,
    pub compute: Compute,
    pub work: Work,
    /// How the model is read.
    pub convention: Convention,
}

/// Does the work a few times; the time is the median.
pub fn measure(question: &Question<'_>) -> Result<Cell, Failure> {
    let &Question { algorithm, model, source, graphs, compute, work, convention } = question;
    let (suite, split) = source.suite(graphs)?;
    let algorithm = algorithms::find(algorithm)?;
    let algorithm_name = algorithm.spec().algorithm.to_string();
    let mut run = Run { algorithm: algorithm_name, convention, ..Run::default() };
    run.model.processor = model.to_owned();
    let mut network = Network::new(&run, compute)?;
    let batch = {
        // The samples are gone before the model takes its memory.
        let sampler = Sampler::new(&suite, suite.seed, algorithm, split)?;
        let samples: Vec<_> =
            (0..graphs).map(|index| sampler.sample(index, false)).collect::<Result<_, _>>()?;
        Batch::new(&samples, false).map_err(Failure::mistake)?
    };
    let entries = batch.edges.n_entries();
    // Enough turns to see past the noise on small graphs, one on large ones; a GPU needs a first
    // one to get its memory.
    let fewest = if matches!(compute, Compute::Cuda(_)) { 5 } else { 1 };
    let options = StepOptions::new(&run);
    let before = peak_memory();
    let held = if forget_peak() { held_memory() } else { None };
    let (mut times, before_products) = (Vec::new(), network.tape.device().product_operations());
    for turn in 1..=(1_000_000 / entries).clamp(fewest, 20) as u64 {
        let (done, time) = seconds(|| match work {
            Work::Inference => infer(&mut network, &batch).map_err(|error| failed(error, graphs)),
            Work::Training => match step(&mut network, &batch, &options, turn) {
                Ok(_) => Ok(()),
                Err(error) => Err(Failure::System(error.to_string())),
            },
        });
        done?;
        times.push(time);
    }
    let during = peak_memory();
    let products = network.tape.device().product_operations() - before_products;
    let gflop = products as f64 / times.len() as f64 / 1e9;
    let seconds = median(times);
    Ok(Cell {
        algorithm: run.algorithm,
        model: model.to_owned(),
        work,
        threads: compute.n_threads(),
        computed: compute.computed(network.tape.device()),
        graphs,
        nodes: batch.n_nodes(),
        edges: (entries - batch.n_nodes()) / 2,
        entries,
        steps: batch.steps(),
        seconds,
        gflop: Some(gflop),
        ns: 1e9 * seconds / (entries * batch.steps()) as f64,
        peak_bytes: before.max(during),
        added_bytes: held.zip(during).map(|(held, during)| during.saturating_sub(held)),
        device_bytes: network.tape.device().most_bytes(),
    })
}

fn infer(network: &mut Network, batch: &Batch) -> Result<(), CudaError> {
    let Network { tape, model } = network;
    tape.set_recording(false);
    let forward = model.forward(tape, batch);
    std::hint::black_box(predictions(tape, &model.spec, batch, &forward.outputs));
    tape.device().check()
}

/// One graph at once cannot be fewer.
fn failed(error: CudaError, graphs: u64) -> Failure {
    match error {
        CudaError::OutOfMemory { .. } if graphs > 1 => {
            Failure::System(format!("{error}; lower --batch"))
        }
        other => other.into(),
    }
}

/// Measurements from before there were batches.
fn one() -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_several_graphs_can_be_fewer() {
        let error = CudaError::OutOfMemory { needed: 3, held: 2, free: 1, total: 4 };
        assert!(failed(error.clone(), 2).to_string().ends_with("are free; lower --batch"));
        assert_eq!(failed(error.clone(), 1).to_string(), error.to_string());
    }
}
