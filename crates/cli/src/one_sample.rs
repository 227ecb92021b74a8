//! The arguments that name one sample: of a suite, of a distribution, or in a file.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_traces::algorithms::Algorithm;
use salsa_traces::dataset::{StoredError, StoredSplit, manifest_path};
use salsa_traces::export::arrow::Shard;
use salsa_traces::export::columns::Rows;
use salsa_traces::export::{Format, ShardError, binary, json_lines, npz, parquet};
use salsa_traces::sample::{Sample, Sampler};

use crate::arguments::{AlgorithmArgument, DataArguments};
use crate::failure::Failure;
use crate::lines::numbered_lines;

/// Which sample.
#[derive(Debug, Args)]
pub struct SampleArguments {
    #[command(flatten)]
    algorithm: AlgorithmArgument,

    #[command(flatten)]
    data: DataArguments,

    /// Split of the suite
    #[arg(
        long,
        value_name = "NAME",
        default_value = "train",
        conflicts_with = "generator",
        help_heading = "Data"
    )]
    split: String,

    /// Index of the sample, from 0
    #[arg(long, short, default_value_t = 0, help_heading = "Data")]
    index: u64,

    /// Take the sample from a file or a folder of shards written by salsa generate
    #[arg(
        long,
        conflicts_with_all = ["suite", "seed", "generator", "split"],
        help_heading = "Data"
    )]
    file: Option<PathBuf>,
}

impl SampleArguments {
    /// The sample, with hints unless a file of records without a manifest left them out.
    pub fn load(&self) -> Result<Sample, Failure> {
        let algorithm = self.algorithm.find()?;
        if let Some(file) = &self.file {
            return from_file(file, self.index, algorithm);
        }
        let suite = self.data.suite(self.index.saturating_add(1))?;
        let split = if self.data.generator.is_some() { "custom" } else { &self.split };
        let sampler = Sampler::new(&suite, self.data.seed(&suite), algorithm, split)?;
        Ok(sampler.sample(self.index, true)?)
    }
}

fn from_file(path: &Path, index: u64, algorithm: &dyn Algorithm) -> Result<Sample, Failure> {
    let sample = match manifest_path(path).exists() {
        true => from_data_set(path, index)?,
        false => from_lone_file(path, index, algorithm)?,
    };
    let (place, spec) = (path.display(), algorithm.spec());
    let found = &sample.trajectory.spec.algorithm;
    if *found != spec.algorithm {
        let problem = format!("{place}: sample {index} is of {found}, not of {}", spec.algorithm);
        return Err(Failure::mistake(problem));
    }
    Ok(sample)
}

fn from_data_set(path: &Path, index: u64) -> Result<Sample, Failure> {
    match StoredSplit::open(path)?.sample(index, true) {
        Err(StoredError::NoSample { .. }) => Err(no_sample(path, index)),
        other => Ok(other?),
    }
}

/// From one shard of a data set, or from a file that no manifest speaks of.
fn from_lone_file(path: &Path, index: u64, algorithm: &dyn Algorithm) -> Result<Sample, Failure> {
    let told = |error: ShardError| match error {
        ShardError::NoSample { .. } => no_sample(path, index),
        error => StoredError::Shard { path: path.display().to_string(), error }.into(),
    };
    let bytes = || Ok::<_, ShardError>(std::fs::read(path)?.into());
    let rows = |rows: Rows| rows.sample(index, true);
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.and_then(|extension| extension.parse().ok()) {
        Some(Format::Arrow) => {
            Shard::open(path).and_then(|shard| shard.sample(index, true)).map_err(told)
        }
        Some(Format::Parquet) => bytes().and_then(parquet::read).and_then(rows).map_err(told),
        Some(Format::Npz) => bytes().and_then(npz::read).and_then(rows).map_err(told),
        _ => from_records(path, index, algorithm),
    }
}

fn no_sample(path: &Path, index: u64) -> Failure {
    Failure::mistake(format!("{}: there is no sample {index}", path.display()))
}

fn from_records(path: &Path, index: u64, algorithm: &dyn Algorithm) -> Result<Sample, Failure> {
    let place = path.display();
    let file = File::open(path).map_err(|error| Failure::reading(path, &error))?;
    let reader = BufReader::new(file);
    let at = usize::try_from(index).unwrap_or(usize::MAX);
    let missing = || no_sample(path, index);
    if path.extension().is_some_and(|extension| extension == "bin") {
        let damaged = |error: binary::BinaryError| match error {
            binary::BinaryError::Io(error) => Failure::reading(path, &error),
            damaged => Failure::mistake(format!("{place}: {damaged}")),
        };
        let mut records = binary::Records::new(reader).map_err(damaged)?;
        records.nth(at).ok_or_else(missing)?.map_err(damaged)
    } else {
        let mut lines = numbered_lines(path.to_str().unwrap_or_default(), reader);
        let (number, line) = lines.nth(at).ok_or_else(missing)??;
        json_lines::read_sample(&line, algorithm.spec())
            .map_err(|error| Failure::mistake(format!("{place}:{number}: {error}")))
    }
}
