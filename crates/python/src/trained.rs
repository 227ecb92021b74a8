//! Trained networks from Python: how good they are, what they answer, what they weigh.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use salsa_learn::checkpoint::{Checkpoint, Tensor};
use salsa_learn::evaluation::{self, Answer, Options, TestSet, answers};
use salsa_learn::model::processors;
use salsa_learn::network::{Network, NetworkError};
use salsa_learn::run::Run;
use salsa_learn::torch;
use salsa_traces::algorithms;
use salsa_traces::sample::Sample;
use salsa_traces::suite::Suite;

use crate::arrays::{array, values};
use crate::calling::{Raised, call, raised};
use crate::computing::{Computing, Watch};
use crate::sample::PySample;

/// Graphs under a name, with how their algorithm is read.
type Given<'py> = (String, Vec<PyRef<'py, PySample>>, String);

/// An answer: outputs by name, steps, whether it is valid, and why not.
type Answered<'py> = (Bound<'py, PyDict>, usize, Option<bool>, Option<String>);

/// Evaluates on splits of a suite (the run's own if none is given) and then on given samples: a
/// list of records as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn evaluate_trained(
    py: Python<'_>,
    checkpoint: PathBuf,
    splits: Vec<String>,
    given: Vec<Given<'_>>,
    samples: Option<u64>,
    suite: Option<String>,
    data_seed: Option<u64>,
    steps: &str,
    computing: Computing,
) -> PyResult<String> {
    let options = options(steps, &computing)?;
    let given = sets(given)?;
    call(py, || {
        let checkpoint = Checkpoint::of_trained(&checkpoint).map_err(Raised::from)?;
        let run = &checkpoint.run;
        let data = match splits.as_slice() {
            [] => None,
            _ => Some(Suite::named_or_load(suite.as_deref().unwrap_or(run.suite()))?),
        };
        let mut sets = Vec::new();
        if let Some(data) = &data {
            // The run's seed is of its own suite.
            let seed = data_seed.or(run.data_seed.filter(|_| suite.is_none()));
            let algorithm = algorithms::find(&run.algorithm)?;
            for split in data.chosen(splits.iter().map(String::as_str))? {
                check_count(samples, &split.name, split.samples)?;
                let seed = seed.unwrap_or(data.seed);
                sets.push(TestSet::split(data, seed, algorithm, &split.name, samples)?);
            }
        }
        sets.extend(given);
        let watch = Watch::new();
        let results = evaluation::evaluate(&checkpoint, &sets, options, &mut || flow(&watch));
        watch.finish()?;
        Ok::<_, Raised>(serde_json::to_string(&results?)?)
    })
}

/// The answers of a trained network on samples whose algorithm is read by a convention.
#[pyfunction]
pub fn predict<'py>(
    py: Python<'py>,
    checkpoint: PathBuf,
    samples: Vec<PyRef<'py, PySample>>,
    convention: String,
    steps: &str,
    computing: Computing,
) -> PyResult<Vec<Answered<'py>>> {
    let options = options(steps, &computing)?;
    let sets = sets(vec![("samples".to_owned(), samples, convention)])?;
    let (checkpoint, given) = call(py, || {
        let checkpoint = Checkpoint::of_trained(&checkpoint)?;
        let (watch, mut given) = (Watch::new(), Vec::new());
        answers(&checkpoint, &sets, options, &mut |answer| {
            given.push(answer);
            flow(&watch)
        })?;
        watch.finish()?;
        Ok::<_, Raised>((checkpoint, given))
    })?;
    let spec = algorithms::find(&checkpoint.run.algorithm).map_err(raised)?.spec();
    let names: Vec<&str> = spec.outputs().map(|field| &*field.name).collect();
    given.into_iter().map(|answer| answered(py, &names, answer)).collect()
}

