//! What there is: algorithms with their features, families of graphs, suites.

use pyo3::prelude::*;
use salsa_traces::algorithms as known_algorithms;
use salsa_traces::generators::ALL as FAMILIES;
use salsa_traces::spec::{Field, Kind};
use salsa_traces::suite::BUILT_IN;

/// A feature: name, stage, location, type, number of classes.
type Feature = (String, String, String, String, Option<u8>);

/// Every algorithm: name, published name, whether it is one of the benchmark, features.
#[pyfunction]
pub fn algorithms() -> Vec<(String, String, bool, Vec<Feature>)> {
    let benchmark = known_algorithms::benchmark().len();
    let all = known_algorithms::ALL.iter().enumerate().map(|(place, algorithm)| {
        let spec = algorithm.spec();
        let features = spec.fields.iter().map(feature).collect();
        let published = algorithm.published_name().to_owned();
        (spec.algorithm.to_string(), published, place < benchmark, features)
    });
    all.collect()
}

/// Every family of graphs: name and what it is.
#[pyfunction]
pub fn generators() -> Vec<(&'static str, &'static str)> {
    FAMILIES.iter().map(|family| (family.name, family.summary)).collect()
}

/// The built-in suites.
#[pyfunction]
pub fn suites() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

fn feature(field: &Field) -> Feature {
    let classes = match field.kind {
        Kind::Categorical { classes } => Some(classes),
        _ => None,
    };
    let Field { name, stage, location, kind } = field;
    (name.to_string(), stage.to_string(), location.to_string(), kind.to_string(), classes)
}
