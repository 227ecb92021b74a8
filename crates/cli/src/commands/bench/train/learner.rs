//! A network that is trained on the same few batches again and again.

use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::network::Network;
use salsa_learn::training::step::{Pending, StepError, StepOptions, begin};

use super::cell::Cell;
use crate::failure::Failure;

/// Rounds over the batches before the clock counts.
pub const WARM_UP: usize = 2;

/// A network and how many steps it has made.
pub struct Learner {
    pub network: Network,
    options: StepOptions,
    steps: u64,
    /// The step that a GPU may still be at, as in a training.
    waiting: Option<Pending>,
}

impl Learner {
    /// A new network with first parameters by this seed.
    pub fn new(cell: &Cell, seed: u64, compute: Compute) -> Result<Self, Failure> {
        let network = cell.network(seed, compute)?;
        Ok(Self { network, options: StepOptions::new(&cell.run()), steps: 0, waiting: None })
    }

    /// One step; a GPU gets it before the last one has come back.
    pub fn step(&mut self, batch: &Batch) -> Result<(), Failure> {
        self.steps += 1;
        let begun = begin(&mut self.network, batch, &self.options, self.steps);
        let ahead = self.network.tape.device().runs_ahead();
        let done = if ahead { self.waiting.replace(begun) } else { Some(begun) };
        self.finish(done)
    }

    /// Waits for everything that was begun.
    pub fn wait(&mut self) -> Result<(), Failure> {
        let last = self.waiting.take();
        self.finish(last)
    }

    fn finish(&self, step: Option<Pending>) -> Result<(), Failure> {
        let Some(step) = step else { return Ok(()) };
        let failed = |error: StepError| Failure::System(format!("step {}: {error}", self.steps));
        step.finish(&self.network).map(|_| ()).map_err(failed)
    }
}
