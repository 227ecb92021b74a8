//! Agreement with a reference computation of one training step, number by number.
//!
//! A case is a safetensors file with the parameters of a model, a batch, and what the reference
//! got for it in double precision: outputs, hints, hidden states, loss terms, gradients and running
//! statistics. The deviation of a tensor is the norm of the difference over the larger of its norm
//! and 1% of its group's; a group's is the worst of its tensors. Single precision agrees when that
//! is at most 1e-4 (gradients 1e-3) or five times what the reference's own single-precision run
//! deviates, but never more than 0.1. Where that run deviates by more than 0.02 single precision
//! says nothing, and the double-precision device is held to 1e-6 instead.

mod batch;
mod case;
mod run;
mod write;

use std::path::Path;

pub use case::{Case, CaseError};
use run::run;
use salsa_engine::reference::Reference;
use salsa_engine::tape::Tape;
pub use write::{processor_name, to_bytes};

use crate::compute::Compute;

/// How one group of tensors compares.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name in the file.
    pub name: String,
    /// The tensor that deviates most.
    pub worst: String,
    /// How much it deviates.
    pub deviation: f64,
    /// How much is allowed.
    pub limit: f64,
    /// Whether it was computed in double precision.
    pub double: bool,
}

impl Group {
    /// Whether the deviation is within the limit.
    pub fn agrees(&self) -> bool {
        self.deviation <= self.limit
    }
}

/// Compares a file with what the engine computes.
pub fn check(path: &Path, compute: Compute) -> Result<Vec<Group>, CaseError> {
    let case = Case::load(path)?;
    let names = case.groups();
    if names.is_empty() {
        return Err(case.malformed("no results are in it to compare"));
    }
    let hopeless = |name: &str| case.reference_deviation(name) > 0.02;
    let device = compute.device().map_err(CaseError::Cuda)?;
    let single = run(&case, Tape::on(device))?;
    let double = if names.iter().any(|name| hopeless(name)) {
        Some(run(&case, Tape::new(Reference))?)
    } else {
        None
    };
    let groups = names.iter().map(|name| {
        let (found, limit, in_double) = match &double {
            Some(found) if hopeless(name) => (found, 1e-6, true),
            _ => {
                let floor: f64 = if name == "grad" { 1e-3 } else { 1e-4 };
                (&single, floor.max(5.0 * case.reference_deviation(name)).min(0.1), false)
            }
        };
        let (worst, deviation) = case.deviation(name, found);
        Group { name: name.clone(), worst, deviation, limit, double: in_double }
    });
    Ok(groups.collect())
}
