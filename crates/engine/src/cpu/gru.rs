//! The gated recurrent unit: products and gates of a few rows at a time, without a pass between.
//!
//! A row of `saved` is [reset | update | new | the state's share of new]. The products of input and
//! state add up in the first two before the gates are taken, and the gradients of the gates lie in
//! the same order, so each weight's rows meet one run of columns, or two.

use std::ops::Range;

use super::linear::transposed;
use super::product::{Finish, Left, Start, finished_product, product};
use super::team::Parts;
use super::{Cpu, rows};
use crate::buffer::Buffer;
use crate::device::{Gradient, GruGradients, GruWeights, RecurrentUnits};

/// Rows of a weight and the columns of the gates' gradients that belong to them.
struct Rows {
    /// 0 for the input's weight, 1 for the state's.
    weight: usize,
    rows: Range<usize>,
    /// Of the first.
    column: usize,
}

impl RecurrentUnits for Cpu {
    fn gru(
        &self,
        weights: &GruWeights<'_>,
        block: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let GruWeights { input, state, biases } = weights;
        let (width, three, four) = (input.width, 3 * columns, 4 * columns);
        let (x, h) = (input.input.single(), state.input.single());
        let (of_input, of_state) = (transposed(input), transposed(state));
        let [input_bias, state_bias] = biases.map(Buffer::single);
        self.count((block.len(), width + columns, three));
        let out = Parts::new(&mut out.single_mut()[block.start * columns..block.end * columns]);
        let saved = Parts::new(&mut saved.single_mut()[..block.len() * four]);
        let piece = self.product_piece((block.len(), width + columns, three));
        self.team.pieces(block.len(), piece, |piece| {
            let n = piece.len();
            // SAFETY: pieces of rows do not overlap.
            let (out, gates) = unsafe {
                (
                    out.part(piece.start * columns..piece.end * columns),
                    saved.part(piece.start * four..piece.end * four),
                )
            };
            let first = block.start + piece.start;
            let x = Left { data: &x[first * width..], row: width, column: 1 };
            let from_state = Left { data: &h[first * columns..], row: columns, column: 1 };
            let biased = |bias| Finish { bias: Some(bias), relu: false };
            let b = (of_input, three);
            finished_product(
                Start::Zero,
                biased(input_bias),
                x,
                b,
                (gates, four),
                (n, width, three),
            );
            let shape = (n, columns, 2 * columns);
            let b = (of_state, three);
            finished_product(Start::There, biased(state_bias), from_state, b, (gates, four), shape);
            let shape = (n, columns, columns);
            let b = (&of_state[2 * columns..], three);
            let share = (&mut gates[three..], four);
            let bias = biased(&state_bias[2 * columns..]);
            finished_product(Start::Zero, bias, from_state, b, share, shape);
            let h = &h[first * columns..(first + n) * columns];
            for ((out, gates), h) in out
                .chunks_exact_mut(columns)
                .zip(gates.chunks_exact_mut(four))
                .zip(h.chunks_exact(columns))
            {
                rows::gru(h, gates, out);
            }
        });
    }

