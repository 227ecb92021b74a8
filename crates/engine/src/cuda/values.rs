//! Operators that move values, compute with each, or make one number of all.

use std::ops::Range;

use super::Cuda;
use super::arena::Place;
use super::draft::{Code, Draft, Words};
use crate::buffer::{Buffer, Indices};
use crate::device::{
    AdamStep, Binary, Elementwise, Gradient, Layout, Loss, Losses, Optimisers, Unary,
};

/// Columns of a tile, where a block sums over rows.
pub(super) const COLUMNS: usize = 4;
/// Rows of a tile, where each belongs to a warp.
pub(super) const ROWS: usize = 8;
/// Values of a tile whose squares are summed.
const SQUARES: usize = 1024;
/// Values of a tile that AdamW updates: a pack for each thread.
const ADAM: usize = 1024;

/// As the kernels count functions; 0 is none.
pub(super) const RELU: usize = 1;

/// A function of each value, times a factor.
pub(super) fn function(
    code: Code,
    from: &Buffer,
    function: usize,
    factor: f64,
    to: Gradient<'_>,
) -> Draft {
    let len = from.len();
    let draft = Draft::new(code).input(0, from).output(1, to.buffer).numbers(0, [len, function]);
    draft.fractions(2, [factor]).numbers(3, [to.add.into()]).values(len)
}

/// Words of one block to another, or added to them.
pub(super) fn moved(from: Place, range: Range<usize>, to: Place, at: usize, add: bool) -> Draft {
    let len = range.len();
    Draft::new(Code::Move)
        .reads(0, from, range)
        .writes(1, to, at..at + len)
        .numbers(0, [1, len, len, 0, u32::MAX as usize, len, add.into()])
        .rows(1, len)
}

impl Cuda {
    /// Blocks of columns of `x` to a block of columns of `out`.
    fn move_columns(
        &self,
        (x, stride, starts): (&Buffer, usize, [usize; 2]),
        (out, out_stride, to): (&Buffer, usize, usize),
        (rows, width): (usize, usize),
        add: bool,
    ) {
        let words = Words::of_rows(to, rows, width, out_stride);
        let draft = Draft::new(Code::Move).input(0, x).touches(1, out.cuda().place(), words, true);
        let [first, second] = starts;
        let numbers = [rows, width, stride, first, second, out_stride, add.into()];
        self.run(draft.numbers(0, numbers).rows(rows, width));
    }

    /// Adds rows, or weights that a loss has picked by, to the places that indices name.
    fn scatter(&self, draft: Draft, indices: &Indices, columns: usize, to: &Buffer) {
        let groups = self.groups(indices);
        let mut draft = draft.output(4, to);
        for (i, block) in [&groups.values, &groups.firsts, &groups.places].into_iter().enumerate() {
            draft = draft.reads(1 + i, block.place(), 0..block.len());
        }
        let count = groups.count;
        self.run(draft.numbers(0, [count, columns]).rows(count, columns));
    }
}

impl Layout for Cuda {
    fn columns(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    ) {
        let second = starts.get(1).copied().unwrap_or(u32::MAX as usize);
        let starts = [starts[0], second];
        self.move_columns((x, columns, starts), (out, width, 0), (rows, width), false);
    }

    fn columns_gradient(
        &self,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    ) {
        for &start in starts {
            let from = (dy, width, [0, u32::MAX as usize]);
            self.move_columns(from, (dx, columns, start), (rows, width), true);
        }
    }

    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer) {
        let rows = indices.len();
        let draft = self.with(Draft::new(Code::GatherRows).input(0, x), 1, indices).output(2, out);
        self.run(draft.numbers(0, [rows, columns]).rows(rows, columns));
    }

    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let dx = self.cleared(dx);
        self.scatter(Draft::new(Code::ScatterRows).input(0, dy), indices, columns, dx);
    }

    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        self.run(moved(from.cuda().place(), range, to.cuda().place(), at, false));
    }

    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        self.run(moved(from.cuda().place(), range, to.cuda().place(), at, true));
    }

    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    ) {
        let rows = x.len() / width.max(1);
        let from = (x, width, [0, u32::MAX as usize]);
        self.move_columns(from, (out, stride, start), (rows, width), false);
    }

    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    ) {
        let rows = dx.buffer.len() / width.max(1);
        let from = (dy, stride, [start, u32::MAX as usize]);
        self.move_columns(from, (dx.buffer, width, 0), (rows, width), dx.add);
    }
}

