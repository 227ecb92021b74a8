//! Who watches a training.

use super::log::EpochSummary;
use super::step::Stepped;
use crate::checkpoint::Progress;

/// Told how a training goes, and asked whether it should.
pub trait Observer {
    /// A step was made.
    fn step(&mut self, _view: &StepView<'_>) {}
    /// An epoch is over and validated.
    fn epoch(&mut self, _summary: &EpochSummary, _improved: bool) {}
    /// Whether to save and stop now.
    fn stops(&self) -> bool {
        false
    }
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// A step as an observer sees it.
#[derive(Debug)]
pub struct StepView<'a> {
    /// How far the run has come, this step included.
    pub progress: &'a Progress,
    /// Batches in this epoch.
    pub n_batches: u64,
    /// Its loss and gradient.
    pub stepped: Stepped,
}