/// What the decoders of a trained network give for samples after their recorded steps: an array
/// for each output, those of all samples after each other.
#[pyfunction]
pub fn scores<'py>(
    py: Python<'py>,
    checkpoint: PathBuf,
    samples: Vec<PyRef<'py, PySample>>,
    computing: Computing,
) -> PyResult<Bound<'py, PyDict>> {
    let compute = computing.compute()?;
    let samples: Vec<Sample> = samples.iter().map(|sample| sample.0.clone()).collect();
    let scores = call(py, || {
        let checkpoint = Checkpoint::of_trained(&checkpoint)?;
        let mut network = Network::restore(&checkpoint, compute)?;
        let outputs = network.model.spec.outputs().map(|field| field.name.to_string());
        let mut scores: Vec<(String, Vec<f32>)> = outputs.map(|name| (name, Vec::new())).collect();
        let watch = Watch::new();
        for sample in samples.iter().take_while(|_| !watch.stops()) {
            let found = evaluation::scores(&mut network, sample)?;
            network.tape.device().check().map_err(NetworkError::from)?;
            scores.iter_mut().zip(found).for_each(|((_, all), own)| all.extend(own));
        }
        watch.finish()?;
        Ok::<_, Raised>(scores)
    })?;
    let dict = PyDict::new(py);
    for (name, scores) in scores {
        let shape = [scores.len()];
        dict.set_item(name, array(py, scores, &shape)?)?;
    }
    Ok(dict)
}

/// What a checkpoint holds: the run and its progress as JSON, parameters and statistics by name
/// in the shapes of PyTorch.
#[pyfunction]
pub fn read_checkpoint(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(String, String, Bound<'_, PyDict>)> {
    let (run, progress, tensors) = call(py, || {
        let checkpoint = Checkpoint::of_trained(&path)?;
        let run = serde_json::to_string(&checkpoint.run.resolved())?;
        let progress = serde_json::to_string(&checkpoint.progress)?;
        Ok::<_, Raised>((run, progress, torch::state_dict(&checkpoint)))
    })?;
    let dict = PyDict::new(py);
    for (name, tensor) in tensors {
        dict.set_item(name, array(py, tensor.values().to_vec(), tensor.shape())?)?;
    }
    Ok((run, progress, dict))
}

/// Writes a checkpoint of parameters and statistics in the shapes of PyTorch, for a run with
/// these settings.
#[pyfunction]
pub fn write_checkpoint(
    py: Python<'_>,
    path: PathBuf,
    settings: Vec<(String, String)>,
    tensors: BTreeMap<String, PyReadonlyArrayDyn<'_, f32>>,
) -> PyResult<()> {
    let run = run_with(Run::default(), settings)?;
    let tensor = |array: PyReadonlyArrayDyn<'_, f32>| {
        Tensor::new(array.shape(), array.as_array().iter().copied().collect())
    };
    let tensors = tensors.into_iter().map(|(name, array)| (name, tensor(array))).collect();
    call(py, || {
        let checkpoint = torch::checkpoint(&run, tensors).map_err(Raised::from)?;
        checkpoint.write(&path).map_err(Raised::from)
    })
}

/// A run with settings by name, whose values are TOML.
pub fn run_with(run: Run, settings: Vec<(String, String)>) -> PyResult<Run> {
    let names = processors::names();
    let laid = |run: Run, (name, value): (String, String)| run.with_setting(&name, &value, &names);
    settings.into_iter().try_fold(run, laid).map_err(raised)
}

fn options(steps: &str, computing: &Computing) -> PyResult<Options> {
    let wrong = |error| PyValueError::new_err(format!("steps: {error}"));
    Ok(Options { steps: steps.parse().map_err(wrong)?, compute: computing.compute()? })
}

fn sets<'a>(given: Vec<Given<'_>>) -> PyResult<Vec<TestSet<'a>>> {
    let set = |(name, samples, convention): Given<'_>| {
        let samples = samples.iter().map(|sample| sample.0.clone()).collect();
        Ok(TestSet::given(&name, samples, convention.parse().map_err(raised)?))
    };
    given.into_iter().map(set).collect()
}

fn check_count(asked: Option<u64>, split: &str, there: u64) -> Result<(), Raised> {
    match asked {
        Some(asked) if asked == 0 || asked > there => Err(PyValueError::new_err(format!(
            "samples: split {split} has {there} samples, {asked} were asked for"
        ))
        .into()),
        _ => Ok(()),
    }
}

fn flow(watch: &Watch) -> ControlFlow<()> {
    if watch.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn answered<'py>(py: Python<'py>, names: &[&str], answer: Answer) -> PyResult<Answered<'py>> {
    let outputs = PyDict::new(py);
    for (name, output) in names.iter().zip(answer.prediction.outputs) {
        outputs.set_item(name, values(py, output)?)?;
    }
    let violation = answer.validity.as_ref().and_then(|verdict| verdict.as_ref().err());
    let violation = violation.map(ToString::to_string);
    let is_valid = answer.validity.as_ref().map(Result::is_ok);
    Ok((outputs, answer.prediction.steps, is_valid, violation))
}
