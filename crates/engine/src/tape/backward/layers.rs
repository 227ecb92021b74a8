//! The way back through layers with weights.

use std::sync::Arc;

use super::super::operation::{GruCell, LayerPart, Operation};
use super::super::{Tape, Tensor};
use super::deferred::{Pair, Share};
use super::into_gradient;
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, GruGradients, PartShape, Reduction};
use crate::graph::{Edges, Segments};

impl Tape {
    /// As `undo`, for operators that multiply with weights.
    pub(super) fn undo_layer(&mut self, operation: &Operation, mut dy: Buffer) -> Option<Buffer> {
        match operation {
            Operation::Linear { parts, bias, addend, activation, out } => {
                self.undo_activation(*activation, *out, &mut dy);
                let (rows, columns) = self.shape(*out);
                if let Some((addend, chosen)) = addend {
                    self.give(*addend, |tape, d| match chosen {
                        Some(chosen) => tape.device.gather_rows_gradient(&dy, chosen, columns, d),
                        None => tape.device.copy(&dy, d),
                    });
                }
                self.undo_products(parts.iter().flatten(), *bias, rows, columns, dy)
            }
            Operation::LinearMax { x, weight, bias, edges, origin, out } => {
                let (rows, columns) = self.shape(*out);
                let layer = LayerPart { input: *x, weight: *weight, start: 0 };
                let entries = edges.n_entries();
                if self.defers(*weight, entries, columns, self.columns(*x)) {
                    let spread = self.spread(edges, origin, &dy, columns);
                    if let Some(spread) =
                        self.undo_products([&layer], None, entries, columns, spread)
                    {
                        self.pool.give(spread);
                    }
                } else {
                    self.undo_maximum(&layer, edges, origin, &dy, columns);
                }
                self.give_column_sums([Some((*bias, None))], rows, columns, dy)
            }
            Operation::Gru { x, state, cell, saved, .. } => {
                let (rows, columns) = self.shape(*state);
                let GruCell { weight_ih, weight_hh, bias_ih, bias_hh } = *cell;
                let inputs = [*x, *state, weight_ih, weight_hh, bias_ih, bias_hh];
                let put_off = self.defers(weight_ih, rows, columns, self.columns(*x));
                let now = if put_off { &inputs[..2] } else { &inputs };
                let mut work = self.buffer(saved.len());
                let mut gradients = inputs.map(|tensor| match now.contains(&tensor) {
                    true => self.wanted_gradient(tensor),
                    false => None,
                });
                let [dx, dh, dw, du, db, dc] = gradients.each_mut().map(into_gradient);
                self.device.gru_gradient(
                    &self.gru_weights(*cell, *x, *state),
                    saved,
                    &dy,
                    rows,
                    columns,
                    &mut work,
                    GruGradients { inputs: [dx, dh], weights: [dw, du], biases: [db, dc] },
                );
                self.put_back(inputs.into_iter().zip(gradients));
                if put_off {
                    self.note_gates(*x, *state, *cell, work);
                } else {
                    self.pool.give(work);
                }
                Some(dy)
            }
            _ => unreachable!("an operator without weights"),
        }
    }

