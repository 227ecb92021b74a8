//! The way back: from the gradient of a result to those of what it was made of.

use super::operation::{Operation, Piece};
use super::{Tape, Tensor};
use crate::buffer::Buffer;
use crate::device::{Activation, Gradient, PartShape, Reduction};
use crate::graph::{Edges, Segments};

mod deferred;
mod layers;

pub(super) use deferred::Deferred;

impl Tape {
    /// Computes the gradients of everything that led to `loss` [1, 1]; those of parameters add up
    /// over calls and stay, all others are given back as soon as they are used.
    pub fn backward(&mut self, loss: Tensor) {
        assert_eq!(self.shape(loss), (1, 1), "gradients are those of one number");
        if !self.is_tracked(loss) {
            return;
        }
        self.begin_deferred();
        let mut one = self.buffer(1);
        self.device.fill(&mut one, 1.0);
        self.slots[loss.index()].gradient = Some(one);
        let mut waiting = Vec::new();
        while let Some(operation) = self.operations.pop() {
            if self.can_wait(&operation) {
                waiting.push(operation);
            } else {
                self.undo_next(operation);
            }
        }
        self.sum_up();
        waiting.into_iter().for_each(|operation| self.undo_next(operation));
    }

    fn undo_next(&mut self, operation: Operation) {
        let out = operation.out();
        self.sum_up_for(out);
        if let Some(dy) = self.slots[out.index()].gradient.take() {
            if let Some(dy) = self.undo(&operation, dy) {
                self.pool.give(dy);
            }
            self.relieve();
        }
        operation.recycle(&mut self.pool);
    }

