//! Random values for as many steps as anybody asks for.

use rand_chacha::ChaCha8Rng;
use salsa_traces::execution::Randomness;
use salsa_traces::random;
use salsa_traces::sample::Sample;

/// The random values of an execution, and more of them when it is over.
pub(super) struct Phases<'a> {
    recorded: &'a [Vec<f64>],
    rng: ChaCha8Rng,
    /// The phase that `values` are of.
    phase: Option<usize>,
    values: Vec<f32>,
}

impl<'a> Phases<'a> {
    pub(super) fn new(sample: &Sample, given: &'a Randomness) -> Self {
        let rng = random::stream(sample.problem_hash().0, 0);
        let values = vec![0.0; sample.graph.n_nodes()];
        Self { recorded: given.phases(), rng, phase: None, values }
    }

    /// The values of a step `[n_nodes]`; steps are asked for in order.
    pub(super) fn at(&mut self, step: usize) -> &[f32] {
        let phase = step / 2;
        if self.phase != Some(phase) {
            self.phase = Some(phase);
            match self.recorded.get(phase) {
                Some(recorded) => {
                    let pairs = self.values.iter_mut().zip(recorded);
                    pairs.for_each(|(value, &drawn)| *value = drawn as f32);
                }
                None => {
                    let values = self.values.iter_mut();
                    values.for_each(|value| *value = random::unit(&mut self.rng) as f32);
                }
            }
        }
        &self.values
    }
}
