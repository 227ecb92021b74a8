//! The extension module `salsa_clrs._core`: converts, calls the Rust crates, converts back.
//!
//! There is no algorithm here. Objects never change, so threads share them without a lock; every
//! call that computes lets other Python threads run (`calling`), and every error becomes an
//! exception there. Samples are made on the calling thread alone: a data loader forks worker
//! processes, and a pool of threads would not survive that. Networks have threads of their own,
//! which end with the call.

mod arrays;
mod calling;
mod computing;
mod evaluating;
mod executing;
mod sample;
mod specs;
mod split;
mod trained;
mod training;

use pyo3::prelude::*;

/// What the package `salsa_clrs` is built on.
#[pymodule(name = "_core", gil_used = false)]
mod core {
    #[pymodule_export]
    use super::arrays::collate;
    #[pymodule_export]
    use super::evaluating::{evaluate, metrics};
    #[pymodule_export]
    use super::executing::execute;
    #[pymodule_export]
    use super::sample::PySample;
    #[pymodule_export]
    use super::specs::{algorithms, generators, suites};
    #[pymodule_export]
    use super::split::PySplit;
    #[pymodule_export]
    use super::trained::{evaluate_trained, predict, read_checkpoint, scores, write_checkpoint};
    #[pymodule_export]
    use super::training::{log, resume, train};
}
