//! A model and the tape its parameters lie on, made from a run or read from a checkpoint.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_engine::cuda::CudaError;
use salsa_engine::device::{Device, Reduction};
use salsa_engine::tape::Tape;
use salsa_traces::algorithms::{self, UnknownAlgorithm};
use salsa_traces::spec::Spec;
use thiserror::Error;

use crate::checkpoint::{Checkpoint, Group, Malformation, Tensor};
use crate::compute::Compute;
use crate::model::input::Sizes;
use crate::model::layers::Builder;
use crate::model::processors::{self, Processor, UnknownProcessor};
use crate::model::{Model, ModelOptions, Undecodable};
use crate::run::{Aggregation, Run};

/// A model on its tape.
pub struct Network {
    /// Where it computes.
    pub tape: Tape,
    /// What it computes.
    pub model: Model,
}

/// Why a run describes no network.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// There is no such algorithm.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// There is no such processor.
    #[error(transparent)]
    Processor(#[from] UnknownProcessor),
    /// A feature of the algorithm has no decoder.
    #[error(transparent)]
    Undecodable(#[from] Undecodable),
    /// The checkpoint is of another network.
    #[error(transparent)]
    Malformed(#[from] Malformation),
    /// There is no such GPU.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

impl Network {
    /// A new network for a run, with first values by its seed.
    pub fn new(run: &Run, compute: Compute) -> Result<Self, NetworkError> {
        let kind = processors::find(&run.model.processor)?;
        Self::with_processor(run, compute.device()?, kind.build)
    }

    /// The same with any processor and device.
    pub fn with_processor(
        run: &Run,
        device: Box<dyn Device>,
        processor: impl FnOnce(&mut Builder<'_>, Sizes) -> Box<dyn Processor>,
    ) -> Result<Self, NetworkError> {
        let spec = algorithms::find(&run.algorithm)?.spec();
        Ok(Self::with_spec(run, spec, device, processor)?)
    }

    /// The same with any features, such as those of an algorithm of your own.
    pub fn with_spec(
        run: &Run,
        spec: &Spec,
        device: Box<dyn Device>,
        processor: impl FnOnce(&mut Builder<'_>, Sizes) -> Box<dyn Processor>,
    ) -> Result<Self, Undecodable> {
        let options = ModelOptions {
            hidden: run.model.hidden as usize,
            convention: run.convention,
            reduction: match run.model.aggregation {
                Aggregation::Max => Reduction::Max,
                Aggregation::Sum => Reduction::Sum,
                Aggregation::Mean => Reduction::Mean,
            },
            steps_per_hint: run.model.steps_per_hint as usize,
            hints: run.hints,
        };
        let mut tape = Tape::on(device);
        let mut rng = ChaCha8Rng::seed_from_u64(run.seed);
        let model = Model::new(&mut tape, spec, options, processor, &mut rng)?;
        Ok(Self { tape, model })
    }

    /// A network with the values of a checkpoint.
    pub fn restore(checkpoint: &Checkpoint, compute: Compute) -> Result<Self, NetworkError> {
        let mut network = Self::new(&checkpoint.run, compute)?;
        network.read(checkpoint)?;
        Ok(network)
    }

    /// Takes parameters, statistics and the optimiser's memory from a checkpoint.
    pub fn read(&mut self, checkpoint: &Checkpoint) -> Result<(), Malformation> {
        for index in 0..self.tape.parameters().len() {
            let kept = &self.tape.parameters()[index];
            let (tensor, name) = (kept.tensor, kept.name.as_str());
            let (rows, columns) = self.tape.shape(tensor);
            let shape = [rows, columns];
            if kept.learned {
                let value = checkpoint.values(Group::Parameter, name, &shape)?;
                let first = checkpoint.values(Group::FirstMoment, name, &shape)?;
                let second = checkpoint.values(Group::SecondMoment, name, &shape)?;
                self.tape.set_moments(index, first, second);
                self.tape.set(tensor, value);
            } else {
                let value = checkpoint.values(Group::Buffer, name, &shape)?;
                self.tape.set(tensor, value);
            }
        }
        Ok(())
    }

    /// Puts parameters, statistics and the optimiser's memory into a checkpoint.
    pub fn write(&self, checkpoint: &mut Checkpoint) {
        for (index, kept) in self.tape.parameters().iter().enumerate() {
            let (rows, columns) = self.tape.shape(kept.tensor);
            let mut insert = |group, values| {
                checkpoint.insert(group, &kept.name, Tensor::new(&[rows, columns], values));
            };
            let group = if kept.learned { Group::Parameter } else { Group::Buffer };
            insert(group, self.tape.read(kept.tensor));
            if let Some((first, second)) = self.tape.moments(index) {
                insert(Group::FirstMoment, first);
                insert(Group::SecondMoment, second);
            }
        }
    }

    /// How many numbers are learned.
    pub fn n_parameters(&self) -> usize {
        let learned = self.tape.parameters().iter().filter(|kept| kept.learned);
        learned.map(|kept| self.tape.rows(kept.tensor) * self.tape.columns(kept.tensor)).sum()
    }
}
