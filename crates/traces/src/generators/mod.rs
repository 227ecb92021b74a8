//! Families of random and regular graphs, one file each.
//!
//! A family is found by name, reads its parameters once, and then gives connected graphs of any
//! size it allows. Adding one is a file and a line in [`ALL`]; suites, the command line and the
//! tests derive everything else from that list.

mod barabasi_albert;
mod complete;
mod cycle;
mod delaunay;
mod erdos_renyi;
mod geometric;
mod grid;
mod path;
mod rmat;
mod sbm;
mod star;
mod tree;
mod watts_strogatz;

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::graph::{Graph, GraphError};
use crate::nearest::did_you_mean;
use crate::parameters::{ParameterError, Parameters};

/// A family with its parameters fixed: gives graphs.
pub trait Generator: std::fmt::Debug + Send + Sync {
    /// Whether graphs of this many nodes can be made; `n_nodes` is at least 2.
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError>;

    /// A connected graph of `n_nodes` nodes, which [`Generator::check`] allows. Parameters that
    /// vary are drawn first, then the edges.
    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError>;
}

/// A family of graphs before its parameters are fixed.
#[derive(Debug)]
pub struct Family {
    /// The name in suites and on the command line.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// One line for `salsa list`.
    pub summary: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Reads the parameters; what it leaves is unknown.
    pub build: fn(&mut Parameters) -> Result<Box<dyn Generator>, ParameterError>,
}

/// A parameter of a family.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The value used when it is not given.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Every family.
pub static ALL: &[&Family] = &[
    &erdos_renyi::FAMILY,
    &watts_strogatz::FAMILY,
    &delaunay::FAMILY,
    &grid::FAMILY,
    &path::FAMILY,
    &tree::FAMILY,
    &complete::FAMILY,
    &star::FAMILY,
    &cycle::FAMILY,
    &barabasi_albert::FAMILY,
    &geometric::FAMILY,
    &sbm::FAMILY,
    &rmat::FAMILY,
];

/// Why a generator gave no graph.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GenerateError {
    /// No family has this name.
    #[error("unknown graph generator {name:?}{suggestion}")]
    Unknown {
        /// The name.
        name: String,
        /// The end of the message.
        suggestion: String,
    },
    /// A parameter cannot be used.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Too few nodes.
    #[error("nodes: a sampled graph needs at least 2 nodes, found {0}")]
    TooFewNodes(usize),
    /// No draw was connected.
    #[error("no connected graph of {n_nodes} nodes in {tries} tries with {parameters}; {advice}")]
    Disconnected {
        /// Nodes asked for.
        n_nodes: usize,
        /// Draws made.
        tries: u32,
        /// The parameters of the draws.
        parameters: String,
        /// What to change.
        advice: String,
    },
    /// The graph is too large.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The family called `name`.
pub fn find(name: &str) -> Result<&'static Family, GenerateError> {
    let names = || ALL.iter().flat_map(|family| family.names());
    ALL.iter().copied().find(|family| family.names().any(|known| known == name)).ok_or_else(|| {
        GenerateError::Unknown { name: name.to_owned(), suggestion: did_you_mean(name, names()) }
    })
}

impl Family {
    /// The name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// The generator with these parameters.
    pub fn with(&self, mut given: Parameters) -> Result<Box<dyn Generator>, ParameterError> {
        let generator = (self.build)(&mut given)?;
        given.finish(self.parameters.iter().map(|parameter| parameter.name))?;
        Ok(generator)
    }
}
