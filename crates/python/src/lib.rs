//! The extension module `salsa_clrs._core`: converts, calls the Rust crates, converts back.
//!
//! There is no algorithm here. Objects never change, but for what they remember, so threads share
//! them; every call that computes lets other Python threads run (`calling`), and every error
//! becomes an exception there. Computations use the calling thread alone, because a data loader
//! forks worker processes and threads do not survive that; only a loader without workers has
//! threads, for as long as it is being read (`ahead`). Networks have threads of their own, which
//! end with the call; saving a data set uses a pool that stays, and is not for worker processes.

mod ahead;
mod arrays;
mod cache;
mod calling;
mod commanding;
mod computing;
mod evaluating;
mod executing;
mod own;
mod sample;
mod saving;
mod specs;
mod split;
mod trained;
mod training;

use pyo3::prelude::*;

/// Batches are made by one thread and freed by another; this allocator gives their memory back to
/// the first instead of to the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the package `salsa_clrs` is built on.
///
/// It relies on the interpreter's lock, and `build.rs` refuses a Python that has none.
#[pymodule(name = "_core", gil_used = true)]
mod core {
    use numpy::PyArray1;
    use pyo3::prelude::*;

    /// Finds NumPy now rather than in the middle of a call, where Ctrl-C would be in its way.
    #[pymodule_init]
    fn find_numpy(module: &Bound<'_, PyModule>) -> PyResult<()> {
        PyArray1::<f32>::zeros(module.py(), 0, false);
        Ok(())
    }

    #[pymodule_export]
    use super::ahead::Ahead;
    #[pymodule_export]
    use super::arrays::collate;
    #[pymodule_export]
    use super::commanding::command;
    #[pymodule_export]
    use super::evaluating::{evaluate, metrics};
    #[pymodule_export]
    use super::executing::{execute, given};
    #[pymodule_export]
    use super::own::PyAlgorithm;
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
