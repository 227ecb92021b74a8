//! One feature of all samples: inputs and outputs, which have no steps.

use std::ops::Range;

use super::layout::Layout;
use super::ready::{Feature, Ready};
use crate::spec::{Field, Kind, Stage};

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

/// The feature at `place` among those that are ready, of all samples.
pub(super) fn column(samples: &[&Ready], layout: &Layout, field: &Field, place: usize) -> Column {
    let n_rows = layout.n_rows(field);
    let shape = match field.kind {
        _ if field.name == "randomness" => vec![n_rows, layout.steps],
        Kind::Categorical { classes } => vec![n_rows, classes.into()],
        _ => vec![n_rows],
    };
    let features = samples.iter().enumerate().map(|(number, sample)| {
        let rows = layout.rows(field, number);
        (rows, &sample.features[place])
    });
    let numbers = match (field.stage, field.kind) {
        (Stage::Output, Kind::Pointer) => Numbers::Double(marked(features, n_rows, 0.0, 1.0)),
        (_, Kind::Pointer | Kind::MaskOne) => Numbers::Single(marked(features, n_rows, 0.0, 1.0)),
        _ => Numbers::Single(stacked(features, n_rows, shape.get(1).copied().unwrap_or(1))),
    };
    Column { field: field.clone(), shape, numbers }
}

/// `one` in the rows that have it, `zero` elsewhere.
fn marked<'a, T: Copy>(
    features: impl Iterator<Item = (Range<usize>, &'a Feature)>,
    n_rows: usize,
    zero: T,
    one: T,
) -> Vec<T> {
    let mut numbers = vec![zero; n_rows];
    for (rows, feature) in features {
        if let Feature::Marks(marks) = feature {
            let own = &mut numbers[rows];
            marks.iter().for_each(|&row| own[row as usize] = one);
        }
    }
    numbers
}

/// Rows below each other, padded with zeros where they are not so wide.
fn stacked<'a>(
    features: impl Iterator<Item = (Range<usize>, &'a Feature)>,
    n_rows: usize,
    width: usize,
) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(n_rows * width);
    for (rows, feature) in features {
        let Feature::Rows(own) = feature else { continue };
        if own.len() == rows.len() * width {
            numbers.extend_from_slice(own);
            continue;
        }
        for (number, row) in (rows.start + 1..).zip(own.chunks_exact(own.len() / rows.len())) {
            numbers.extend_from_slice(row);
            numbers.resize(number * width, 0.0);
        }
    }
    numbers
}
