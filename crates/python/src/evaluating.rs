//! How good predictions are.

use std::collections::BTreeMap;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use salsa_learn::evaluation::verdict;
use salsa_learn::prediction::{n_scores, values_of};
use salsa_learn::scores::Scores;
use salsa_traces::convention::Convention;
use salsa_traces::sample::Sample;

use crate::calling::{call, raised};
use crate::sample::PySample;

/// A metric over all graphs: name, count, mean, deviation, the ends of the 95% interval.
type Summary = (String, usize, f64, Option<f64>, Option<(f64, f64)>);

/// Judges scores for each output of the spec, those of all samples after each other: summaries of
/// the metrics, and what was wrong how often with answers that are not correct.
#[pyfunction]
pub fn evaluate(
    py: Python<'_>,
    samples: Vec<PyRef<'_, PySample>>,
    predictions: Vec<PyReadonlyArray1<'_, f32>>,
    convention: &str,
) -> PyResult<(Vec<Summary>, BTreeMap<String, u64>)> {
    let convention: Convention = convention.parse().map_err(raised)?;
    let samples: Vec<Sample> = samples.iter().map(|sample| sample.0.clone()).collect();
    let predictions: Vec<Vec<f32>> =
        predictions.iter().map(|scores| scores.as_array().to_vec()).collect();
    call(py, || judged(&samples, &predictions, convention).map_err(PyValueError::new_err))
}

/// Every metric: name and what it is.
#[pyfunction]
pub fn metrics() -> Vec<(&'static str, &'static str)> {
    salsa_learn::metrics::ALL.iter().map(|metric| (metric.name, metric.summary)).collect()
}

fn judged(
    samples: &[Sample],
    predictions: &[Vec<f32>],
    convention: Convention,
) -> Result<(Vec<Summary>, BTreeMap<String, u64>), String> {
    let (mut scores, mut violations) = (Scores::new(), BTreeMap::new());
    let mut rest: Vec<&[f32]> = predictions.iter().map(Vec::as_slice).collect();
    for sample in samples {
        let mut predicted = Vec::with_capacity(rest.len());
        for (field, rest) in sample.trajectory.spec.outputs().zip(&mut rest) {
            let expected = n_scores(field, &sample.graph).min(rest.len());
            let (own, others) = rest.split_at(expected);
            *rest = others;
            let values = values_of(field, &sample.graph, own);
            predicted.push(values.ok_or_else(|| format!("{}: too few scores", field.name))?);
        }
        let verdict = verdict(sample, convention, &predicted).map_err(|error| error.to_string())?;
        scores.add(verdict.measured);
        if let Some(validity) = verdict.validity {
            scores.add_outcome("valid", validity.is_ok());
            if let Err(violation) = validity {
                *violations.entry(violation.reason().to_owned()).or_default() += 1;
            }
        }
    }
    if rest.iter().any(|rest| !rest.is_empty()) {
        return Err("there are more scores than the samples have values".to_owned());
    }
    let summaries = scores.summaries().map(|(name, summary)| {
        let interval = summary.interval.map(|interval| (interval.low, interval.high));
        (name.to_owned(), summary.count, summary.mean, summary.deviation, interval)
    });
    Ok((summaries.collect(), violations))
}
