//! One execution on one graph, as a Python object.
//!
//! Hints stay recorded changes until someone asks for them.

use numpy::PyArrayDyn;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use salsa_traces::collate::collate;
use salsa_traces::draw;
use salsa_traces::export::binary::{Records, record, write_header};
use salsa_traces::sample::Sample;

use crate::arrays::{array, batch_dict, values};
use crate::calling::{call, raised};
use crate::own::Named;

/// One execution of an algorithm on one graph.
#[pyclass(frozen, name = "Sample", module = "salsa_clrs._core")]
pub struct PySample(pub Sample);

#[pymethods]
impl PySample {
    /// The algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.0.trajectory.spec.algorithm
    }

    /// Where the graph comes from.
    #[getter]
    fn generator(&self) -> &str {
        &self.0.generator
    }

    /// Number of nodes.
    #[getter]
    fn n_nodes(&self) -> usize {
        self.0.graph.n_nodes()
    }

    /// Number of undirected edges, without self-loops.
    #[getter]
    fn n_edges(&self) -> usize {
        self.0.graph.n_edges()
    }

    /// Number of steps.
    #[getter]
    fn length(&self) -> u32 {
        self.0.trajectory.length
    }

    /// The node the algorithm starts at, if it has one.
    #[getter]
    fn source(&self) -> Option<u32> {
        self.0.inputs.source
    }

    /// Whether hints were recorded.
    #[getter]
    fn has_hints(&self) -> bool {
        self.0.trajectory.hints.is_some()
    }

    /// Sources and targets of all directed edges, self-loops included, sorted: int64 [2, E].
    #[getter]
    fn edge_index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let graph = &self.0.graph;
        let sources = graph.entries().map(|(u, _)| i64::from(u));
        let targets = graph.entries().map(|(_, v)| i64::from(v));
        array(py, sources.chain(targets).collect(), &[2, graph.n_entries()])
    }

    /// The identity of graph, inputs, length and outputs, the same on every machine.
    #[getter]
    fn content_hash(&self) -> String {
        self.0.content_hash().to_string()
    }

    /// The sample as dense arrays: a batch of one.
    #[pyo3(signature = (hints = true))]
    fn arrays<'py>(&self, py: Python<'py>, hints: bool) -> PyResult<Bound<'py, PyDict>> {
        let batch = call(py, || collate(std::slice::from_ref(&self.0), hints))?;
        batch_dict(py, batch)
    }

    /// The output `name`, pointers as node numbers.
    fn output<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.0.trajectory.output(name) {
            Some(output) => values(py, output.clone()),
            None => Err(PyKeyError::new_err(format!("{} has no output {name}", self.algorithm()))),
        }
    }

    /// The hint `name` at `step`, pointers as node numbers.
    fn hint<'py>(&self, py: Python<'py>, name: &str, step: usize) -> PyResult<Bound<'py, PyAny>> {
        let unknown =
            || PyKeyError::new_err(format!("no hint {name} of {} was recorded", self.algorithm()));
        let hint = self.0.trajectory.hint(name).ok_or_else(unknown)?;
        let n_steps = hint.n_steps();
        if step >= n_steps {
            let problem = format!("the execution has {n_steps} steps, there is no step {step}");
            return Err(PyIndexError::new_err(problem));
        }
        values(py, py.detach(|| hint.at(step)))
    }

    /// A picture of the output as SVG text.
    #[pyo3(signature = (*, size = 640.0, dark = false))]
    fn svg(&self, py: Python<'_>, size: f64, dark: bool) -> String {
        let options = draw::Options { size, dark, ..draw::Options::default() };
        let Sample { graph, inputs, trajectory, .. } = &self.0;
        py.detach(|| draw::picture(graph, inputs, trajectory, &options))
    }

    fn _repr_svg_(&self, py: Python<'_>) -> String {
        self.svg(py, 640.0, false)
    }

    fn __repr__(&self) -> String {
        let Sample { graph, trajectory, .. } = &self.0;
        format!(
            "<Sample of {}: {} nodes, {} edges, {} steps>",
            trajectory.spec.algorithm,
            graph.n_nodes(),
            graph.n_edges(),
            trajectory.length
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// A sample travels to another process as the bytes of a file of one.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let mut bytes = Vec::new();
        write_header(&mut bytes)?;
        bytes.extend(record(&slf.get().0));
        let build = slf.get_type().getattr("from_bytes")?;
        // An algorithm written in Python travels by its place in a module.
        let specs = py.import("salsa_clrs.specs")?;
        let algorithm = specs.getattr("in_core")?.call1((slf.get().algorithm(),))?;
        Ok((build, PyTuple::new(py, [PyBytes::new(py, &bytes).into_any(), algorithm])?))
    }

    /// The sample in the bytes of a file of one, of this algorithm if it is not built in.
    #[classmethod]
    #[pyo3(signature = (bytes, algorithm=None))]
    fn from_bytes(
        _cls: &Bound<'_, PyType>,
        bytes: &[u8],
        algorithm: Option<Named>,
    ) -> PyResult<Self> {
        let mut records = Records::new(bytes).map_err(raised)?;
        if let Some(algorithm) = algorithm {
            records = records.of(algorithm.find()?.get().spec().clone());
        }
        match records.next() {
            Some(sample) => Ok(Self(sample.map_err(raised)?)),
            None => Err(PyValueError::new_err("the bytes hold no sample")),
        }
    }
}
