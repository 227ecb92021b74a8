//! What is trained in one cell: its run, its batches, and both as files.

use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::network::Network;
use salsa_learn::parity;
use salsa_learn::run::Run;
use salsa_learn::training::trainer::batch;
use salsa_traces::algorithms::Algorithm;
use salsa_traces::convention::Convention;
use salsa_traces::sample::Sampler;
use salsa_traces::suite::Suite;

use crate::failure::Failure;

/// An algorithm, a model, and whether hints are learned.
pub struct Cell {
    pub algorithm: &'static dyn Algorithm,
    pub processor: &'static str,
    pub hints: bool,
}

impl Cell {
    /// As the published code trains; batch size and hidden size are the run's defaults.
    pub fn run(&self) -> Run {
        let mut run = Run {
            algorithm: self.algorithm.spec().algorithm.to_string(),
            hints: self.hints,
            convention: Convention::Release,
            ..Run::default()
        };
        run.model.processor = self.processor.to_owned();
        run.resolved()
    }

    /// The first batches of the train split, in the order of the samples.
    pub fn batches(&self, count: u64) -> Result<Vec<Batch>, Failure> {
        let run = self.run();
        let suite = Suite::named(run.suite())?;
        let sampler = Sampler::new(&suite, suite.seed, self.algorithm, "train")?;
        let size = run.training.batch;
        let one = |k: u64| batch(&sampler, k * size..(k + 1) * size, self.hints);
        Ok((0..count).map(one).collect::<Result<_, _>>()?)
    }

    /// A new network with its first parameters.
    pub fn network(&self, seed: u64, compute: Compute) -> Result<Network, Failure> {
        Ok(Network::new(&Run { seed, ..self.run() }, compute)?)
    }

    /// `dijkstra-gine-hints`: the start of its files' names, with the published names.
    pub fn name(&self) -> String {
        let weighted = self.algorithm.spec().needs_weights();
        let processor = parity::processor_name(self.processor, weighted).to_lowercase();
        let hints = if self.hints { "-hints" } else { "" };
        format!("{}-{processor}{hints}", self.algorithm.published_name())
    }

    /// Each batch with the first parameters, in the format of the parity cases.
    pub fn files(&self, count: u64) -> Result<Vec<Vec<u8>>, Failure> {
        let run = self.run();
        let network = self.network(run.seed, Compute::Cpu { n_threads: 1 })?;
        let batches = self.batches(count)?;
        let file = |batch: &Batch| Ok(parity::to_bytes(&run, &network, batch)?);
        batches.iter().map(file).collect()
    }
}
