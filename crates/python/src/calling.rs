//! The one place that lets other Python threads run and turns errors into exceptions.

use std::io;
use std::time::{Duration, Instant};

use pyo3::exceptions::{
    PyFileExistsError, PyFloatingPointError, PyIndexError, PyRuntimeError, PyTypeError,
    PyValueError,
};
use pyo3::prelude::*;
use salsa_learn::batch::BatchError;
use salsa_learn::checkpoint::CheckpointError;
use salsa_learn::evaluation::EvaluateError;
use salsa_learn::network::NetworkError;
use salsa_learn::run::RunError;
use salsa_learn::training::log::LogError;
use salsa_learn::training::{PlanError, TrainError};
use salsa_traces::algorithms::UnknownAlgorithm;
use salsa_traces::collate::CollateError;
use salsa_traces::convention::UnknownConvention;
use salsa_traces::dataset::{DatasetError, StoredError, VerifyError};
use salsa_traces::execution::ExecuteError;
use salsa_traces::export::arrow::ShardError;
use salsa_traces::export::binary::BinaryError;
use salsa_traces::generators::GenerateError;
use salsa_traces::graph::GraphError;
use salsa_traces::parameters::ParameterError;
use salsa_traces::sample::SampleError;
use salsa_traces::suite::SuiteError;

use crate::own::exception;

/// Does `work` while other Python threads run.
pub fn call<T, E>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T>
where
    T: Send,
    E: Into<Raised> + Send,
{
    py.detach(work).map_err(raised)
}

/// Looks now and then whether someone wants to interrupt long work.
pub struct Patience(Instant);

impl Patience {
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// The exception of a signal that came, such as Ctrl-C; asks no more than ten times a second.
    pub fn check(&mut self) -> Result<(), Raised> {
        if self.0.elapsed() < Duration::from_millis(100) {
            return Ok(());
        }
        self.0 = Instant::now();
        Python::attach(|py| py.check_signals()).map_err(Raised)
    }
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
    BatchError,
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
            ExecuteError::Failed(_) => exception(message),
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
            SampleError::Execute { error: ExecuteError::Failed(_), .. } => Self(exception(message)),
            SampleError::Execute { .. } => Self(PyRuntimeError::new_err(message)),
        }
    }
}

impl From<StoredError> for Raised {
    fn from(error: StoredError) -> Self {
        let message = error.to_string();
        let kind = match error {
            StoredError::Sample(error) => return error.into(),
            StoredError::NoSample { .. } => return Self(PyIndexError::new_err(message)),
            StoredError::Shard { error: ShardError::Io(error), .. } => error.kind(),
            StoredError::Manifest(error) => match *error {
                VerifyError::Read { error, .. } => error.kind(),
                _ => return Self(PyValueError::new_err(message)),
            },
            _ => return Self(PyValueError::new_err(message)),
        };
        Self(io::Error::new(kind, message).into())
    }
}

impl From<DatasetError> for Raised {
    fn from(error: DatasetError) -> Self {
        let message = error.to_string();
        match error {
            DatasetError::Sample(error) => error.into(),
            DatasetError::Stored(error) => (*error).into(),
            DatasetError::Write { error, .. } => Self(io::Error::new(error.kind(), message).into()),
            DatasetError::Occupied { .. } => Self(PyFileExistsError::new_err(message)),
            DatasetError::Shard(_) | DatasetError::Manifest(_) => {
                Self(PyValueError::new_err(message))
            }
        }
    }
}

/// An error of the system, with the whole message.
fn system(error: &io::Error, message: String) -> Raised {
    Raised(io::Error::new(error.kind(), message).into())
}

impl From<RunError> for Raised {
    fn from(error: RunError) -> Self {
        let message = error.to_string();
        match error {
            RunError::Read { error, .. } => system(&error, message),
            // To Python it is a keyword argument that nobody takes.
            RunError::UnknownSetting { .. } => Self(PyTypeError::new_err(message)),
            _ => Self(PyValueError::new_err(message)),
        }
    }
}

impl From<CheckpointError> for Raised {
    fn from(error: CheckpointError) -> Self {
        let message = error.to_string();
        match error {
            CheckpointError::Read { error, .. } | CheckpointError::Write { error, .. } => {
                system(&error, message)
            }
            CheckpointError::NoBest { .. } => system(&io::ErrorKind::NotFound.into(), message),
            CheckpointError::Malformed { .. } => Self(PyValueError::new_err(message)),
        }
    }
}

impl From<LogError> for Raised {
    fn from(error: LogError) -> Self {
        let message = error.to_string();
        match error {
            LogError::File { error, .. } => system(&error, message),
            LogError::Malformed { .. } => Self(PyValueError::new_err(message)),
        }
    }
}

impl From<NetworkError> for Raised {
    fn from(error: NetworkError) -> Self {
        let message = error.to_string();
        Self(match error {
            NetworkError::Cuda(_) => PyRuntimeError::new_err(message),
            _ => PyValueError::new_err(message),
        })
    }
}

impl From<TrainError> for Raised {
    fn from(error: TrainError) -> Self {
        let message = error.to_string();
        match error {
            TrainError::Network(error) => error.into(),
            TrainError::Suite(error) => error.into(),
            TrainError::Sample(error) => error.into(),
            TrainError::Checkpoint(error) => error.into(),
            TrainError::Log(error) => error.into(),
            TrainError::NotFinite { .. } => Self(PyFloatingPointError::new_err(message)),
            _ => Self(PyRuntimeError::new_err(message)),
        }
    }
}

impl From<PlanError> for Raised {
    fn from(error: PlanError) -> Self {
        let message = error.to_string();
        match error {
            PlanError::Occupied { .. } => Self(PyFileExistsError::new_err(message)),
            PlanError::NothingToResume(CheckpointError::Read { error, .. })
            | PlanError::Write { error, .. } => system(&error, message),
            PlanError::NothingToResume(_) | PlanError::Checkpoint(_) => {
                Self(PyValueError::new_err(message))
            }
            PlanError::Run(error) => error.into(),
            PlanError::Suite(error) => error.into(),
            PlanError::Train(error) => error.into(),
        }
    }
}

impl From<EvaluateError> for Raised {
    fn from(error: EvaluateError) -> Self {
        let message = error.to_string();
        match error {
            EvaluateError::Network(error) => error.into(),
            EvaluateError::Sample(error) => error.into(),
            EvaluateError::Batch { .. } => Self(PyValueError::new_err(message)),
            _ => Self(PyRuntimeError::new_err(message)),
        }
    }
}

impl From<serde_json::Error> for Raised {
    fn from(error: serde_json::Error) -> Self {
        Self(PyRuntimeError::new_err(error.to_string()))
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}
