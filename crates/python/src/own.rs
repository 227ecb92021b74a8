//! An algorithm that is written in Python: a spec and a function that runs it.
//!
//! The core calls it like any other, so suites, batches and the evaluator know no difference. The
//! function gets the graph as arrays and gives back every hint at every step and the outputs.

use std::cell::RefCell;
use std::sync::Arc;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use salsa_traces::algorithms::{self, Algorithm};
use salsa_traces::execution::{ExecuteError, Problem};
use salsa_traces::spec::{Field, Kind, Location, Spec, Stage};
use salsa_traces::trajectory::{
    CategoricalHint, MaskHint, MaskOneHint, PointerHint, Recorder, ScalarHint, Values,
};

use crate::calling::raised;

/// An algorithm written in Python.
#[pyclass(frozen, name = "Algorithm", module = "salsa_clrs._core")]
pub struct PyAlgorithm(Arc<Own>);

/// Its features and its function.
pub struct Own {
    spec: Spec,
    function: Py<PyAny>,
}

/// What a function in Python is given and gives: steps of hints, then outputs, in the order of
/// the spec.
type Recorded<'py> = (Vec<Vec<PyReadonlyArray1<'py, f64>>>, Vec<PyReadonlyArray1<'py, f64>>);

#[pymethods]
impl PyAlgorithm {
    /// Fields are (name, stage, location, kind, classes); see `specs.algorithms`.
    #[new]
    fn new(
        name: String,
        fields: Vec<(String, String, String, String, u8)>,
        function: Py<PyAny>,
    ) -> PyResult<Self> {
        if algorithms::find(&name).is_ok() {
            return Err(PyValueError::new_err(format!("{name} is built in, take another name")));
        }
        let fields = fields.into_iter().map(field).collect::<Result<Vec<_>, _>>();
        let fields = fields.map_err(PyValueError::new_err)?;
        let spec = Spec { algorithm: name.into(), fields: fields.into() };
        Ok(Self(Arc::new(Own { spec, function })))
    }
}

/// A built-in algorithm by its name, or one of Python's.
#[derive(FromPyObject)]
pub enum Named {
    Name(String),
    Own(Py<PyAlgorithm>),
}

/// An algorithm to run.
#[derive(Clone)]
pub enum Chosen {
    BuiltIn(&'static dyn Algorithm),
    Own(Arc<Own>, Arc<Py<PyAlgorithm>>),
}

impl Named {
    pub fn find(self) -> PyResult<Chosen> {
        match self {
            Self::Name(name) => Ok(Chosen::BuiltIn(algorithms::find(&name).map_err(raised)?)),
            Self::Own(own) => Ok(Chosen::Own(own.get().0.clone(), Arc::new(own))),
        }
    }
}

impl Chosen {
    pub fn get(&self) -> &dyn Algorithm {
        match self {
            Self::BuiltIn(algorithm) => *algorithm,
            Self::Own(own, _) => &**own,
        }
    }

    /// What finds it again in another process: its name, or the object.
    pub fn sent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::BuiltIn(algorithm) => {
                Ok(algorithm.spec().algorithm.as_ref().into_pyobject(py)?.into_any())
            }
            Self::Own(_, object) => Ok(object.bind(py).clone().into_any()),
        }
    }
}

thread_local! {
    /// The exception of the function that failed last; errors of the core carry only its text.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The exception behind [`ExecuteError::Failed`].
pub fn exception(text: String) -> PyErr {
    RAISED.take().unwrap_or_else(|| PyValueError::new_err(text))
}

impl Algorithm for Own {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn summary(&self) -> &'static str {
        "written in Python"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        Python::attach(|py| self.run_in(py, problem, recorder)).map_err(|error| {
            let told = ExecuteError::Failed(error.to_string());
            RAISED.set(Some(error));
            told
        })
    }
}

