//! Writing samples to disk from Python.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use salsa_traces::dataset::{Request, write};

use crate::calling::{Raised, call};

/// Writes what `request` asks for into `root` and gives the folder; Ctrl-C ends it after a shard,
/// and the next call goes on from there.
pub fn save(py: Python<'_>, request: &Request<'_>, root: &Path) -> PyResult<PathBuf> {
    call(py, || {
        // Writing has no way to be told to stop, so an interrupt unwinds through it.
        let watch = |_| {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                resume_unwind(Box::new(error));
            }
        };
        match catch_unwind(AssertUnwindSafe(|| write(request, root, &watch))) {
            Ok(written) => Ok(written?.0),
            Err(cause) => match cause.downcast::<PyErr>() {
                Ok(interrupt) => Err(Raised::from(*interrupt)),
                Err(panic) => resume_unwind(panic),
            },
        }
    })
}
