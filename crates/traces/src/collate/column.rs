//! One feature of all samples: inputs and outputs, which have no steps.

use super::CollateError;
use super::layout::Layout;
use crate::sample::Sample;
use crate::spec::{Field, Kind};
use crate::trajectory::Values;

/// One feature of all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The feature.
    pub field: Field,
    /// The shape of its array.
    pub shape: Vec<usize>,
    /// Its values, the last axis fastest.
    pub numbers: Numbers,
}

/// Numbers of either precision.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
}

/// An input of all samples.
pub(super) fn input(
    samples: &[&Sample],
    layout: &Layout,
    field: &Field,
) -> Result<Column, CollateError> {
    if field.name == "randomness" {
        return randomness(samples, layout, field);
    }
    let numbers = match &*field.name {
        "weights" => weights(samples, layout, field)?,
        name => moment(samples, layout, field, |sample| sample.input(name))?,
    };
    let numbers = Numbers::Single(numbers);
    Ok(Column { field: field.clone(), shape: shape(layout, field), numbers })
}

/// The output at `place` among those of the spec, of all samples.
pub(super) fn output(
    samples: &[&Sample],
    layout: &Layout,
    field: &Field,
    place: usize,
) -> Result<Column, CollateError> {
    let values = |sample: &Sample| sample.trajectory.outputs.get(place).cloned();
    let numbers = match field.kind {
        Kind::Pointer => Numbers::Double(moment(samples, layout, field, values)?),
        _ => Numbers::Single(moment(samples, layout, field, values)?),
    };
    Ok(Column { field: field.clone(), shape: shape(layout, field), numbers })
}

/// The weights of all entries `[E]`, 1 on self-loops.
fn weights(samples: &[&Sample], layout: &Layout, field: &Field) -> Result<Vec<f32>, CollateError> {
    let mut numbers = vec![1.0; layout.n_rows(field)];
    for (place, sample) in samples.iter().enumerate() {
        if !sample.graph.is_weighted() {
            return Err(CollateError::Misfit { place, name: field.name.to_string() });
        }
        let own = &mut numbers[layout.rows(field, place)];
        sample.graph.write_weights(|weight| weight as f32, own);
    }
    Ok(numbers)
}

/// Random values `[N, T]`, the two steps of a phase alike.
fn randomness(samples: &[&Sample], layout: &Layout, field: &Field) -> Result<Column, CollateError> {
    let (n_rows, n_steps) = (layout.n_rows(field), layout.steps);
    let mut numbers = vec![0.0; n_rows * n_steps];
    for (place, sample) in samples.iter().enumerate() {
        let misfit = || CollateError::Misfit { place, name: field.name.to_string() };
        let rows = layout.rows(field, place);
        let phases = sample.inputs.randomness.as_ref().ok_or_else(misfit)?.phases();
        for step in 0..sample.trajectory.length as usize {
            let phase = phases.get(step / 2).filter(|phase| phase.len() == rows.len());
            for (row, &value) in rows.clone().zip(phase.ok_or_else(misfit)?) {
                numbers[row * n_steps + step] = value as f32;
            }
        }
    }
    Ok(Column {
        field: field.clone(),
        shape: vec![n_rows, n_steps],
        numbers: Numbers::Single(numbers),
    })
}

fn shape(layout: &Layout, field: &Field) -> Vec<usize> {
    match field.kind {
        Kind::Categorical { classes } => vec![layout.n_rows(field), classes.into()],
        _ => vec![layout.n_rows(field)],
    }
}

/// A number of either precision.
trait Number: Copy {
    /// The nearest to `number`.
    fn of(number: f64) -> Self;
}

impl Number for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }
}

impl Number for f64 {
    fn of(number: f64) -> Self {
        number
    }
}

/// The values of one moment, below each other.
fn moment<T: Number>(
    samples: &[&Sample],
    layout: &Layout,
    field: &Field,
    values: impl Fn(&Sample) -> Option<Values>,
) -> Result<Vec<T>, CollateError> {
    let shape = shape(layout, field);
    let width = shape.get(1).copied().unwrap_or(1);
    let mut numbers = Vec::with_capacity(shape.into_iter().product());
    for (place, sample) in samples.iter().enumerate() {
        let rows = layout.rows(field, place);
        let written = values(sample)
            .and_then(|values| append(sample, field, &values, rows.len(), &mut numbers));
        if written.is_none() || numbers.len() != rows.end * width {
            return Err(CollateError::Misfit { place, name: field.name.to_string() });
        }
    }
    Ok(numbers)
}

/// Appends `n_rows` rows; `None` if the values do not fit.
fn append<T: Number>(
    sample: &Sample,
    field: &Field,
    values: &Values,
    n_rows: usize,
    to: &mut Vec<T>,
) -> Option<()> {
    let first = to.len();
    let (zero, one) = (T::of(0.0), T::of(1.0));
    let number = |is_set: bool| if is_set { one } else { zero };
    match values {
        Values::Mask(values) => to.extend(values.iter().map(|&value| number(value))),
        Values::Scalar(values) => to.extend(values.iter().map(|&value| T::of(value))),
        Values::MaskOne(node) => {
            to.resize(first + n_rows, zero);
            *to[first..].get_mut(*node as usize)? = one;
        }
        Values::Pointer(targets) => {
            to.resize(first + n_rows, zero);
            for (node, &target) in (0..).zip(targets.iter().take(sample.graph.n_nodes())) {
                to[first + sample.graph.entry_to(node, target)?] = one;
            }
        }
        Values::Categorical(values) => {
            let Kind::Categorical { classes } = field.kind else { return None };
            let one_hot = |&class: &u8| (0..classes).map(move |other| number(other == class));
            to.extend(values.iter().flat_map(one_hot));
        }
    }
    Some(())
}
