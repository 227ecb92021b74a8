//! What an execution recorded: its length, its outputs, and its hints as changes per step.

mod canonical;
mod changes;
mod check;
mod handle;
mod hint;
mod record_error;
mod recorder;
mod stretches;
mod values;

pub use changes::{Change, Hints, StepChange};
pub use check::TrajectoryError;
pub(crate) use check::check_length;
pub use handle::{CategoricalHint, MaskHint, MaskOneHint, PointerHint, ScalarHint};
pub use hint::{Hint, HintSteps};
pub use record_error::RecordError;
pub use recorder::Recorder;
pub use stretches::Stretch;
pub use values::Values;

use crate::spec::{Field, Spec};

/// The record of one execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The algorithm and its features.
    pub spec: Spec,
    /// Number of steps, T.
    pub length: u32,
    /// The hints of the spec over all steps; `None` if they were not recorded.
    pub hints: Option<Hints>,
    /// One entry for each output of the spec, in its order.
    pub outputs: Vec<Values>,
}

impl Trajectory {
    /// The recorded hint `name`.
    pub fn hint(&self, name: &str) -> Option<Hint<'_>> {
        let place = self.spec.hints().position(|field| field.name == name)?;
        self.hints.as_ref()?.get(place)
    }

    /// The recorded hints with their fields, in the order of the spec.
    pub fn recorded_hints(&self) -> impl Iterator<Item = (&Field, Hint<'_>)> {
        self.spec.hints().zip(self.hints.iter().flat_map(Hints::iter))
    }

    /// The output `name`.
    pub fn output(&self, name: &str) -> Option<&Values> {
        let place = self.spec.outputs().position(|field| field.name == name)?;
        self.outputs.get(place)
    }

    /// Bytes that the recorded changes take.
    pub fn hint_bytes(&self) -> usize {
        self.hints.as_ref().map_or(0, Hints::bytes)
    }
}
