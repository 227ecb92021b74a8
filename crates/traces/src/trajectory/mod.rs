//! What an execution recorded: its length, its outputs, and its hints as changes per step.

mod check;
mod hint;
mod log;
mod record_error;
mod recorder;
mod values;

pub use check::TrajectoryError;
pub use hint::{Hint, HintSteps};
pub use log::{Change, Log};
pub use record_error::RecordError;
pub use recorder::{CategoricalHint, MaskHint, MaskOneHint, PointerHint, Recorder, ScalarHint};
pub use values::Values;

use crate::spec::Spec;

/// The record of one execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The algorithm and its features.
    pub spec: Spec,
    /// Number of steps, T.
    pub length: u32,
    /// One entry for each hint of the spec, in its order; `None` if hints were not recorded.
    pub hints: Option<Vec<Hint>>,
    /// One entry for each output of the spec, in its order.
    pub outputs: Vec<Values>,
}

impl Trajectory {
    /// The recorded hint `name`.
    pub fn hint(&self, name: &str) -> Option<&Hint> {
        let place = self.spec.hints().position(|field| field.name == name)?;
        self.hints.as_ref()?.get(place)
    }

    /// The output `name`.
    pub fn output(&self, name: &str) -> Option<&Values> {
        let place = self.spec.outputs().position(|field| field.name == name)?;
        self.outputs.get(place)
    }

    /// Bytes that the recorded changes take.
    pub fn hint_bytes(&self) -> usize {
        self.hints.iter().flatten().map(Hint::bytes).sum()
    }
}