    /// Hands `dy` on to the inputs; gives its buffer back, unless it is kept.
    fn undo(&mut self, operation: &Operation, mut dy: Buffer) -> Option<Buffer> {
        match operation {
            Operation::Linear { .. } | Operation::LinearMax { .. } | Operation::Gru { .. } => {
                return self.undo_layer(operation, dy);
            }
            Operation::Columns { x, starts, n_starts, out } => {
                let starts = &starts[..*n_starts];
                // A column of n values is also a row of n values.
                let (rows, columns) = match self.shape(*x) {
                    (n, 1) if self.rows(*out) != n => (1, n),
                    shape => shape,
                };
                let width = self.value(*out).len() / rows;
                self.give(*x, |tape, dx| {
                    if !dx.add {
                        tape.device.fill(dx.buffer, 0.0);
                    }
                    tape.device.columns_gradient(&dy, rows, columns, starts, width, dx.buffer);
                });
            }
            Operation::Messages { edges, source, target, scaled, bias, activation, out } => {
                self.undo_activation(*activation, *out, &mut dy);
                let (entries, columns) = self.shape(*out);
                let both = self.give_both_ends(edges, *source, *target, &dy, columns);
                if let Some(source) = source.filter(|_| !both) {
                    self.give(source, |tape, dx| {
                        tape.device.messages_source_gradient(edges, &dy, columns, dx);
                    });
                }
                if let Some(target) = target.filter(|_| !both) {
                    let segments = Segments::Rows(edges.clone());
                    let n_nodes = edges.n_nodes();
                    let mut sums = self.buffer(n_nodes * columns);
                    self.device.segment_reduce(
                        Reduction::Sum,
                        &dy,
                        &segments,
                        entries,
                        columns,
                        &mut sums,
                        None,
                    );
                    self.give_buffer(target, sums);
                }
                let factors = scaled.map(|(weights, scale)| (scale, Some(weights)));
                let sums = [factors, bias.map(|bias| (bias, None))];
                return self.give_column_sums(sums, entries, columns, dy);
            }
            Operation::GatherMax { edges, source, scaled, bias, activation, origin, out } => {
                let origin = origin.as_ref().expect("a maximum that is recorded knows its origin");
                self.undo_activation(*activation, *out, &mut dy);
                let (rows, columns) = self.shape(*out);
                self.give(*source, |tape, dx| {
                    tape.device.gather_max_source_gradient(edges, &dy, columns, origin, dx);
                });
                if let Some((weights, scale)) = *scaled {
                    self.give(scale, |tape, d| {
                        let weights = tape.value(weights);
                        tape.device
                            .gather_max_scale_gradient(&dy, weights, rows, columns, origin, d);
                    });
                }
                return self.give_column_sums([bias.map(|bias| (bias, None))], rows, columns, dy);
            }
            Operation::SegmentReduce { reduction, x, segments, origin, .. } => {
                let (rows, columns) = self.shape(*x);
                self.give(*x, |tape, dx| {
                    let origin = origin.as_ref();
                    tape.device.segment_reduce_gradient(
                        *reduction, &dy, segments, rows, columns, origin, dx,
                    );
                });
            }
            Operation::GatherRows { x, indices, .. } => {
                let columns = self.columns(*x);
                self.give(*x, |tape, dx| {
                    tape.device.gather_rows_gradient(&dy, indices, columns, dx);
                });
            }
            Operation::Stack { pieces, .. } => {
                let mut at = 0;
                for i in pieces.clone() {
                    let Piece { tensor, rows } = self.pieces[i].clone();
                    let columns = self.columns(tensor);
                    let (len, first) = (rows.len() * columns, rows.start * columns);
                    self.give(tensor, |tape, dx| {
                        let device = &tape.device;
                        if dx.add {
                            device.place_added(&dy, at..at + len, dx.buffer, first);
                        } else {
                            if len < dx.buffer.len() {
                                device.fill(dx.buffer, 0.0);
                            }
                            device.place(&dy, at..at + len, dx.buffer, first);
                        }
                    });
                    at += len;
                }
            }
            Operation::Join { pieces, out } => {
                let stride = self.columns(*out);
                let mut start = 0;
                for i in pieces.clone() {
                    let input = self.pieces[i].tensor;
                    let width = self.columns(input);
                    self.give(input, |tape, dx| {
                        tape.device.place_columns_gradient(&dy, width, start, stride, dx);
                    });
                    start += width;
                }
            }
            Operation::TransposedProduct { a, b, out } => {
                let (i, j) = self.shape(*out);
                let rows = self.rows(*a);
                // db = a · dy
                self.give(*b, |tape, db| {
                    let shape = PartShape { rows, columns: i, width: j, start: 0, stride: j };
                    let a = tape.value(*a);
                    tape.device.linear_gradient(a, a, &dy, shape, Some(db), None);
                });
                // da = b · dyᵀ
                let mut turned = self.buffer(i * j);
                self.device.transpose(&dy, i, j, &mut turned);
                self.give(*a, |tape, da| {
                    let shape = PartShape { rows, columns: j, width: i, start: 0, stride: i };
                    let b = tape.value(*b);
                    tape.device.linear_gradient(b, b, &turned, shape, Some(da), None);
                });
                self.pool.give(turned);
            }
            Operation::LogSoftmax { x, segments, out } => {
                let columns = match segments {
                    Segments::Every(_) => 1,
                    _ => self.columns(*x),
                };
                self.give(*x, |tape, dx| {
                    let y = tape.value(*out);
                    tape.device.log_softmax_gradient(y, &dy, segments, columns, dx);
                });
            }
            Operation::EdgeDot { edges, source, target, .. } => {
                let columns = self.columns(*source);
                for (input, other, of_source) in
                    [(*source, *target, true), (*target, *source, false)]
                {
                    self.give(input, |tape, dx| {
                        let other = tape.value(other);
                        tape.device.edge_dot_gradient(edges, &dy, other, of_source, columns, dx);
                    });
                }
            }
            Operation::LayerNorm { x, gain, bias, saved, out } => {
                let (rows, columns) = self.shape(*out);
                self.give_three([*x, *gain, *bias], |tape, dx, d_gain, d_bias| {
                    let (x, gain) = (tape.value(*x), tape.value(*gain));
                    tape.device.layer_norm_gradient(
                        x,
                        gain,
                        saved,
                        &dy,
                        rows,
                        columns,
                        Some(dx),
                        d_gain,
                        d_bias,
                    );
                });
            }
            Operation::BatchNorm { x, gain, bias, activation, saved, out } => {
                let (rows, columns) = self.shape(*out);
                self.give_three([*x, *gain, *bias], |tape, dx, d_gain, d_bias| {
                    let (x, y, gain) = (tape.value(*x), tape.value(*out), tape.value(*gain));
                    tape.device.batch_norm_gradient(
                        x,
                        y,
                        gain,
                        saved,
                        *activation,
                        &dy,
                        rows,
                        columns,
                        Some(dx),
                        d_gain,
                        d_bias,
                    );
                });
            }
            Operation::Unary { function, x, out } => self.give(*x, |tape, dx| {
                tape.device.unary_gradient(*function, tape.value(*out), &dy, dx);
            }),
            Operation::Binary { function, a, b, .. } => {
                for (input, of_a) in [(*a, true), (*b, false)] {
                    self.give(input, |tape, dx| {
                        let (a, b) = (tape.value(*a), tape.value(*b));
                        tape.device.binary_gradient(*function, a, b, &dy, of_a, dx);
                    });
                }
            }
            Operation::ScaledSum { scale, a, b, .. } => {
                self.give(*a, |tape, da| {
                    tape.device.scaled_sum_gradient(tape.value(*scale), &dy, da);
                });
                self.give(*scale, |tape, d| tape.device.dot(&dy, tape.value(*a), d));
                self.give(*b, |tape, db| tape.device.copy(&dy, db));
            }
            Operation::AddScaled { a, b, factor, .. } => {
                self.give(*a, |tape, da| tape.device.copy(&dy, da));
                self.give(*b, |tape, db| tape.device.scale(&dy, *factor, db));
            }
            Operation::Picked { x, targets, weights, .. } => self.give(*x, |tape, dx| {
                tape.device.picked_gradient(targets, tape.value(*weights), &dy, dx);
            }),
            Operation::Loss { loss, x, targets, weights, .. } => self.give(*x, |tape, dx| {
                let (x, targets) = (tape.value(*x), tape.value(*targets));
                tape.device.loss_gradient(*loss, x, targets, tape.value(*weights), &dy, dx);
            }),
            Operation::MeanNorm { x, saved, .. } => {
                let (rows, columns) = self.shape(*x);
                self.give(*x, |tape, dx| {
                    let x = tape.value(*x);
                    tape.device.mean_norm_gradient(x, saved, &dy, rows, columns, dx);
                });
            }
        }
        Some(dy)
    }

