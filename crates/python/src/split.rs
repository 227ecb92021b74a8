//! The samples of one split, made when they are asked for.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::collate::collate;
use salsa_traces::convention::Convention;
use salsa_traces::graph::Graph;
use salsa_traces::parameters::Parameters;
use salsa_traces::sample::{SampleError, Sampler};
use salsa_traces::suite::{Custom, Suite};

use crate::arrays::batch_dict;
use crate::calling::{Raised, call, raised};
use crate::sample::PySample;

/// The samples of one split for one algorithm.
#[pyclass(frozen, name = "Split", module = "salsa_clrs._core")]
pub struct PySplit {
    suite: Suite,
    seed: u64,
    algorithm: &'static dyn Algorithm,
    split: String,
    origin: Origin,
}

/// What makes the same split in another process.
enum Origin {
    /// The text of the suite, and what errors call it.
    Suite(String),
    /// The family of graphs and its parameters.
    Custom(String, Vec<String>),
}

#[pymethods]
impl PySplit {
    /// A split of a built-in suite or of a suite file.
    #[classmethod]
    #[pyo3(signature = (algorithm, split, suite, seed = None))]
    fn of_suite(
        _cls: &Bound<'_, PyType>,
        algorithm: &str,
        split: &str,
        suite: &str,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let read = Suite::named_or_load(suite).map_err(raised)?;
        Self::new(algorithm, split, read, seed, Origin::Suite(suite.to_owned()))
    }

    /// A split of a suite given as text; `origin` is what errors call it.
    #[classmethod]
    fn of_text(
        _cls: &Bound<'_, PyType>,
        algorithm: &str,
        split: &str,
        origin: &str,
        text: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let read = Suite::parse(origin, text).map_err(raised)?;
        Self::new(algorithm, split, read, Some(seed), Origin::Suite(origin.to_owned()))
    }

    /// An endless split of one family of graphs; parameters are texts such as `p=0.1..0.3`.
    #[classmethod]
    fn custom(
        _cls: &Bound<'_, PyType>,
        algorithm: &str,
        split: &str,
        family: &str,
        parameters: Vec<String>,
        convention: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let given = Parameters::parse(parameters.iter().map(String::as_str)).map_err(raised)?;
        let convention: Convention = convention.parse().map_err(raised)?;
        let custom = Custom { split, family, parameters: given, convention, seed };
        let suite = Suite::custom(custom).map_err(raised)?;
        let origin = Origin::Custom(family.to_owned(), parameters);
        Self::new(algorithm, split, suite, None, origin)
    }

    /// The algorithm's name here.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.algorithm.spec().algorithm
    }

    /// The split's name.
    #[getter]
    fn split(&self) -> &str {
        &self.split
    }

    /// The suite's name.
    #[getter]
    fn suite(&self) -> &str {
        &self.suite.name
    }

    /// Which reading of the benchmark is followed.
    #[getter]
    fn convention(&self) -> &'static str {
        self.suite.convention.name()
    }

    /// The seed of the data.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// How many samples there are.
    #[getter]
    fn n_samples(&self) -> PyResult<u64> {
        Ok(self.sampler()?.split().samples)
    }

    /// One sample.
    fn sample(&self, py: Python<'_>, index: u64, hints: bool) -> PyResult<PySample> {
        let sampler = self.sampler()?;
        call(py, || sampler.sample(index, hints)).map(PySample)
    }

    /// Samples as one graph with dense arrays.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        indices: Vec<u64>,
        hints: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let sampler = self.sampler()?;
        let batch = call(py, || {
            let samples = indices.into_iter().map(|index| sampler.sample(index, hints));
            let samples = samples.collect::<Result<Vec<_>, SampleError>>().map_err(Raised::from)?;
            collate(&samples, hints).map_err(Raised::from)
        })?;
        batch_dict(py, batch)
    }

    /// The edges (u, v), u < v, of a sample's graph as bytes: equal for equal graphs.
    fn graph_key(&self, py: Python<'_>, index: u64) -> PyResult<Vec<u8>> {
        let sampler = self.sampler()?;
        let (graph, _) = call(py, || sampler.problem(index))?;
        Ok(graph_key(&graph))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let (build, arguments) = match &own.origin {
            Origin::Suite(origin) => {
                let given = (own.algorithm(), &own.split, origin, &own.suite.text, own.seed);
                ("of_text", given.into_pyobject(py)?)
            }
            Origin::Custom(family, parameters) => {
                let given =
                    (own.algorithm(), &own.split, family, parameters, own.convention(), own.seed);
                ("custom", given.into_pyobject(py)?)
            }
        };
        Ok((slf.get_type().getattr(build)?, arguments))
    }
}

impl PySplit {
    fn new(
        algorithm: &str,
        split: &str,
        suite: Suite,
        seed: Option<u64>,
        origin: Origin,
    ) -> PyResult<Self> {
        let algorithm = algorithms::find(algorithm).map_err(raised)?;
        let split = suite.split(split).map_err(raised)?.name.clone();
        Ok(Self { seed: seed.unwrap_or(suite.seed), suite, algorithm, split, origin })
    }

    fn sampler(&self) -> PyResult<Sampler<'_>> {
        Sampler::new(&self.suite, self.seed, self.algorithm, &self.split).map_err(raised)
    }
}

fn graph_key(graph: &Graph) -> Vec<u8> {
    graph.edges().flat_map(|(u, v)| [u, v]).flat_map(u32::to_le_bytes).collect()
}
