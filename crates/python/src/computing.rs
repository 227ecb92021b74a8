//! Where networks compute, and how a long computation hears of Ctrl-C.
//!
//! Python notes a signal and acts on it in the interpreter, which waits while Rust computes. So a
//! computation asks now and then, on the thread that called it; only the main thread gets an answer.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use salsa_learn::compute::{Compute, CudaOptions, DeviceName, Precision, precision};

/// A device, its precision and the number of threads, as Python names them.
#[derive(FromPyObject)]
pub struct Computing(String, String, Option<usize>);

impl Computing {
    /// What they say.
    pub fn compute(&self) -> PyResult<Compute> {
        let Self(device, rounded, threads) = self;
        let wrong = |name: &str, problem: &str| PyValueError::new_err(format!("{name}: {problem}"));
        let precision = precision(rounded).map_err(|problem| wrong("precision", &problem))?;
        let device = device.parse().map_err(|problem: String| wrong("device", &problem))?;
        match (device, threads) {
            (DeviceName::Cpu, _) if precision != Precision::Single => {
                Err(wrong("precision", "the CPU computes in f32"))
            }
            (DeviceName::Cpu, Some(0)) => Err(wrong("threads", "expected at least 1, found 0")),
            (DeviceName::Cpu, threads) => {
                let all = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
                Ok(Compute::Cpu { n_threads: threads.unwrap_or_else(all) })
            }
            (DeviceName::Cuda(_), Some(_)) => Err(wrong("threads", "only for the CPU")),
            (DeviceName::Cuda(ordinal), None) => {
                Ok(Compute::Cuda(CudaOptions { ordinal, precision, ..CudaOptions::default() }))
            }
        }
    }
}

/// Asks whether a computation should go on, and keeps the exception if it should not.
pub struct Watch {
    asked: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

/// Often enough for a person, and rarely enough to cost nothing.
const BETWEEN: Duration = Duration::from_millis(50);

impl Watch {
    pub fn new() -> Self {
        Self { asked: Cell::new(Instant::now()), raised: RefCell::new(None) }
    }

    /// Whether something was raised, by a signal or by [`Watch::keep`].
    pub fn stops(&self) -> bool {
        if self.raised.borrow().is_none() && self.asked.get().elapsed() >= BETWEEN {
            self.keep(Python::attach(|py| py.check_signals()));
            self.asked.set(Instant::now());
        }
        self.raised.borrow().is_some()
    }

    /// The value, or nothing and the computation is to stop.
    pub fn keep<T>(&self, result: PyResult<T>) -> Option<T> {
        result.map_err(|error| *self.raised.borrow_mut() = Some(error)).ok()
    }

    /// What was raised, if anything.
    pub fn finish(self) -> PyResult<()> {
        self.raised.into_inner().map_or(Ok(()), Err)
    }
}
