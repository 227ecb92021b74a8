//! The samples of one split, made when they are asked for or read from shards.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use salsa_traces::collate::{Collated, Ready, collate, join};
use salsa_traces::convention::Convention;
use salsa_traces::dataset::{Request, StoredSplit};
use salsa_traces::export::Format;
use salsa_traces::graph::Graph;
use salsa_traces::parameters::Parameters;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::{Custom, Suite};

use crate::arrays::batch_dict;
use crate::cache::Cache;
use crate::calling::{Patience, Raised, call, raised};
use crate::own::{Chosen, Named};
use crate::sample::PySample;
use crate::saving::save;

/// The samples of one split for one algorithm.
#[pyclass(frozen, name = "Split", module = "salsa_clrs._core")]
#[derive(Clone)]
pub struct PySplit {
    suite: Arc<Suite>,
    seed: u64,
    algorithm: Chosen,
    split: String,
    origin: Origin,
    stored: Option<Stored>,
    cache: Arc<Cache>,
}

/// Shards that hold the samples.
#[derive(Clone)]
struct Stored {
    root: PathBuf,
    samples: u64,
    split: Arc<StoredSplit>,
}

/// What makes the same split in another process.
#[derive(Clone)]
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
        algorithm: Named,
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
        algorithm: Named,
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
        algorithm: Named,
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
        &self.algorithm.get().spec().algorithm
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

    /// The folder of the shards that samples are read from, if they are.
    #[getter]
    fn folder(&self) -> PyResult<Option<PathBuf>> {
        let Some(stored) = &self.stored else { return Ok(None) };
        Ok(Some(stored.root.join(self.request(stored.samples, false)?.file_name())))
    }

    /// The same samples read from the shards that `salsa generate` has put into `root`, which
    /// must hold `samples` of them; `None` if there are no shards.
    fn stored_in(&self, py: Python<'_>, root: PathBuf, samples: u64) -> PyResult<Option<Self>> {
        let request = self.request(samples, false)?;
        let found = call(py, || StoredSplit::find(&root, &request))?;
        let stored = |split| Stored { root, samples, split: Arc::new(split) };
        Ok(found.map(|split| Self { stored: Some(stored(split)), ..self.clone() }))
    }

    /// The same samples, kept in memory once they were made or read, while all that is kept in
    /// the process takes no more than `limit` bytes.
    fn cached(&self, limit: usize) -> Self {
        Self { cache: Arc::new(Cache::new(limit)), ..self.clone() }
    }

    /// The split that `build` makes of `arguments`, read from shards if `stored` says where.
    #[classmethod]
    fn again<'py>(
        cls: &Bound<'py, PyType>,
        build: &str,
        arguments: Bound<'py, PyTuple>,
        stored: Option<(PathBuf, u64)>,
        limit: usize,
    ) -> PyResult<Self> {
        let split = cls.getattr(build)?.call1(arguments)?;
        let mut split = split.cast::<Self>()?.get().cached(limit);
        if let Some((root, samples)) = stored {
            let found = split.stored_in(cls.py(), root.clone(), samples)?;
            split = found.ok_or_else(|| {
                let problem = format!("{}: the data set is gone", root.display());
                PyFileNotFoundError::new_err(problem)
            })?;
        }
        Ok(split)
    }

    /// Writes the first samples as shards into `root`; gives the folder that holds them.
    fn save(&self, py: Python<'_>, root: PathBuf, samples: u64, hints: bool) -> PyResult<PathBuf> {
        save(py, &self.request(samples, hints)?, &root)
    }

    /// One sample.
    fn sample(&self, py: Python<'_>, index: u64, hints: bool) -> PyResult<PySample> {
        let sampler = self.sampler()?;
        call(py, || self.sample_of(&sampler, index, hints)).map(PySample)
    }

    /// Samples as one graph with dense arrays.
    fn batch<'py>(
        &self,
        py: Python<'py>,
        indices: Vec<u64>,
        hints: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut patience = Patience::new();
        let batch = call(py, || self.collated(&indices, hints, || patience.check()))?;
        batch_dict(py, batch)
    }

    /// The edges (u, v), u < v, of a sample's graph as bytes: equal for equal graphs.
    fn graph_key(&self, py: Python<'_>, index: u64) -> PyResult<Vec<u8>> {
        let sampler = self.sampler()?;
        call(py, || match &self.stored {
            Some(_) => Ok(graph_key(&self.sample_of(&sampler, index, false)?.graph)),
            None => Ok::<_, Raised>(graph_key(&sampler.problem(index)?.0)),
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let sent = own.algorithm.sent(py)?;
        let (build, arguments) = match &own.origin {
            Origin::Suite(origin) => {
                let given = (sent, &own.split, origin, &own.suite.text, own.seed);
                ("of_text", given.into_pyobject(py)?)
            }
            Origin::Custom(family, parameters) => {
                let given = (sent, &own.split, family, parameters, own.convention(), own.seed);
                ("custom", given.into_pyobject(py)?)
            }
        };
        let stored = own.stored.as_ref().map(|stored| (&stored.root, stored.samples));
        let arguments = (build, arguments, stored, own.cache.limit);
        Ok((slf.get_type().getattr("again")?, arguments.into_pyobject(py)?))
    }
}

impl PySplit {
    fn new(
        algorithm: Named,
        split: &str,
        suite: Suite,
        seed: Option<u64>,
        origin: Origin,
    ) -> PyResult<Self> {
        let algorithm = algorithm.find()?;
        let split = suite.split(split).map_err(raised)?.name.clone();
        let seed = seed.unwrap_or(suite.seed);
        Ok(Self {
            seed,
            suite: Arc::new(suite),
            algorithm,
            split,
            origin,
            stored: None,
            cache: Arc::new(Cache::new(0)),
        })
    }

    fn sampler(&self) -> PyResult<Sampler<'_>> {
        let algorithm = self.algorithm.get();
        Sampler::new(&self.suite, self.seed, algorithm, &self.split).map_err(raised)
    }

    fn request(&self, samples: u64, hints: bool) -> PyResult<Request<'_>> {
        let (suite, seed, sampler) = (&*self.suite, self.seed, self.sampler()?);
        Ok(Request { suite, seed, sampler, samples, hints, format: Format::Arrow })
    }

    /// Samples as one graph; `between` is called before each.
    pub fn collated(
        &self,
        indices: &[u64],
        hints: bool,
        mut between: impl FnMut() -> Result<(), Raised>,
    ) -> Result<Collated, Raised> {
        let sampler = self.sampler()?;
        let make = |index| self.sample_of(&sampler, index, hints);
        if hints {
            let samples = indices.iter().map(|&index| {
                between()?;
                self.cache.with_hints(index, || make(index))
            });
            Ok(collate(&samples.collect::<Result<Vec<_>, Raised>>()?, true)?)
        } else {
            let samples = (0..).zip(indices).map(|(place, &index)| {
                between()?;
                match &self.stored {
                    Some(stored) => {
                        self.cache.read_often(index, || Ok(stored.split.ready(index)?))
                    }
                    None => self.cache.without_hints(index, || {
                        Ok(Ready::new(&make(index)?).map_err(|error| error.at(place))?)
                    }),
                }
            });
            Ok(join(&samples.collect::<Result<Vec<_>, Raised>>()?)?)
        }
    }

    fn sample_of(&self, sampler: &Sampler<'_>, index: u64, hints: bool) -> Result<Sample, Raised> {
        match &self.stored {
            Some(stored) => Ok(stored.split.sample(index, hints)?),
            None => Ok(sampler.sample(index, hints)?),
        }
    }
}

fn graph_key(graph: &Graph) -> Vec<u8> {
    graph.edges().flat_map(|(u, v)| [u, v]).flat_map(u32::to_le_bytes).collect()
}
