//! What is shown: the dense hints of an execution, as plain lists, and beside those of an oracle.

use proptest::prelude::*;
use salsa_traces::trajectory::{Trajectory, Values};

/// All that an oracle shows at one step: every hint, by name.
pub type Shown = Vec<(&'static str, Values)>;

/// Whether the execution shows exactly what the oracle does, at every step.
pub fn check_hints(trajectory: &Trajectory, expected: &[Shown]) -> Result<(), TestCaseError> {
    prop_assert_eq!(trajectory.length as usize, expected.len(), "length");
    for field in trajectory.spec.hints() {
        let found = trajectory.hint(&field.name).unwrap().all();
        prop_assert_eq!(found.len(), expected.len());
        for (step, (found, shown)) in found.iter().zip(expected).enumerate() {
            let (_, values) = shown.iter().find(|(name, _)| *name == field.name).unwrap();
            prop_assert_eq!(found, values, "{} at step {}", field.name, step);
        }
    }
    Ok(())
}

/// The values of a mask at every step.
pub fn masks(trajectory: &Trajectory, name: &str) -> Vec<Vec<bool>> {
    all(trajectory, name).into_iter().map(mask).collect()
}

/// The values of a scalar at every step.
pub fn scalars(trajectory: &Trajectory, name: &str) -> Vec<Vec<f64>> {
    all(trajectory, name).into_iter().map(scalar).collect()
}

/// The targets of a pointer at every step.
pub fn pointers(trajectory: &Trajectory, name: &str) -> Vec<Vec<u32>> {
    all(trajectory, name).into_iter().map(pointer).collect()
}

/// The marked node at every step.
pub fn marked(trajectory: &Trajectory, name: &str) -> Vec<u32> {
    let node = |values| match values {
        Values::MaskOne(node) => node,
        _ => panic!("a marked node was expected: {values:?}"),
    };
    all(trajectory, name).into_iter().map(node).collect()
}

/// The output `pi`.
pub fn pi(trajectory: &Trajectory) -> Vec<u32> {
    pointer(trajectory.output("pi").unwrap().clone())
}

/// The values of a mask.
pub fn mask(values: Values) -> Vec<bool> {
    let Values::Mask(values) = values else { panic!("a mask was expected: {values:?}") };
    values
}

fn all(trajectory: &Trajectory, name: &str) -> Vec<Values> {
    trajectory.hint(name).unwrap().all()
}

fn scalar(values: Values) -> Vec<f64> {
    let Values::Scalar(values) = values else { panic!("scalars were expected: {values:?}") };
    values
}

fn pointer(values: Values) -> Vec<u32> {
    let Values::Pointer(values) = values else { panic!("pointers were expected: {values:?}") };
    values
}
