//! Batches made ahead by threads of their own, while Python uses those before.
//!
//! The threads know nothing of Python and never wait for its lock. They end when the object that
//! owns them goes away; a forked process has none of them and must not use the object.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use salsa_traces::collate::Collated;

use crate::arrays::batch_dict;
use crate::calling::{Raised, call};
use crate::split::PySplit;

type Batch = Result<Collated, Raised>;

/// Indices of a batch, and where to put it.
type Job = (Vec<u64>, Sender<Batch>);

/// Batches of a split in the order in which they were asked for.
#[pyclass(frozen, name = "Ahead", module = "salsa_clrs._core")]
pub struct Ahead {
    jobs: Sender<Job>,
    asked: Mutex<VecDeque<Receiver<Batch>>>,
}

#[pymethods]
impl Ahead {
    /// Starts `threads` threads, at least one.
    #[new]
    fn new(split: &Bound<'_, PySplit>, hints: bool, threads: usize) -> PyResult<Self> {
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads.max(1) {
            let (waiting, split) = (waiting.clone(), split.get().clone());
            let work = move || {
                while let Some((indices, to)) = next(&waiting) {
                    // Whoever asked may have gone.
                    let _ = to.send(split.collated(&indices, hints, || Ok(())));
                }
            };
            thread::Builder::new().name("salsa batches".to_owned()).spawn(work)?;
        }
        Ok(Self { jobs, asked: Mutex::default() })
    }

    /// Asks for a batch.
    fn push(&self, indices: Vec<u64>) -> PyResult<()> {
        let (to, from) = channel();
        self.jobs.send((indices, to)).map_err(|_| gone())?;
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push_back(from);
        Ok(())
    }

    /// The next batch, in the order of asking; waits for it, unless Ctrl-C comes first.
    fn pop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let next = self.asked.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let from = Mutex::new(next.ok_or_else(gone)?);
        let batch = call(py, || {
            let from = from.into_inner().unwrap_or_else(PoisonError::into_inner);
            loop {
                match from.recv_timeout(std::time::Duration::from_millis(100)) {
                    Ok(batch) => return batch,
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals()).map_err(Raised::from)?;
                    }
                    Err(_) => return Err(Raised::from(gone())),
                }
            }
        })?;
        batch_dict(py, batch)
    }
}

fn next(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn gone() -> PyErr {
    PyRuntimeError::new_err("no batch is under way")
}