impl Own {
    fn run_in(
        &self,
        py: Python<'_>,
        problem: &Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> PyResult<()> {
        let graph = problem.graph;
        let ends = graph.nodes().map(|u| graph.arcs(u).end as i64);
        let offsets: Vec<i64> = std::iter::once(0).chain(ends).collect();
        let neighbours = graph.nodes().flat_map(|u| graph.neighbours(u)).map(|&v| i64::from(v));
        let weights = graph.is_weighted().then(|| {
            let weights = graph.nodes().flat_map(|u| graph.weighted_neighbours(u));
            weights.map(|(_, weight)| weight).collect::<Vec<f64>>().into_pyarray(py)
        });
        let source = self.spec.needs_source().then_some(problem.source);
        let given = (
            offsets.into_pyarray(py),
            neighbours.collect::<Vec<i64>>().into_pyarray(py),
            weights,
            source,
            recorder.records_hints(),
        );
        let recorded = self.function.bind(py).call1(given)?;
        let (steps, outputs): Recorded<'_> = recorded.extract()?;
        self.note(&steps, recorder)?;
        for (field, values) in self.spec.outputs().zip(&outputs) {
            recorder.output(&field.name, values_of(field, values.as_slice()?));
        }
        Ok(())
    }

    /// Notes what changes from step to step.
    fn note(
        &self,
        steps: &[Vec<PyReadonlyArray1<'_, f64>>],
        recorder: &mut Recorder<'_>,
    ) -> PyResult<()> {
        let mut hints: Vec<(&Field, Handle, Option<&[f64]>)> = Vec::new();
        for field in self.spec.hints() {
            hints.push((field, Handle::new(recorder, field), None));
        }
        for step in steps {
            for ((field, handle, state), values) in hints.iter_mut().zip(step) {
                let values = values.as_slice()?;
                let before = state.replace(values);
                for (index, &value) in (0..).zip(values) {
                    let at_first = match field.kind {
                        Kind::Pointer => f64::from(index),
                        // A marked node must be said at the first step.
                        Kind::MaskOne => f64::NAN,
                        _ => 0.0,
                    };
                    let old = before.and_then(|before| before.get(index as usize));
                    if old.copied().unwrap_or(at_first) != value {
                        handle.set(recorder, index, value);
                    }
                }
            }
            recorder.end_step();
        }
        Ok(())
    }
}

/// A hint of any kind.
enum Handle {
    Mask(MaskHint),
    MaskOne(MaskOneHint),
    Categorical(CategoricalHint),
    Scalar(ScalarHint),
    Pointer(PointerHint),
}

impl Handle {
    fn new(recorder: &mut Recorder<'_>, field: &Field) -> Self {
        match field.kind {
            Kind::Mask => Self::Mask(recorder.mask(&field.name)),
            Kind::MaskOne => Self::MaskOne(recorder.mask_one(&field.name)),
            Kind::Categorical { classes } => {
                Self::Categorical(recorder.categorical(&field.name, classes))
            }
            Kind::Scalar => Self::Scalar(recorder.scalar(&field.name)),
            Kind::Pointer => Self::Pointer(recorder.pointer(&field.name)),
        }
    }

    fn set(&self, recorder: &mut Recorder<'_>, index: u32, value: f64) {
        match *self {
            Self::Mask(hint) => recorder.set_mask(hint, index, value != 0.0),
            Self::MaskOne(hint) => recorder.set_one(hint, value as u32),
            Self::Categorical(hint) => recorder.set_category(hint, index, value as u8),
            Self::Scalar(hint) => recorder.set_scalar(hint, index, value),
            Self::Pointer(hint) => recorder.set_pointer(hint, index, value as u32),
        }
    }
}

fn values_of(field: &Field, values: &[f64]) -> Values {
    match field.kind {
        Kind::Mask => Values::Mask(values.iter().map(|&value| value != 0.0).collect()),
        Kind::MaskOne => Values::MaskOne(values.first().map_or(u32::MAX, |&node| node as u32)),
        Kind::Categorical { .. } => {
            Values::Categorical(values.iter().map(|&class| class as u8).collect())
        }
        Kind::Scalar => Values::Scalar(values.to_vec()),
        Kind::Pointer => Values::Pointer(values.iter().map(|&node| node as u32).collect()),
    }
}

fn field(
    (name, stage, location, kind, classes): (String, String, String, String, u8),
) -> Result<Field, String> {
    let stage = match stage.as_str() {
        "input" => Stage::Input,
        "hint" => Stage::Hint,
        "output" => Stage::Output,
        other => return Err(format!("{name}: unknown stage {other:?}")),
    };
    let location = match location.as_str() {
        "node" => Location::Node,
        "edge" => Location::Edge,
        "graph" => Location::Graph,
        other => {
            return Err(format!(
                "{name}: unknown location {other:?}, expected node, edge or graph"
            ));
        }
    };
    let kind = match kind.as_str() {
        "scalar" => Kind::Scalar,
        "mask" => Kind::Mask,
        "mask_one" => Kind::MaskOne,
        "categorical" => Kind::Categorical { classes },
        "pointer" => Kind::Pointer,
        other => {
            let known = "scalar, mask, mask_one, categorical or pointer";
            return Err(format!("{name}: unknown type {other:?}, expected {known}"));
        }
    };
    Ok(Field { name: name.into(), stage, location, kind })
}
