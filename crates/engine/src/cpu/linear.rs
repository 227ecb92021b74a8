//! Linear layers and the sums their gradients need.

use super::math::relu;
use super::product::{Finish, Left, Start, finished_product, product};
use super::team::Parts;
use super::{Cpu, rows, transpose};
use crate::buffer::{Buffer, Indices};
use crate::device::{Activation, Addend, Gradient, LinearLayers, Part, PartShape};

impl LinearLayers for Cpu {
    fn wants_transposed(&self) -> bool {
        true
    }

    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer) {
        transpose::transpose(&self.team, from.single(), rows, columns, to.single_mut());
    }

    fn linear(
        &self,
        parts: &[Part<'_>],
        bias: Option<&Buffer>,
        addend: Option<Addend<'_>>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let width: usize = parts.iter().map(|part| part.width).sum();
        self.count((rows, width, columns));
        let bias = bias.map(Buffer::single);
        let addend = addend.map(|it| (it.values.single(), it.rows.map(Indices::host)));
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        let piece = self.product_piece((rows, width, columns));
        self.team.pieces(rows, piece, |piece| {
            // SAFETY: pieces of rows do not overlap.
            let out = unsafe { out.part(piece.start * columns..piece.end * columns) };
            match addend {
                None => {}
                Some((addend, None)) => {
                    out.copy_from_slice(&addend[piece.start * columns..piece.end * columns]);
                }
                Some((addend, Some(rows))) => {
                    for (&row, out) in rows[piece.clone()].iter().zip(out.chunks_exact_mut(columns))
                    {
                        let from = row as usize * columns;
                        out.copy_from_slice(&addend[from..from + columns]);
                    }
                }
            }
            for (place, part) in parts.iter().enumerate() {
                let is_first = place == 0;
                let start = if is_first && addend.is_none() { Start::Zero } else { Start::There };
                let finish = Finish {
                    bias: bias.filter(|_| is_first),
                    relu: activation == Activation::Relu && place + 1 == parts.len(),
                };
                let input = &part.input.single()[piece.start * part.width..piece.end * part.width];
                if columns <= FEW_COLUMNS {
                    few_columns(part, input, columns, start, finish, out);
                    continue;
                }
                finished_product(
                    start,
                    finish,
                    Left { data: input, row: part.width, column: 1 },
                    (&transposed(part)[part.start * columns..], columns),
                    (out, columns),
                    (piece.len(), part.width, columns),
                );
            }
        });
    }

    fn linear_gradient(
        &self,
        dy: &Buffer,
        x: &Buffer,
        weight: &Buffer,
        shape: PartShape,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        let PartShape { rows, columns, width, start, stride } = shape;
        let (dy, x, weight) = (dy.single(), x.single(), weight.single());
        let mut tasks = [0, 0];
        let (dx_piece, dw_piece) = (
            self.product_piece((rows, columns, width)),
            self.product_piece((columns, rows, width)),
        );
        let dx = dx.map(|dx| {
            self.count((rows, columns, width));
            tasks[0] = rows.div_ceil(dx_piece);
            (dx.start(), Parts::new(dx.buffer.single_mut()))
        });
        let dw = dw.map(|dw| {
            self.count((rows, columns, width));
            tasks[1] = columns.div_ceil(dw_piece);
            let whole = width == stride;
            let from = if whole { dw.start() } else { Start::There };
            let values = if whole { dw.buffer.single_mut() } else { self.added(dw) };
            (from, Parts::new(values))
        });
        // Both products are handed out together, so no thread waits between them.
        self.team.run(tasks[0] + tasks[1], |task| match (&dx, &dw) {
            (Some((from, dx)), _) if task < tasks[0] => {
                let piece = task * dx_piece..((task + 1) * dx_piece).min(rows);
                // SAFETY: pieces of rows do not overlap.
                let dx = unsafe { dx.part(piece.start * width..piece.end * width) };
                product(
                    *from,
                    Left { data: &dy[piece.start * columns..], row: columns, column: 1 },
                    (&weight[start..], stride),
                    (dx, width),
                    (piece.len(), columns, width),
                );
            }
            (_, Some((from, dw))) => {
                let task = task - tasks[0];
                let piece = task * dw_piece..((task + 1) * dw_piece).min(columns);
                // SAFETY: pieces of rows of the weight do not overlap.
                let dw = unsafe { dw.part(piece.start * stride..piece.end * stride) };
                product(
                    *from,
                    Left {
                        data: dy.get(piece.start..).unwrap_or_default(),
                        row: 1,
                        column: columns,
                    },
                    (x, width),
                    (&mut dw[start..], stride),
                    (piece.len(), rows, width),
                );
            }
            _ => {}
        });
    }

    fn column_sums(
        &self,
        x: &Buffer,
        factors: Option<&Buffer>,
        rows: usize,
        columns: usize,
        out: Gradient<'_>,
    ) {
        let x = &x.single()[..rows * columns];
        let factors = factors.map(Buffer::single);
        let out = Parts::new(self.added(out));
        self.by_columns(rows, columns, |piece| {
            // SAFETY: pieces of columns do not overlap.
            let sums = unsafe { out.part(piece.clone()) };
            match factors {
                Some(factors) => rows::column_sums_scaled(x, columns, piece.start, factors, sums),
                None => rows::column_sums(x, columns, piece.start, sums),
            }
        });
    }

    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer) {
        let y = y.single();
        let dy = dy.single_mut();
        let len = dy.len();
        let dy = Parts::new(dy);
        self.by_rows(len, 1, |piece| {
            // SAFETY: pieces do not overlap.
            rows::relu_gradient(&y[piece.clone()], unsafe { dy.part(piece) });
        });
    }
}

/// A part's weight as products read it.
pub(super) fn transposed<'a>(part: &Part<'a>) -> &'a [f32] {
    match part.transposed {
        Some(buffer) => buffer.single(),
        None => unreachable!("the CPU asks for transposed weights"),
    }
}

/// Layers with so few outputs take dot products with the weight as stored.
const FEW_COLUMNS: usize = 4;

/// A part of a layer with few outputs.
fn few_columns(
    part: &Part<'_>,
    input: &[f32],
    columns: usize,
    start: Start,
    finish: Finish<'_>,
    out: &mut [f32],
) {
    for (out, input) in out.chunks_exact_mut(columns).zip(input.chunks_exact(part.width)) {
        let weights = part.weight.single().chunks_exact(part.stride);
        for (column, (y, weights)) in out.iter_mut().zip(weights).enumerate() {
            let there = if start == Start::There { *y } else { 0.0 };
            let sum = rows::dot(input, &weights[part.start..part.start + part.width]);
            let sum = there + sum + finish.bias.map_or(0.0, |bias| bias[column]);
            *y = if finish.relu { relu(sum) } else { sum };
        }
    }
}
