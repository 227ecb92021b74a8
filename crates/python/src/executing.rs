//! Running an algorithm on a graph from Python.

use numpy::PyReadonlyArray1;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use salsa_learn::prediction::values_of;
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{self, Inputs, Options, Randomness};
use salsa_traces::graph::{Graph, GraphError};
use salsa_traces::random;
use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Trajectory;

use crate::calling::{Raised, call, raised};
use crate::own::Named;
use crate::sample::PySample;

/// Runs an algorithm on the graph with these undirected edges, each given once: uint32 [m, 2].
///
/// `randomness` is float64 [phases, n]; without it, values are drawn from `seed`.
#[pyfunction]
#[pyo3(signature = (algorithm, n_nodes, edges, *, weights, source, randomness, seed, convention, hints))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn execute(
    py: Python<'_>,
    algorithm: Named,
    n_nodes: usize,
    edges: PyReadonlyArray2<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    source: Option<u32>,
    randomness: Option<PyReadonlyArray2<'_, f64>>,
    seed: u64,
    convention: &str,
    hints: bool,
) -> PyResult<PySample> {
    let algorithm = algorithm.find()?;
    let convention: Convention = convention.parse().map_err(raised)?;
    let edges = pairs(&edges)?;
    let weights: Option<Vec<f64>> = weights.map(|weights| weights.as_array().to_vec());
    let randomness = match randomness {
        Some(given) => phases(&given),
        None => Randomness::drawn(random::stream(key(seed), 0)),
    };
    let inputs = Inputs { source, randomness: Some(randomness) };
    let sample = call(py, || {
        let graph = graph(n_nodes, &edges, weights.as_deref()).map_err(Raised::from)?;
        let options = Options { hints, convention };
        let (inputs, trajectory) =
            execution::execute(algorithm.get(), &graph, inputs, options).map_err(Raised::from)?;
        Ok::<_, Raised>(Sample { generator: "given".to_owned(), graph, inputs, trajectory })
    })?;
    Ok(PySample(sample))
}

/// A sample whose outputs are known: scores for each output of the spec, laid out as in a batch.
#[pyfunction]
#[pyo3(signature = (algorithm, n_nodes, edges, *, weights, source, randomness, length, outputs))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn given(
    py: Python<'_>,
    algorithm: &str,
    n_nodes: usize,
    edges: PyReadonlyArray2<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    source: Option<u32>,
    randomness: Option<PyReadonlyArray2<'_, f64>>,
    length: u32,
    outputs: Vec<PyReadonlyArray1<'_, f32>>,
) -> PyResult<PySample> {
    let spec = algorithms::find(algorithm).map_err(raised)?.spec();
    let edges = pairs(&edges)?;
    let weights: Option<Vec<f64>> = weights.map(|weights| weights.as_array().to_vec());
    let randomness = randomness.map(|given| phases(&given));
    let outputs: Vec<Vec<f32>> = outputs.iter().map(|one| one.as_array().to_vec()).collect();
    let sample = call(py, || {
        let graph = graph(n_nodes, &edges, weights.as_deref()).map_err(Raised::from)?;
        let values = spec.outputs().zip(&outputs).map(|(field, scores)| {
            let problem = || PyValueError::new_err(format!("{}: a wrong length", field.name));
            values_of(field, &graph, scores).ok_or_else(problem)
        });
        let outputs = values.collect::<PyResult<Vec<_>>>()?;
        let trajectory = Trajectory { spec: spec.clone(), length, hints: None, outputs };
        let inputs = Inputs { source, randomness };
        let sample = Sample { generator: "given".to_owned(), graph, inputs, trajectory };
        sample.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok::<_, Raised>(sample)
    })?;
    Ok(PySample(sample))
}

fn pairs(edges: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<(u32, u32)>> {
    let edges = edges.as_array();
    if edges.ncols() != 2 {
        let problem = format!("expected edges of shape [m, 2], found {:?}", edges.shape());
        return Err(PyValueError::new_err(problem));
    }
    Ok(edges.rows().into_iter().map(|edge| (edge[0], edge[1])).collect())
}

fn phases(given: &PyReadonlyArray2<'_, f64>) -> Randomness {
    Randomness::given(given.as_array().rows().into_iter().map(|row| row.to_vec()).collect())
}

fn graph(
    n_nodes: usize,
    edges: &[(u32, u32)],
    weights: Option<&[f64]>,
) -> Result<Graph, GraphError> {
    match weights {
        Some(weights) => Graph::from_weighted_edges(n_nodes, edges, weights),
        None => Graph::from_edges(n_nodes, edges),
    }
}

fn key(seed: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key
}
