//! The algorithms, one file each with its own spec.
//!
//! An algorithm reads a [`Problem`] and notes its state in a [`Recorder`], step by step. Adding
//! one is a file and a line in [`ALL`]; suites, files, the command line and the tests derive
//! everything else from its spec.

mod articulation_points;
mod bellman_ford;
mod bfs;
mod bridges;
mod components;
mod dfs;
mod dijkstra;
mod eccentricity;
mod k_core;
mod mis;
mod mst;

use thiserror::Error;

use crate::execution::{ExecuteError, Problem};
use crate::nearest::did_you_mean;
use crate::spec::Spec;
use crate::trajectory::Recorder;

/// An algorithm whose execution is recorded.
pub trait Algorithm: Send + Sync {
    /// Its name and features.
    fn spec(&self) -> &Spec;

    /// One line for `salsa list`.
    fn summary(&self) -> &'static str;

    /// The name in the published package, where it differs.
    fn published_name(&self) -> &str {
        &self.spec().algorithm
    }

    /// Runs on a problem that has every input of the spec.
    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError>;
}

/// Every algorithm: first the six of the benchmark, then the others.
pub static ALL: &[&dyn Algorithm] = &[
    &bfs::Bfs,
    &dfs::Dfs,
    &dijkstra::Dijkstra,
    &mst::Mst,
    &mis::Mis,
    &eccentricity::Eccentricity,
    &bellman_ford::BellmanFord,
    &articulation_points::ArticulationPoints,
    &bridges::Bridges,
    &components::Components,
    &k_core::KCore,
];

/// The six algorithms of the benchmark.
pub fn benchmark() -> &'static [&'static dyn Algorithm] {
    &ALL[..6]
}

/// A name that is no algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown algorithm {name:?}{suggestion}")]
pub struct UnknownAlgorithm {
    /// The name.
    pub name: String,
    /// The end of the message.
    pub suggestion: String,
}

/// The algorithm called `name`, here or in the published package.
pub fn find(name: &str) -> Result<&'static dyn Algorithm, UnknownAlgorithm> {
    let names = |algorithm: &'static dyn Algorithm| {
        [&*algorithm.spec().algorithm, algorithm.published_name()]
    };
    ALL.iter().copied().find(|&algorithm| names(algorithm).contains(&name)).ok_or_else(|| {
        let known = ALL.iter().flat_map(|&algorithm| names(algorithm));
        UnknownAlgorithm { name: name.to_owned(), suggestion: did_you_mean(name, known) }
    })
}