impl Elementwise for Cuda {
    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer) {
        let to = Gradient { buffer: out, add: false };
        self.run(self::function(Code::Unary, x, number(function), 1.0, to));
    }

    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        let len = y.len();
        let draft = Draft::new(Code::UnaryGradient).input(0, y).input(1, dy).output(2, dx.buffer);
        self.run(draft.numbers(0, [len, number(function), dx.add.into()]).values(len));
    }

    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        let len = a.len();
        let draft = Draft::new(Code::Binary).input(0, a).input(1, b).output(2, out);
        self.run(draft.numbers(0, [len, pair(function)]).values(len));
    }

    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    ) {
        let len = a.len();
        let draft = Draft::new(Code::BinaryGradient).input(0, a).input(1, b).input(2, dy);
        let draft = draft.output(3, dx.buffer);
        self.run(draft.numbers(0, [len, pair(function), of_a.into(), dx.add.into()]).values(len));
    }

    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        let len = a.len();
        let draft =
            Draft::new(Code::ScaledSum).input(0, scale).input(1, a).input(2, b).output(3, out);
        self.run(draft.numbers(0, [len]).values(len));
    }

    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>) {
        let len = dy.len();
        let draft = Draft::new(Code::ScaledSum).input(0, scale).input(1, dy).output(3, da.buffer);
        self.run(draft.numbers(0, [len, 0, da.add.into()]).values(len));
    }

    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>) {
        let draft = Draft::new(Code::Dot).input(0, a).input(1, b).output(2, out.buffer);
        self.run(draft.numbers(0, [a.len(), out.add.into()]));
    }

    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer) {
        let len = a.len();
        let draft = Draft::new(Code::ScaledSum).input(1, b).input(2, a).output(3, out);
        self.run(draft.numbers(0, [len]).fractions(1, [factor]).values(len));
    }

    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>) {
        self.run(function(Code::Unary, from, 0, factor, to));
    }
}

/// As the kernels count.
fn number(function: Unary) -> usize {
    match function {
        Unary::Relu => RELU,
        Unary::Sigmoid => 2,
        Unary::Tanh => 3,
    }
}

fn pair(function: Binary) -> usize {
    match function {
        Binary::Add => 0,
        Binary::Subtract => 1,
        Binary::Multiply => 2,
        Binary::Max => 3,
    }
}

fn kind(loss: Loss) -> usize {
    match loss {
        Loss::Binary => 0,
        Loss::Squared => 1,
    }
}

impl Losses for Cuda {
    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    ) {
        let draft = Draft::new(Code::Picked).input(0, log_probabilities).input(2, weights);
        self.run(self.with(draft, 1, targets).output(3, out).numbers(0, [targets.len()]));
    }

    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        let dx = self.cleared(dx);
        let draft = Draft::new(Code::ScatterRows).input(5, weights).input(6, dy);
        self.scatter(draft, targets, 1, dx);
    }

    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer) {
        let draft = Draft::new(Code::Loss).input(0, x).input(1, targets).input(2, weights);
        self.run(draft.output(3, out).numbers(0, [x.len(), kind(loss)]));
    }

    fn loss_gradient(
        &self,
        loss: Loss,
        x: &Buffer,
        targets: &Buffer,
        weights: &Buffer,
        dy: &Buffer,
        dx: Gradient<'_>,
    ) {
        let len = x.len();
        let draft = Draft::new(Code::LossGradient).input(0, x).input(1, targets).input(2, weights);
        let draft = draft.input(3, dy).output(4, dx.buffer);
        self.run(draft.numbers(0, [len, kind(loss), dx.add.into()]).values(len));
    }

    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let draft = Draft::new(Code::RowNorms).input(0, x).output(1, saved);
        self.run(draft.numbers(0, [rows, columns]).tiles(rows, ROWS));
        self.run(Draft::new(Code::Mean).input(0, saved).output(1, out).numbers(0, [rows]));
    }

    fn mean_norm_gradient(
        &self,
        x: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let draft = Draft::new(Code::MeanNormGradient).input(0, x).input(1, saved).input(2, dy);
        let draft = draft.output(3, dx.buffer);
        self.run(draft.numbers(0, [rows, columns, dx.add.into()]).rows(rows, columns));
    }
}

impl Optimisers for Cuda {
    fn clipping(
        &self,
        gradients: &mut dyn Iterator<Item = &Buffer>,
        loss: &Buffer,
        clip: f64,
        out: &mut Buffer,
    ) {
        let gradients: Vec<&Buffer> = gradients.collect();
        let tiles = |gradient: &Buffer| gradient.len().div_ceil(SQUARES);
        let count = gradients.iter().map(|gradient| tiles(gradient)).sum();
        let sums = self.block(count);
        let mut at = 0;
        for gradient in gradients {
            let (len, n) = (gradient.len(), tiles(gradient));
            let draft = Draft::new(Code::Squares).input(0, gradient);
            let draft = draft.writes(1, sums.place(), at..at + n).numbers(0, [len]);
            self.run(draft.tiles(len, SQUARES));
            at += n;
        }
        let draft = Draft::new(Code::Clip).reads(0, sums.place(), 0..count).input(1, loss);
        self.run(draft.output(2, out).numbers(0, [count]).fractions(1, [clip]));
    }

    fn adam(
        &self,
        step: AdamStep,
        clipping: &Buffer,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    ) {
        let AdamStep { learning_rate, betas: (beta1, beta2), epsilon, weight_decay, step } = step;
        let len = value.len();
        let draft = Draft::new(Code::Adam).input(0, gradient).output(1, value);
        let draft =
            draft.output(2, moments.0).output(3, moments.1).input(4, clipping).numbers(0, [len]);
        let correction = |beta: f64| 1.0 - beta.powf(step as f64);
        let fractions = [
            1.0 - learning_rate * weight_decay,
            beta1,
            beta2,
            learning_rate / correction(beta1),
            1.0 / correction(beta2).sqrt(),
            epsilon,
            1.0 - beta1,
            1.0 - beta2,
        ];
        self.run(draft.fractions(1, fractions).in_spans(len, ADAM));
    }
}
