//! How a command fails: one line on the standard error, exit code 2 for what the user can mend
//! in the command or the file given, 75 for what was stopped and can go on, 1 for the rest.

use std::io;
use std::path::Path;

use crate::help::command_line;
use salsa_engine::cuda::CudaError;
use salsa_learn::checkpoint::CheckpointError;
use salsa_learn::evaluation::EvaluateError;
use salsa_learn::network::NetworkError;
use salsa_learn::parity::CaseError;
use salsa_learn::run::RunError;
use salsa_learn::training::{PlanError, TrainError};
use salsa_sweep::folder::FolderError;
use salsa_sweep::plan::PlanError as SweepError;
use salsa_traces::algorithms::UnknownAlgorithm;
use salsa_traces::convention::UnknownConvention;
use salsa_traces::dataset::{DatasetError, StoredError, VerifyError};
use salsa_traces::execution::ExecuteError;
use salsa_traces::export::{ShardError, UnknownFormat};
use salsa_traces::files;
use salsa_traces::generators::GenerateError;
use salsa_traces::parameters::ParameterError;
use salsa_traces::sample::SampleError;
use salsa_traces::suite::SuiteError;
use thiserror::Error;

/// Why a command did not do its work.
#[derive(Debug, Error)]
pub enum Failure {
    /// The user's mistake.
    #[error("{0}")]
    Mistake(String),
    /// Anything else.
    #[error("{0}")]
    System(String),
    /// A clean stop with work left to do, which a scheduler may want to know.
    #[error("{0}")]
    Unfinished(String),
    /// Whoever read the output has read enough.
    #[error("the output was closed")]
    ClosedOutput,
}

impl Failure {
    /// A mistake of the user.
    pub fn mistake(message: impl ToString) -> Self {
        Self::Mistake(message.to_string())
    }

    /// Somebody asked a command to stop, and it has saved what it did.
    pub fn stopped() -> Self {
        Self::Unfinished("stopped with work left to do".to_owned())
    }

    /// The standard output failed.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedOutput,
            _ => Self::System(format!("standard output: {error}")),
        }
    }

    /// Reading `path` failed.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        let message = format!("{}: {error}", path.display());
        match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::InvalidData => Self::Mistake(message),
            io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                Self::Mistake(format!("{message}; the file is cut off, damaged or no gzip file"))
            }
            _ => Self::System(message),
        }
    }

    /// Writing `path` failed.
    pub fn writing(path: &str, error: &io::Error) -> Self {
        let (kind, error) = (error.kind(), files::told(error));
        match kind {
            io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::ReadOnlyFilesystem => Self::Mistake(format!(
                "{path}: {error}; choose a place you can write to with --out"
            )),
            io::ErrorKind::StorageFull
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::QuotaExceeded => {
                Self::System(format!("{path}: {error}; free some space or choose another --out"))
            }
            _ => Self::System(format!("{path}: {error}")),
        }
    }

    /// 2 for a mistake, 75 for a stop, 1 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Mistake(_) => 2,
            Self::System(_) => 1,
            Self::Unfinished(_) => UNFINISHED,
            Self::ClosedOutput => 0,
        }
    }
}

/// What `sysexits.h` calls a temporary failure: trying again will help.
const UNFINISHED: u8 = 75;

/// What clap says of a wrong command line, as one line; `words` is that command line.
pub fn usage_line(error: &clap::Error, words: impl IntoIterator<Item = String>) -> String {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut line = lines.next().unwrap_or("error: wrong usage").to_owned();
    let is_message =
        |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    for more in lines.filter(is_message) {
        line.push_str(if line.ends_with(':') { " " } else { "; " });
        line.push_str(more.trim_start_matches("tip: "));
    }
    // The words of the standard library, in the user's.
    let line = line.replace("invalid digit found in string", "expected a whole number");
    let line = line.replace("invalid float literal", "expected a number");
    let mut command = command_line();
    let mut name = command.get_name().to_owned();
    for word in words {
        let Some(subcommand) = command.find_subcommand(&word) else { break };
        name = format!("{name} {word}");
        command = subcommand.clone();
    }
    format!("{line} (see {name} --help)")
}

macro_rules! mistakes {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::mistake(error)
            }
        }
    )*};
}

mistakes!(UnknownConvention, UnknownFormat, GenerateError, ParameterError);

impl From<UnknownAlgorithm> for Failure {
    fn from(error: UnknownAlgorithm) -> Self {
        Self::mistake(format!("{error} (see salsa list algorithms)"))
    }
}

impl From<SuiteError> for Failure {
    fn from(error: SuiteError) -> Self {
        match error {
            SuiteError::Read { path, error } => Self::reading(Path::new(&path), &error),
            other => Self::mistake(other),
        }
    }
}

