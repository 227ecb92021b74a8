//! A network that is trained on the same few batches again and again.

use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::network::Network;
use salsa_learn::training::step::{StepOptions, step};

use super::cell::Cell;
use crate::failure::Failure;

/// Rounds over the batches before the clock counts.
pub const WARM_UP: usize = 2;

/// A network and how many steps it has made.
pub struct Learner {
    pub network: Network,
    options: StepOptions,
    steps: u64,
}

impl Learner {
    /// A new network with first parameters by this seed.
    pub fn new(cell: &Cell, seed: u64, compute: Compute) -> Result<Self, Failure> {
        let network = cell.network(seed, compute)?;
        Ok(Self { network, options: StepOptions::new(&cell.run()), steps: 0 })
    }

    /// One step.
    pub fn step(&mut self, batch: &Batch) -> Result<(), Failure> {
        self.steps += 1;
        match step(&mut self.network, batch, &self.options, self.steps) {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::System(format!("step {}: {error}", self.steps))),
        }
    }
}
