//! Processors: how the hidden states of nodes become the next ones.
//!
//! One processor a file. It builds its layers once; for every batch it is told the surroundings,
//! computes what does not change, and gives back a closure that makes one step.

mod gin;
mod pgn;
mod recgnn;

use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::nearest::did_you_mean;
use thiserror::Error;

pub use super::input::{OnInput, Sizes, State, Surroundings};
use super::layers::Builder;

/// One step: the next hidden state `[n_nodes, hidden]`.
pub type Step<'a> = Box<dyn FnMut(&mut Tape, &State) -> Tensor + 'a>;

/// The recurrent part of a network.
pub trait Processor {
    /// Computes what is the same for all steps of a batch, and gives the step.
    fn begin<'a>(&'a self, tape: &mut Tape, surroundings: &Surroundings) -> Step<'a>;
}

/// A processor by name.
pub struct Kind {
    /// Its name in commands and files.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The paper's learning rate for it.
    pub learning_rate: f64,
    /// Makes its layers.
    pub build: fn(&mut Builder<'_>, Sizes) -> Box<dyn Processor>,
}

/// All processors, in the paper's order.
pub static ALL: &[&Kind] = &[&gin::GIN, &pgn::PGN, &recgnn::RECGNN];

/// No processor has this name.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("no model is called {name}{suggestion}; there are {}", known())]
pub struct UnknownProcessor {
    name: String,
    suggestion: String,
}

fn known() -> String {
    names().join(", ")
}

/// The names of all processors.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|kind| kind.name).collect()
}

/// A processor by its name.
pub fn find(name: &str) -> Result<&'static Kind, UnknownProcessor> {
    ALL.iter().find(|kind| kind.name == name).copied().ok_or_else(|| UnknownProcessor {
        name: name.to_owned(),
        suggestion: did_you_mean(name, ALL.iter().map(|kind| kind.name)),
    })
}
