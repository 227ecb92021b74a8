//! The one place that lets other Python threads run and turns errors into exceptions.

use std::io;

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use salsa_traces::algorithms::UnknownAlgorithm;
use salsa_traces::collate::CollateError;
use salsa_traces::convention::UnknownConvention;
use salsa_traces::execution::ExecuteError;
use salsa_traces::export::binary::BinaryError;
use salsa_traces::generators::GenerateError;
use salsa_traces::graph::GraphError;
use salsa_traces::parameters::ParameterError;
use salsa_traces::sample::SampleError;
use salsa_traces::suite::SuiteError;

/// Does `work` while other Python threads run.
pub fn call<T, E>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T>
where
    T: Send,
    E: Into<Raised> + Send,
{
    py.detach(work).map_err(raised)
}

/// The exception for an error.
pub fn raised(error: impl Into<Raised>) -> PyErr {
    error.into().0
}

/// An exception with the message of the error it was made from.
pub struct Raised(PyErr);

macro_rules! value_errors {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Raised {
            fn from(error: $error) -> Self {
                Self(PyValueError::new_err(error.to_string()))
            }
        }
    )*};
}

value_errors!(
    BinaryError,
    CollateError,
    GenerateError,
    GraphError,
    ParameterError,
    UnknownAlgorithm,
    UnknownConvention,
);

impl From<SuiteError> for Raised {
    fn from(error: SuiteError) -> Self {
        let message = error.to_string();
        Self(match error {
            SuiteError::Read { error, .. } => io::Error::new(error.kind(), message).into(),
            _ => PyValueError::new_err(message),
        })
    }
}

impl From<ExecuteError> for Raised {
    fn from(error: ExecuteError) -> Self {
        let message = error.to_string();
        Self(match error {
            ExecuteError::Record(_) => PyRuntimeError::new_err(message),
            _ => PyValueError::new_err(message),
        })
    }
}

impl From<SampleError> for Raised {
    fn from(error: SampleError) -> Self {
        let message = error.to_string();
        match error {
            SampleError::Suite(error) => error.into(),
            SampleError::Index { .. } => Self(PyIndexError::new_err(message)),
            SampleError::Generate { .. } => Self(PyValueError::new_err(message)),
            SampleError::Execute { .. } => Self(PyRuntimeError::new_err(message)),
        }
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}