    /// Computes the first gradients of both terms of messages, if the device does that at once.
    fn give_both_ends(
        &mut self,
        edges: &Edges,
        source: Option<Tensor>,
        target: Option<Tensor>,
        dy: &Buffer,
        columns: usize,
    ) -> bool {
        let (Some(source), Some(target)) = (source, target) else { return false };
        let ends = [source, target];
        let is_new = |&end: &Tensor| {
            let slot = &self.slots[end.index()];
            slot.tracked && slot.gradient.is_none()
        };
        if source == target || !ends.iter().all(is_new) {
            return false;
        }
        let mut sums = ends.map(|_| self.buffer(edges.n_nodes() * columns));
        let [of_source, of_target] = &mut sums;
        let done = self.device.messages_gradients(edges, dy, columns, of_source, of_target);
        for (end, sum) in ends.into_iter().zip(sums) {
            match done {
                true => self.slots[end.index()].gradient = Some(sum),
                false => self.pool.give(sum),
            }
        }
        done
    }

    fn undo_activation(&self, activation: Activation, out: Tensor, dy: &mut Buffer) {
        match activation {
            Activation::None => {}
            Activation::Relu => self.device.relu_gradient(self.value(out), dy),
        }
    }

    /// Lets `compute` write or add to the gradient of `tensor`, if one is wanted.
    fn give(&mut self, tensor: Tensor, compute: impl FnOnce(&Self, Gradient<'_>)) {
        if !self.is_tracked(tensor) {
            return;
        }
        let (mut buffer, add) = self.take_gradient(tensor);
        compute(self, Gradient { buffer: &mut buffer, add });
        self.slots[tensor.index()].gradient = Some(buffer);
    }

    /// As `give`, for a gradient that is computed already.
    fn give_buffer(&mut self, tensor: Tensor, computed: Buffer) {
        if !self.is_tracked(tensor) {
            self.pool.give(computed);
            return;
        }
        match self.slots[tensor.index()].gradient.take() {
            None => self.slots[tensor.index()].gradient = Some(computed),
            Some(mut there) => {
                self.device.copy(&computed, Gradient { buffer: &mut there, add: true });
                self.slots[tensor.index()].gradient = Some(there);
                self.pool.give(computed);
            }
        }
    }

    /// As `give`, for three different tensors at once; unwanted gradients are thrown away.
    fn give_three(
        &mut self,
        tensors: [Tensor; 3],
        compute: impl FnOnce(&Self, Gradient<'_>, Gradient<'_>, Gradient<'_>),
    ) {
        let [a, b, c] = tensors;
        assert!(a != b && b != c && a != c, "one operator's inputs must be different tensors");
        let mut buffers = tensors.map(|tensor| self.take_gradient(tensor));
        let [(a, add_a), (b, add_b), (c, add_c)] = &mut buffers;
        compute(
            self,
            Gradient { buffer: a, add: *add_a },
            Gradient { buffer: b, add: *add_b },
            Gradient { buffer: c, add: *add_c },
        );
        for (tensor, (buffer, _)) in tensors.into_iter().zip(buffers) {
            if self.is_tracked(tensor) {
                self.slots[tensor.index()].gradient = Some(buffer);
            } else {
                self.pool.give(buffer);
            }
        }
    }

    /// As below, if a gradient is wanted.
    fn wanted_gradient(&mut self, tensor: Tensor) -> Option<(Buffer, bool)> {
        self.is_tracked(tensor).then(|| self.take_gradient(tensor))
    }

    /// Gives tensors the gradients that were taken and computed.
    fn put_back(&mut self, gradients: impl IntoIterator<Item = (Tensor, Option<(Buffer, bool)>)>) {
        for (tensor, gradient) in gradients {
            if let Some((buffer, _)) = gradient {
                self.slots[tensor.index()].gradient = Some(buffer);
            }
        }
    }

    /// The gradient so far and whether there is one.
    fn take_gradient(&mut self, tensor: Tensor) -> (Buffer, bool) {
        match self.slots[tensor.index()].gradient.take() {
            Some(buffer) => (buffer, true),
            None => {
                let len = self.value(tensor).len();
                (self.buffer(len), false)
            }
        }
    }
}

/// Where to compute a gradient that was taken, if it is wanted.
fn into_gradient(taken: &mut Option<(Buffer, bool)>) -> Option<Gradient<'_>> {
    taken.as_mut().map(|(buffer, add)| Gradient { buffer, add: *add })
}