    /// Of `out [rows, columns] = parts + bias`; keeps `dy` if sums wait for it.
    fn undo_products<'a>(
        &mut self,
        parts: impl IntoIterator<Item = &'a LayerPart>,
        bias: Option<Tensor>,
        rows: usize,
        columns: usize,
        dy: Buffer,
    ) -> Option<Buffer> {
        let mut waiting = [None; 4];
        for (&part, waiting) in parts.into_iter().zip(&mut waiting) {
            let LayerPart { input, weight, start } = part;
            let (width, stride) = (self.columns(input), self.columns(weight));
            let shape = PartShape { rows, columns, width, start, stride };
            let put_off = self.defers(weight, rows, columns, width);
            let mut dx = self.wanted_gradient(input);
            let mut dw = if put_off { None } else { self.wanted_gradient(weight) };
            self.device.linear_gradient(
                &dy,
                self.value(input),
                self.value(weight),
                shape,
                into_gradient(&mut dx),
                into_gradient(&mut dw),
            );
            self.put_back([(input, dx), (weight, dw)]);
            *waiting = put_off.then_some(part);
        }
        if waiting.iter().all(Option::is_none) {
            return self.give_column_sums([bias.map(|bias| (bias, None))], rows, columns, dy);
        }
        let pair =
            Pair { kept: self.keep_back(dy), dy_start: 0, dy_stride: columns, x: None, rows };
        for LayerPart { input, weight, start } in waiting.into_iter().flatten() {
            let width = self.columns(input);
            let share = Share { to: weight, first: [0, start], columns, width };
            self.note(share, Pair { x: Some(input), ..pair });
        }
        if let Some(bias) = bias {
            self.note(Share { to: bias, first: [0, 0], columns, width: 1 }, pair);
        }
        None
    }

    /// Sums of columns of `dy [rows, columns]`, each row times its factor where there are factors;
    /// keeps `dy` if they wait.
    pub(super) fn give_column_sums<const N: usize>(
        &mut self,
        sums: [Option<(Tensor, Option<Tensor>)>; N],
        rows: usize,
        columns: usize,
        dy: Buffer,
    ) -> Option<Buffer> {
        let sums = sums.into_iter().flatten();
        // As if each were as many columns.
        if sums.clone().any(|(to, _)| self.defers(to, rows, columns, columns)) {
            let kept = self.keep_back(dy);
            for (to, x) in sums {
                let pair = Pair { kept, dy_start: 0, dy_stride: columns, x, rows };
                self.note(Share { to, first: [0, 0], columns, width: 1 }, pair);
            }
            return None;
        }
        for (to, factors) in sums {
            self.give(to, |tape, d| {
                let factors = factors.map(|factors| tape.value(factors));
                tape.device.column_sums(&dy, factors, rows, columns, d);
            });
        }
        Some(dy)
    }

    /// Of a layer on the entries whose results were reduced by a maximum, without its bias.
    fn undo_maximum(
        &mut self,
        &LayerPart { input, weight, .. }: &LayerPart,
        edges: &Edges,
        origin: &Indices,
        dy: &Buffer,
        columns: usize,
    ) {
        let mut dx = self.wanted_gradient(input);
        let mut dw = self.wanted_gradient(weight);
        self.device.linear_max_gradient(
            edges,
            dy,
            origin,
            self.value(input),
            self.value(weight),
            columns,
            self.columns(input),
            into_gradient(&mut dx),
            into_gradient(&mut dw),
        );
        self.put_back([(input, dx), (weight, dw)]);
    }

    /// Gradients of maxima as those of all entries, most of which are 0.
    fn spread(
        &mut self,
        edges: &Arc<Edges>,
        origin: &Indices,
        dy: &Buffer,
        columns: usize,
    ) -> Buffer {
        let entries = edges.n_entries();
        let mut spread = self.buffer(entries * columns);
        let segments = Segments::Rows(edges.clone());
        let to = Gradient { buffer: &mut spread, add: false };
        let (max, origin) = (Reduction::Max, Some(origin));
        self.device.segment_reduce_gradient(max, dy, &segments, entries, columns, origin, to);
        spread
    }

    /// Notes what belongs to a recurrent unit's learned values. Of the state's share of the new value
    /// the gradients are apart from the others'.
    fn note_gates(&mut self, x: Tensor, state: Tensor, cell: GruCell, work: Buffer) {
        let (rows, columns) = self.shape(state);
        let GruCell { weight_ih, weight_hh, bias_ih, bias_hh } = cell;
        let kept = self.keep_back(work);
        let sides = [
            (x, weight_ih, bias_ih, [0, 0], 3 * columns),
            (state, weight_hh, bias_hh, [0, 0], 2 * columns),
            (state, weight_hh, bias_hh, [2 * columns, 3 * columns], columns),
        ];
        for (input, weight, bias, [row, dy_start], gates) in sides {
            let pair = Pair { kept, dy_start, dy_stride: 4 * columns, x: Some(input), rows };
            let share =
                Share { to: weight, first: [row, 0], columns: gates, width: self.columns(input) };
            self.note(share, pair);
            self.note(Share { to: bias, width: 1, ..share }, Pair { x: None, ..pair });
        }
    }
}