impl From<ExecuteError> for Failure {
    fn from(error: ExecuteError) -> Self {
        match error {
            ExecuteError::Record(broken) => Self::System(broken.to_string()),
            other => Self::mistake(other),
        }
    }
}

impl From<SampleError> for Failure {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::Suite(error) => error.into(),
            SampleError::Execute { .. } => Self::System(error.to_string()),
            SampleError::Index { .. } | SampleError::Generate { .. } => Self::mistake(error),
        }
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Sample(error) => error.into(),
            DatasetError::Shard(error) => Self::System(error.to_string()),
            DatasetError::Stored(error) => (*error).into(),
            DatasetError::Manifest(error) => (*error).into(),
            DatasetError::Occupied { .. } => Self::mistake(error),
            DatasetError::Write { path, error } => Self::writing(&path, &error),
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Read { path, error } => Self::reading(Path::new(&path), &error),
            VerifyError::Manifest { .. } => Self::mistake(error),
            damaged => Self::System(damaged.to_string()),
        }
    }
}

impl From<StoredError> for Failure {
    fn from(error: StoredError) -> Self {
        match error {
            StoredError::Manifest(error) => (*error).into(),
            StoredError::Shard { path, error: ShardError::Io(error) } => {
                Self::reading(Path::new(&path), &error)
            }
            damaged => Self::mistake(damaged),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Read { path, error } => Self::reading(Path::new(&path), &error),
            SweepError::Suite(error) => error.into(),
            invalid => Self::mistake(invalid),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Plan(error) => error.into(),
            FolderError::File { path, error } => Self::writing(&path, &error),
            other => Self::mistake(other),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Read { path, error } => Self::reading(Path::new(&path), &error),
            invalid => Self::mistake(invalid),
        }
    }
}

impl From<CaseError> for Failure {
    fn from(error: CaseError) -> Self {
        match error {
            CaseError::Read { path, source } => Self::reading(&path, &source),
            CaseError::Cuda(error) => error.into(),
            malformed => Self::mistake(malformed),
        }
    }
}

/// What a machine has is no mistake in the command.
impl From<CudaError> for Failure {
    fn from(error: CudaError) -> Self {
        Self::System(error.to_string())
    }
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Cuda(error) => error.into(),
            // A run that no network fits.
            other => Self::mistake(other),
        }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Suite(error) => error.into(),
            TrainError::Sample(error) => error.into(),
            TrainError::Network(error) => error.into(),
            TrainError::TooLong { .. } => Self::mistake(error),
            TrainError::Device(_) => Self::System(format!("{error}, go on with --resume")),
            // One sample cannot be fewer.
            TrainError::OutOfMemory { error, batch: 1 } => {
                Self::System(format!("{error}; begin again with a lower --hidden"))
            }
            TrainError::OutOfMemory { error, .. } => Self::System(format!(
                "{error}; go on from the last checkpoint with --resume and a lower --batch, or \
                 begin again with a lower --hidden"
            )),
            TrainError::Checkpoint(CheckpointError::Write { path, error }) => {
                Self::writing(&path, &error)
            }
            other => Self::System(other.to_string()),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        match error {
            CheckpointError::Read { path, error } => Self::reading(Path::new(&path), &error),
            CheckpointError::Write { path, error } => Self::writing(&path, &error),
            other => Self::mistake(other),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Occupied { path } => Self::mistake(format!(
                "{path} holds a run already; go on with --resume {path}, or choose another --out"
            )),
            PlanError::NothingToResume(_) | PlanError::Checkpoint(_) => Self::mistake(error),
            PlanError::Run(error) => error.into(),
            PlanError::Suite(error) => error.into(),
            PlanError::Train(error) => error.into(),
            PlanError::Write { path, error } => Self::writing(&path, &error),
        }
    }
}

impl From<EvaluateError> for Failure {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Sample(error) => error.into(),
            EvaluateError::Network(error) => error.into(),
            // A graph that lacks what the network reads.
            EvaluateError::Batch { .. } => Self::mistake(error),
            EvaluateError::Mismatch { .. } | EvaluateError::BrokenOff => {
                Self::System(error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_without_memory_is_told_what_to_lower() {
        let told = |batch| {
            let mib = |n: u64| n << 20;
            let (needed, held) = (mib(64), mib(900));
            let error = CudaError::OutOfMemory { needed, held, free: mib(24), total: mib(1000) };
            Failure::from(TrainError::OutOfMemory { error, batch }).to_string()
        };
        assert_eq!(
            told(8),
            "the GPU is out of memory: 64 MiB more were needed, 900 MiB are in use here and 24 MiB \
             of 1000 MiB are free; go on from the last checkpoint with --resume and a lower \
             --batch, or begin again with a lower --hidden"
        );
        assert!(told(1).ends_with("of 1000 MiB are free; begin again with a lower --hidden"));
    }
}
