//! The hints of all samples, padded with zeros to the longest trajectory.

use super::layout::Layout;
use super::{CollateError, Column, Numbers};
use crate::sample::Sample;
use crate::spec::{Field, Kind, Spec};
use crate::trajectory::Stretch;

/// All hints of all samples, in the order of the spec.
pub(super) fn columns(
    samples: &[&Sample],
    layout: &Layout,
    spec: &Spec,
) -> Result<Vec<Column>, CollateError> {
    let mut columns: Vec<Dense<'_>> = spec.hints().map(|hint| Dense::new(hint, layout)).collect();
    for (place, sample) in samples.iter().enumerate() {
        let hints = sample.trajectory.hints.as_ref().ok_or(CollateError::NoHints { place })?;
        let mut misfit = None;
        hints.stretches(|stretch| {
            let column = &mut columns[stretch.hint];
            if column.write(sample, layout, place, &stretch).is_none() {
                misfit = Some(stretch.hint);
            }
        });
        if let Some(hint) = misfit {
            return Err(CollateError::Misfit { place, name: columns[hint].field.name.to_string() });
        }
    }
    Ok(columns.into_iter().map(Dense::column).collect())
}

/// A hint that is being written.
struct Dense<'a> {
    field: &'a Field,
    n_steps: usize,
    n_classes: usize,
    numbers: Vec<f32>,
}

impl<'a> Dense<'a> {
    fn new(field: &'a Field, layout: &Layout) -> Self {
        let n_classes = match field.kind {
            Kind::Categorical { classes } => classes.into(),
            _ => 1,
        };
        let numbers = vec![0.0; layout.n_rows(field) * layout.steps * n_classes];
        Self { field, n_steps: layout.steps, n_classes, numbers }
    }

    /// Writes one stretch; `None` if it does not fit the graph.
    fn write(
        &mut self,
        sample: &Sample,
        layout: &Layout,
        place: usize,
        stretch: &Stretch,
    ) -> Option<()> {
        let Stretch { index, value, steps, .. } = stretch;
        let rows = layout.rows(self.field, place);
        let (row, number) = match self.field.kind {
            Kind::Scalar | Kind::Mask if *value == 0.0 => return Some(()),
            Kind::Scalar | Kind::Mask => (*index, *value as f32),
            Kind::MaskOne => (*value as usize, 1.0),
            Kind::Pointer => (sample.graph.entry_to(*index as u32, *value as u32)?, 1.0),
            Kind::Categorical { .. } => (*index, 1.0),
        };
        let first = (rows.start + row) * self.n_steps;
        if row >= rows.len() || steps.end > self.n_steps {
            return None;
        }
        let own = first + steps.start..first + steps.end;
        match self.field.kind {
            Kind::Categorical { .. } => {
                for step in own {
                    self.numbers[step * self.n_classes + *value as usize] = number;
                }
            }
            _ => self.numbers[own].fill(number),
        }
        Some(())
    }

    /// The finished column.
    fn column(self) -> Column {
        let n_rows = self.numbers.len() / (self.n_steps * self.n_classes).max(1);
        let mut shape = vec![n_rows, self.n_steps];
        if matches!(self.field.kind, Kind::Categorical { .. }) {
            shape.push(self.n_classes);
        }
        Column { field: self.field.clone(), shape, numbers: Numbers::Single(self.numbers) }
    }
}
