//! Vectors become NumPy arrays without a copy: an array takes the vector over.

use numpy::ndarray::{ArrayD, IxDyn};
use numpy::{Element, IntoPyArray, PyArrayDyn};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use salsa_traces::collate::{Collated, Numbers};
use salsa_traces::sample::Sample;
use salsa_traces::spec::Stage;
use salsa_traces::trajectory::Values;

use crate::calling::call;
use crate::sample::PySample;

/// Samples of one algorithm as one graph with dense arrays; see `Split.batch`.
#[pyfunction]
pub fn collate<'py>(
    py: Python<'py>,
    samples: Vec<PyRef<'py, PySample>>,
    hints: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let samples: Vec<&Sample> = samples.iter().map(|sample| &sample.0).collect();
    let batch = call(py, || salsa_traces::collate::collate(&samples, hints))?;
    batch_dict(py, batch)
}

/// `edge_index` [2, E], `ptr` [B + 1], `edge_ptr` [B + 1], `batch` [N], `length` [B], and the
/// features by name in `inputs`, `hints` and `outputs`.
pub fn batch_dict(py: Python<'_>, batch: Collated) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let n_entries = batch.edge_index.len() / 2;
    dict.set_item("edge_index", array(py, batch.edge_index, &[2, n_entries])?)?;
    for (name, numbers) in [
        ("ptr", batch.first_nodes),
        ("edge_ptr", batch.first_entries),
        ("batch", batch.graph_of_node),
        ("length", batch.lengths),
    ] {
        let shape = [numbers.len()];
        dict.set_item(name, array(py, numbers, &shape)?)?;
    }
    let stages = [(); 3].map(|()| PyDict::new(py));
    for column in batch.columns {
        let stage = match column.field.stage {
            Stage::Input => 0,
            Stage::Hint => 1,
            Stage::Output => 2,
        };
        let name = &*column.field.name;
        match column.numbers {
            Numbers::Single(numbers) => {
                stages[stage].set_item(name, array(py, numbers, &column.shape)?)?;
            }
            Numbers::Double(numbers) => {
                stages[stage].set_item(name, array(py, numbers, &column.shape)?)?;
            }
        }
    }
    for (name, features) in ["inputs", "hints", "outputs"].into_iter().zip(stages) {
        dict.set_item(name, features)?;
    }
    Ok(dict)
}

/// The values of one moment: pointers as node numbers, masks as bools, one marked node as a number.
pub fn values(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyAny>> {
    Ok(match values {
        Values::Mask(values) => values.into_pyarray(py).into_any(),
        Values::MaskOne(node) => node.into_pyobject(py)?.into_any(),
        Values::Categorical(values) => values.into_pyarray(py).into_any(),
        Values::Scalar(values) => values.into_pyarray(py).into_any(),
        Values::Pointer(values) => {
            let wide: Vec<i64> = values.into_iter().map(i64::from).collect();
            wide.into_pyarray(py).into_any()
        }
    })
}

/// An array of this shape that takes `numbers` over.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = ArrayD::from_shape_vec(IxDyn(shape), numbers)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok(array.into_pyarray(py))
}