    fn gru_gradient(
        &self,
        weights: &GruWeights<'_>,
        saved: &Buffer,
        dy: &Buffer,
        n_rows: usize,
        columns: usize,
        work: &mut Buffer,
        to: GruGradients<'_>,
    ) {
        let GruWeights { input, state, .. } = weights;
        let work = &mut work.single_mut()[..n_rows * 4 * columns];
        let GruGradients { inputs, weights: to_weights, biases } = to;
        self.gru_inputs(weights, saved.single(), dy.single(), n_rows, columns, work, inputs);
        let widths = [input.width, columns];
        let operands = [input.input.single(), state.input.single()];
        let groups = [
            Rows { weight: 0, rows: 0..3 * columns, column: 0 },
            Rows { weight: 1, rows: 0..2 * columns, column: 0 },
            Rows { weight: 1, rows: 2 * columns..3 * columns, column: 3 * columns },
        ];
        for (width, gradient) in widths.into_iter().zip(&to_weights) {
            if gradient.is_some() {
                self.count((n_rows, width, 3 * columns));
            }
        }
        let to_weights = to_weights.map(|gradient| {
            gradient.map(|gradient| (gradient.start(), Parts::new(gradient.buffer.single_mut())))
        });
        let biases = biases.map(|gradient| gradient.map(|it| Parts::new(self.added(it))));
        let piece = self.product_piece((3 * columns, n_rows, input.width.max(columns)));
        let pieces = groups.each_ref().map(|group| group.rows.len().div_ceil(piece));
        let work = &*work;
        self.team.run(pieces.iter().sum(), |mut task| {
            let mut place = 0;
            while task >= pieces[place] {
                task -= pieces[place];
                place += 1;
            }
            let Rows { weight, rows: ref all, column } = groups[place];
            let first = all.start + task * piece;
            let own = first..(first + piece).min(all.end);
            let column = column + task * piece;
            if let Some((start, dw)) = &to_weights[weight] {
                let width = widths[weight];
                // SAFETY: pieces of rows of a weight do not overlap.
                let dw = unsafe { dw.part(own.start * width..own.end * width) };
                let gates = work.get(column..).unwrap_or_default();
                let gates = Left { data: gates, row: 1, column: 4 * columns };
                let shape = (own.len(), n_rows, width);
                product(*start, gates, (operands[weight], width), (dw, width), shape);
            }
            if let Some(db) = &biases[weight] {
                // SAFETY: as above.
                let db = unsafe { db.part(own) };
                rows::column_sums(work, 4 * columns, column, db);
            }
        });
    }
}

impl Cpu {
    /// The gradients of all gates, to `work`, and from them those of input and state.
    #[expect(clippy::too_many_arguments, reason = "both gradients share the work")]
    fn gru_inputs(
        &self,
        weights: &GruWeights<'_>,
        saved: &[f32],
        dy: &[f32],
        n_rows: usize,
        columns: usize,
        work: &mut [f32],
        [dx, d_state]: [Option<Gradient<'_>>; 2],
    ) {
        let GruWeights { input, state, .. } = weights;
        let (width, three, four) = (input.width, 3 * columns, 4 * columns);
        let h = state.input.single();
        let (of_input, of_state) = (input.weight.single(), state.weight.single());
        let work = Parts::new(work);
        let dx = dx.map(|dx| {
            self.count((n_rows, width, three));
            (dx.start(), Parts::new(dx.buffer.single_mut()))
        });
        let d_state = d_state.map(|d_state| {
            self.count((n_rows, columns, three));
            (d_state.add, Parts::new(d_state.buffer.single_mut()))
        });
        let piece = self.product_piece((n_rows, three, width + columns));
        self.team.pieces(n_rows, piece, |piece| {
            let n = piece.len();
            // SAFETY: pieces of rows do not overlap.
            let gates = unsafe { work.part(piece.start * four..piece.end * four) };
            for (row, gates) in piece.clone().zip(gates.chunks_exact_mut(four)) {
                let own = row * columns..(row + 1) * columns;
                let saved = &saved[row * four..(row + 1) * four];
                rows::gru_gradient(&h[own.clone()], saved, &dy[own], gates);
            }
            if let Some((start, dx)) = &dx {
                // SAFETY: as above.
                let dx = unsafe { dx.part(piece.start * width..piece.end * width) };
                let gates = Left { data: gates, row: four, column: 1 };
                product(*start, gates, (of_input, width), (dx, width), (n, three, width));
            }
            if let Some((add, d_state)) = &d_state {
                let values = piece.start * columns..piece.end * columns;
                // SAFETY: as above.
                let d_state = unsafe { d_state.part(values.clone()) };
                for ((d_state, dy), saved) in d_state
                    .chunks_exact_mut(columns)
                    .zip(dy[values].chunks_exact(columns))
                    .zip(saved[piece.start * four..].chunks_exact(four))
                {
                    rows::product_of_two(dy, &saved[columns..2 * columns], *add, d_state);
                }
                let both = Left { data: gates, row: four, column: 1 };
                let to = (n, 2 * columns, columns);
                product(Start::There, both, (of_state, columns), (d_state, columns), to);
                let new = Left { data: &gates[three..], row: four, column: 1 };
                let of_new = (&of_state[2 * columns * columns..], columns);
                let to = (n, columns, columns);
                product(Start::There, new, of_new, (d_state, columns), to);
            }
        });
    }
}
