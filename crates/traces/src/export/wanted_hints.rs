//! Hints that are wanted and not stored are made again; those that nobody wants are dropped.

use crate::algorithms::Algorithm;
use crate::convention::Convention;
use crate::execution::{Options, execute};
use crate::sample::Sample;

/// The sample with hints or without; an error if the algorithm does not give its outputs.
pub(crate) fn with_wanted_hints(
    mut sample: Sample,
    algorithm: &dyn Algorithm,
    convention: Convention,
    hints: bool,
) -> Result<Sample, String> {
    if !hints {
        sample.trajectory.hints = None;
    } else if sample.trajectory.hints.is_none() {
        let options = Options { hints: true, convention };
        let (_, again) = execute(algorithm, &sample.graph, sample.inputs.clone(), options)
            .map_err(|error| error.to_string())?;
        let is_same =
            again.length == sample.trajectory.length && again.outputs == sample.trajectory.outputs;
        if !is_same {
            return Err("its outputs are not those of its algorithm".to_owned());
        }
        sample.trajectory = again;
    }
    Ok(sample)
}
