//! The CPU: single precision, vectorised, deterministic for any number of threads.
//!
//! Every operator is cut into tasks by its size alone, so results do not depend on how many
//! threads share them. Reductions over rows are cut by columns: each sum is taken in one order.
#![expect(unsafe_code, reason = "vector instructions, and slices shared between threads")]

mod gru;
mod lanes;
mod math;
pub mod product;
mod rows;
pub mod team;
mod transpose;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::buffer::{Buffer, Indices, Lines};
use crate::device::{
    Activation, AdamStep, Addend, BatchNormState, Binary, Device, Gradient, GruGradients,
    GruWeights, Loss, MessageTerms, Part, PartShape, Reduction, Unary,
};
use crate::graph::{Edges, Segments};
use product::{Finish, Left, Start, finished_product, product};
use team::{Parts, Team};

/// The fast CPU device.
#[derive(Debug)]
pub struct Cpu {
    team: Team,
    operations: Cell<u64>,
    /// A few values for each column while one operator runs, kept so that none are allocated.
    scratch: RefCell<Vec<f32>>,
}

impl Cpu {
    /// With `n_threads` threads, the caller's included.
    pub fn new(n_threads: usize) -> Self {
        let scratch = RefCell::new(Vec::new());
        Self { team: Team::new(n_threads), operations: Cell::new(0), scratch }
    }

    /// Equal pieces of `rows` rows of `columns` values, of a size worth handing out: an even number
    /// of them, because most machines have an even number of threads.
    fn by_rows(&self, rows: usize, columns: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = rows * columns / VALUES_A_TASK;
        let pieces = if pieces < 2 { 1 } else { pieces.min(128).next_multiple_of(2) };
        self.team.pieces(rows, rows.div_ceil(pieces).max(1), work);
    }

    /// Pieces of columns, for work over `rows` rows.
    fn by_columns(&self, rows: usize, columns: usize, work: impl Fn(Range<usize>) + Sync) {
        let pieces = (rows * columns / VALUES_A_TASK).clamp(1, columns.div_ceil(16).max(1));
        self.team.pieces(columns, columns.div_ceil(pieces).next_multiple_of(16), work);
    }

    /// The values to add to: zeros where nothing was there.
    fn added<'a>(&self, gradient: Gradient<'a>) -> &'a mut [f32] {
        let values = gradient.buffer.single_mut();
        if !gradient.add {
            self.set_all(values, 0.0);
        }
        values
    }

    fn set_all(&self, values: &mut [f32], value: f32) {
        let len = values.len();
        let values = Parts::new(values);
        // SAFETY: pieces do not overlap.
        self.by_rows(len, 1, |piece| unsafe { values.part(piece) }.fill(value));
    }

    /// `work` on matching pieces of two slices.
    fn by_pairs(&self, from: &[f32], to: &mut [f32], work: impl Fn(&[f32], &mut [f32]) + Sync) {
        let len = to.len();
        let to = Parts::new(to);
        // SAFETY: pieces do not overlap.
        self.by_rows(len, 1, |piece| work(&from[piece.clone()], unsafe { to.part(piece) }));
    }

    fn count(&self, (m, k, n): (usize, usize, usize)) {
        self.operations.set(self.operations.get() + 2 * (m * k * n) as u64);
    }

    /// Rows of a product that make one task: about a fourteenth, in whole tiles.
    fn product_piece(&self, (m, k, n): (usize, usize, usize)) -> usize {
        if m * k * n < 60_000 {
            return m.max(1);
        }
        m.div_ceil(14).next_multiple_of(product::TILE_ROWS).min(96)
    }
}

/// `N` slices of `columns` zeros.
fn zeros_in<const N: usize>(scratch: &mut Vec<f32>, columns: usize) -> [&mut [f32]; N] {
    scratch.clear();
    scratch.resize(N * columns, 0.0);
    let mut rest = scratch.as_mut_slice();
    std::array::from_fn(|_| {
        let (first, others) = std::mem::take(&mut rest).split_at_mut(columns);
        rest = others;
        first
    })
}

/// About a microsecond of simple work.
const VALUES_A_TASK: usize = 8_192;

impl<'a> Gradient<'a> {
    fn start(&self) -> Start {
        if self.add { Start::There } else { Start::Zero }
    }
}

/// What one message adds up to, row by row.
struct Terms<'a> {
    source: Option<&'a [f32]>,
    target: Option<&'a [f32]>,
    scaled: Option<(&'a [f32], &'a [f32])>,
    bias: Option<&'a [f32]>,
    relu: bool,
}

impl<'a> Terms<'a> {
    fn new(terms: &MessageTerms<'a>) -> Self {
        Self {
            source: terms.source.map(Buffer::single),
            target: terms.target.map(Buffer::single),
            scaled: terms.scaled.map(|(weights, scale)| (weights.single(), scale.single())),
            bias: terms.bias.map(Buffer::single),
            relu: terms.activation == Activation::Relu,
        }
    }

    fn message(&self, entry: usize, row: usize, neighbour: usize, out: &mut [f32]) {
        let columns = out.len();
        let at = |x: &'a [f32], i: usize| &x[i * columns..(i + 1) * columns];
        if let (Some(source), Some(target), None, None) =
            (self.source, self.target, self.scaled, self.bias)
        {
            let (source, target) = (at(source, neighbour), at(target, row));
            if self.relu {
                rows::relu_of_two(source, target, out);
            } else {
                rows::sum_of_two(source, target, out);
            }
            return;
        }
        match (self.source, self.target) {
            (Some(source), Some(target)) => {
                rows::sum_of_two(at(source, neighbour), at(target, row), out);
            }
            (Some(source), None) => out.copy_from_slice(at(source, neighbour)),
            (None, Some(target)) => out.copy_from_slice(at(target, row)),
            (None, None) => out.fill(0.0),
        }
        if let Some((weights, scale)) = self.scaled {
            rows::add_scaled(weights[entry], scale, out);
        }
        if let Some(bias) = self.bias {
            rows::add(bias, out);
        }
        if self.relu {
            rows::relu(out);
        }
    }
}

impl Device for Cpu {
    fn name(&self) -> String {
        format!("cpu, {} threads", self.team.n_threads())
    }

    fn zeros(&self, len: usize) -> Buffer {
        Buffer::Single(Lines::zeros(len))
    }

    fn write(&self, values: &[f32], to: &mut Buffer) {
        to.single_mut().copy_from_slice(values);
    }

    fn read(&self, from: &Buffer, to: &mut [f32]) {
        to.copy_from_slice(from.single());
    }

    fn values(&self, from: &Buffer) -> Vec<f64> {
        from.single().iter().copied().map(f64::from).collect()
    }

    fn fill(&self, to: &mut Buffer, value: f32) {
        self.set_all(to.single_mut(), value);
    }

    fn copy(&self, from: &Buffer, to: Gradient<'_>) {
        let add = to.add;
        self.by_pairs(from.single(), to.buffer.single_mut(), |from, to| {
            if add { rows::add(from, to) } else { to.copy_from_slice(from) }
        });
    }

    fn product_operations(&self) -> u64 {
        self.operations.get()
    }

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
                let Some(transposed) = part.transposed else {
                    unreachable!("the CPU asks for transposed weights");
                };
                finished_product(
                    start,
                    finish,
                    Left { data: input, row: part.width, column: 1 },
                    (&transposed.single()[part.start * columns..], columns),
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

    fn columns(
        &self,
        x: &Buffer,
        _rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    ) {
        for (x, out) in
            x.single().chunks_exact(columns).zip(out.single_mut().chunks_exact_mut(width))
        {
            out.copy_from_slice(&x[starts[0]..starts[0] + width]);
            for &start in &starts[1..] {
                rows::add(&x[start..start + width], out);
            }
        }
    }

    fn columns_gradient(
        &self,
        dy: &Buffer,
        _rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    ) {
        for (dy, dx) in
            dy.single().chunks_exact(width).zip(dx.single_mut().chunks_exact_mut(columns))
        {
            for &start in starts {
                rows::add(dy, &mut dx[start..start + width]);
            }
        }
    }

    fn messages(
        &self,
        edges: &Edges,
        rows: Range<usize>,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
    ) {
        let entries = edges.entries(&rows);
        let (row_of, neighbours) = (edges.rows.host(), edges.neighbours.host());
        let terms = Terms::new(terms);
        let out = Parts::new(out.single_mut());
        self.by_rows(entries.len(), columns, |piece| {
            // SAFETY: pieces of entries do not overlap.
            let out = unsafe { out.part(piece.start * columns..piece.end * columns) };
            for (i, out) in piece.zip(out.chunks_exact_mut(columns)) {
                let entry = entries.start + i;
                terms.message(entry, row_of[entry] as usize, neighbours[entry] as usize, out);
            }
        });
    }

    fn messages_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (offsets, reverse) = (edges.offsets.host(), edges.reverse.host());
        let dy = dy.single();
        let add = dx.add;
        let n_nodes = edges.n_nodes();
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            // SAFETY: pieces of nodes do not overlap.
            let dx = unsafe { dx.part(piece.start * columns..piece.end * columns) };
            for (node, dx) in piece.zip(dx.chunks_exact_mut(columns)) {
                if !add {
                    dx.fill(0.0);
                }
                for entry in offsets[node]..offsets[node + 1] {
                    let opposite = reverse[entry as usize] as usize;
                    rows::add(&dy[opposite * columns..(opposite + 1) * columns], dx);
                }
            }
        });
    }

    fn segment_reduce(
        &self,
        reduction: Reduction,
        x: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        mut origin: Option<&mut Indices>,
    ) {
        let x = x.single();
        let count = segments.count(rows);
        let mut unused = [];
        let origin = Parts::new(match &mut origin {
            Some(origin) => {
                origin.0.resize(count * columns, u32::MAX);
                origin.0.as_mut_slice()
            }
            None => &mut unused[..],
        });
        let out = Parts::new(&mut out.single_mut()[..count * columns]);
        let work = columns * rows.div_ceil(count.max(1));
        self.by_rows(count, work, |piece| {
            for segment in piece {
                let values = segment * columns..(segment + 1) * columns;
                let range = segments.range(segment);
                // SAFETY: segments have rows of their own.
                let out = unsafe { out.part(values.clone()) };
                if reduction == Reduction::Max {
                    // SAFETY: as above.
                    let origin = unsafe { origin.part(values) };
                    let empty = range.is_empty();
                    out.fill(if empty { 0.0 } else { f32::NEG_INFINITY });
                    origin.fill(if empty { u32::MAX } else { range.start as u32 });
                    for row in range {
                        let x = &x[row * columns..(row + 1) * columns];
                        rows::take_larger(x, row as u32, out, origin);
                    }
                    continue;
                }
                out.fill(0.0);
                let len = range.len();
                for row in range {
                    rows::add(&x[row * columns..(row + 1) * columns], out);
                }
                if reduction == Reduction::Mean && len > 1 {
                    out.iter_mut().for_each(|y| *y /= len as f32);
                }
            }
        });
    }

    fn segment_reduce_gradient(
        &self,
        reduction: Reduction,
        dy: &Buffer,
        segments: &Segments,
        rows: usize,
        columns: usize,
        origin: Option<&Indices>,
        dx: Gradient<'_>,
    ) {
        let dy = dy.single();
        let count = segments.count(rows);
        let add = dx.add;
        let dx = Parts::new(&mut dx.buffer.single_mut()[..rows * columns]);
        let work = columns * rows.div_ceil(count.max(1));
        self.by_rows(count, work, |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let dy = &dy[segment * columns..(segment + 1) * columns];
                // SAFETY: segments have rows of their own.
                let dx = unsafe { dx.part(range.start * columns..range.end * columns) };
                if reduction != Reduction::Max && !add {
                    dx.fill(0.0);
                }
                match (reduction, origin) {
                    (Reduction::Max, Some(origin)) => {
                        let origin = &origin.0[segment * columns..(segment + 1) * columns];
                        for (row, dx) in (range.start as u32..).zip(dx.chunks_exact_mut(columns)) {
                            if add {
                                rows::add_where(origin, row, dy, dx);
                            } else {
                                rows::take_where(origin, row, dy, dx);
                            }
                        }
                    }
                    (Reduction::Max, None) => unreachable!("a maximum notes where it came from"),
                    (Reduction::Sum, _) => {
                        dx.chunks_exact_mut(columns).for_each(|dx| rows::add(dy, dx));
                    }
                    (Reduction::Mean, _) => {
                        let factor = 1.0 / range.len().max(1) as f32;
                        dx.chunks_exact_mut(columns)
                            .for_each(|dx| rows::add_scaled(factor, dy, dx));
                    }
                }
            }
        });
    }

    fn linear_max_input_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Gradient<'_>,
    ) {
        let offsets = edges.offsets.host();
        let (dy, weight) = (dy.single(), weight.single());
        let add = dx.add;
        self.count((edges.n_nodes(), columns, width));
        let dx = Parts::new(&mut dx.buffer.single_mut()[..edges.n_entries() * width]);
        self.by_rows(edges.n_nodes(), columns * width / 8, |piece| {
            for node in piece {
                let entries = offsets[node] as usize..offsets[node + 1] as usize;
                let values = node * columns..(node + 1) * columns;
                // SAFETY: nodes have entries of their own.
                let dx = unsafe { dx.part(entries.start * width..entries.end * width) };
                if !add {
                    dx.fill(0.0);
                }
                if !entries.is_empty() {
                    let origin = &origin.0[values.clone()];
                    let first = entries.start as u32;
                    rows::spread(&dy[values], origin, first, weight, width, dx);
                }
            }
        });
    }

    fn linear_max_weight_gradient(
        &self,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        columns: usize,
        width: usize,
        dw: Gradient<'_>,
    ) {
        let (dy, x) = (dy.single(), x.single());
        self.count((dy.len() / columns.max(1), columns, width));
        let dw = Parts::new(self.added(dw));
        // So many rows of the weight stay in the first-level cache while all of x passes.
        self.team.pieces(columns, (4096 / width.max(1)).clamp(1, 32), |piece| {
            // SAFETY: pieces of rows of the weight do not overlap.
            let dw = unsafe { dw.part(piece.start * width..piece.end * width) };
            rows::collect(dy, &origin.0, columns, piece.start, x, width, dw);
        });
    }

    fn gather_max(
        &self,
        edges: &Edges,
        terms: &MessageTerms<'_>,
        columns: usize,
        out: &mut Buffer,
        origin: &mut Indices,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let terms = Terms::new(terms);
        let n_nodes = edges.n_nodes();
        origin.0.resize(n_nodes * columns, u32::MAX);
        let origin = Parts::new(&mut origin.0[..n_nodes * columns]);
        let out = Parts::new(&mut out.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            let mut message = [0.0f32; GATHER_COLUMNS];
            for node in piece {
                let values = node * columns..(node + 1) * columns;
                // SAFETY: nodes have rows of their own.
                let (out, origin) = unsafe { (out.part(values.clone()), origin.part(values)) };
                let range = offsets[node]..offsets[node + 1];
                out.fill(if range.is_empty() { 0.0 } else { f32::NEG_INFINITY });
                origin.fill(if range.is_empty() { u32::MAX } else { range.start });
                for entry in range {
                    let neighbour = neighbours[entry as usize] as usize;
                    match (&terms, columns) {
                        (
                            Terms {
                                source: Some(source),
                                target: None,
                                scaled: None,
                                bias: None,
                                relu: false,
                            },
                            _,
                        ) => {
                            let x = &source[neighbour * columns..(neighbour + 1) * columns];
                            rows::take_larger(x, entry, out, origin);
                        }
                        (_, ..=GATHER_COLUMNS) => {
                            let message = &mut message[..columns];
                            terms.message(entry as usize, node, neighbour, message);
                            rows::take_larger(message, entry, out, origin);
                        }
                        _ => {
                            let mut message = vec![0.0; columns];
                            terms.message(entry as usize, node, neighbour, &mut message);
                            rows::take_larger(&message, entry, out, origin);
                        }
                    }
                }
            }
        });
    }

    fn gather_max_source_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        columns: usize,
        origin: &Indices,
        dx: Gradient<'_>,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let reverse = edges.reverse.host();
        let (dy, origin) = (dy.single(), &origin.0);
        let add = dx.add;
        let n_nodes = edges.n_nodes();
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * edges.n_entries().div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                // SAFETY: nodes have rows of their own.
                let dx = unsafe { dx.part(node * columns..(node + 1) * columns) };
                if !add {
                    dx.fill(0.0);
                }
                for entry in offsets[node] as usize..offsets[node + 1] as usize {
                    let first = neighbours[entry] as usize * columns;
                    let values = first..first + columns;
                    rows::add_where(&origin[values.clone()], reverse[entry], &dy[values], dx);
                }
            }
        });
    }

    fn gather_max_scale_gradient(
        &self,
        dy: &Buffer,
        weights: &Buffer,
        rows: usize,
        columns: usize,
        origin: &Indices,
        out: Gradient<'_>,
    ) {
        let (dy, weights) = (dy.single(), weights.single());
        let out = Parts::new(self.added(out));
        self.by_columns(2 * rows, columns, |piece| {
            // SAFETY: pieces of columns do not overlap.
            let out = unsafe { out.part(piece.clone()) };
            for row in 0..rows {
                let values = row * columns + piece.start..row * columns + piece.end;
                let pairs = dy[values.clone()].iter().zip(&origin.0[values]);
                for (out, (dy, origin)) in out.iter_mut().zip(pairs) {
                    if *origin != u32::MAX {
                        *out += weights[*origin as usize] * dy;
                    }
                }
            }
        });
    }

    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer) {
        let x = x.single();
        let out = Parts::new(out.single_mut());
        self.by_rows(indices.len(), columns, |piece| {
            // SAFETY: pieces of rows do not overlap.
            let out = unsafe { out.part(piece.start * columns..piece.end * columns) };
            for (out, &i) in out.chunks_exact_mut(columns).zip(&indices.0[piece]) {
                out.copy_from_slice(&x[i as usize * columns..(i as usize + 1) * columns]);
            }
        });
    }

    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let dy = dy.single();
        let dx = Parts::new(self.added(dx));
        // Rows may meet in one, so threads share columns and not rows.
        self.by_columns(indices.len(), columns, |piece| {
            for (dy, &i) in dy.chunks_exact(columns).zip(&indices.0) {
                let first = i as usize * columns;
                // SAFETY: pieces of columns do not overlap.
                let dx = unsafe { dx.part(first + piece.start..first + piece.end) };
                rows::add(&dy[piece.clone()], dx);
            }
        });
    }

    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        let to = &mut to.single_mut()[at..at + range.len()];
        self.by_pairs(&from.single()[range], to, |from, to| to.copy_from_slice(from));
    }

    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize) {
        let to = &mut to.single_mut()[at..at + range.len()];
        self.by_pairs(&from.single()[range], to, rows::add);
    }

    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    ) {
        let x = x.single();
        let out = Parts::new(out.single_mut());
        self.by_rows(x.len() / width, width, |piece| {
            for row in piece {
                let at = row * stride + start;
                // SAFETY: rows do not overlap.
                let out = unsafe { out.part(at..at + width) };
                out.copy_from_slice(&x[row * width..(row + 1) * width]);
            }
        });
    }

    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    ) {
        let dy = dy.single();
        let add = dx.add;
        let dx = Parts::new(dx.buffer.single_mut());
        self.by_rows(dy.len() / stride, width, |piece| {
            for row in piece {
                // SAFETY: rows do not overlap.
                let dx = unsafe { dx.part(row * width..(row + 1) * width) };
                let dy = &dy[row * stride + start..row * stride + start + width];
                if add { rows::add(dy, dx) } else { dx.copy_from_slice(dy) }
            }
        });
    }

    fn log_softmax(&self, x: &Buffer, segments: &Segments, columns: usize, out: &mut Buffer) {
        let x = x.single();
        let rows = x.len() / columns.max(1);
        let count = segments.count(rows);
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        self.by_rows(count, 8 * columns * rows.div_ceil(count.max(1)), |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let values = range.start * columns..range.end * columns;
                let x = &x[values.clone()];
                // SAFETY: segments have rows of their own.
                let out = unsafe { out.part(values) };
                if columns == 1 {
                    rows::log_softmax(x, out);
                    continue;
                }
                for column in 0..columns {
                    let each = || x.iter().skip(column).step_by(columns);
                    let largest = each().copied().fold(f32::NEG_INFINITY, f32::max);
                    let sum: f32 = each().map(|x| math::exp(x - largest)).sum();
                    let shift = largest + sum.ln();
                    for (y, x) in out.iter_mut().skip(column).step_by(columns).zip(each()) {
                        *y = x - shift;
                    }
                }
            }
        });
    }

    fn log_softmax_gradient(
        &self,
        y: &Buffer,
        dy: &Buffer,
        segments: &Segments,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (y, dy) = (y.single(), dy.single());
        let rows = y.len() / columns.max(1);
        let count = segments.count(rows);
        let dx = Parts::new(&mut self.added(dx)[..rows * columns]);
        self.by_rows(count, 8 * columns * rows.div_ceil(count.max(1)), |piece| {
            for segment in piece {
                let range = segments.range(segment);
                let values = range.start * columns..range.end * columns;
                let (y, dy) = (&y[values.clone()], &dy[values.clone()]);
                // SAFETY: segments have rows of their own.
                let dx = unsafe { dx.part(values) };
                if columns == 1 {
                    rows::log_softmax_gradient(y, dy, dx);
                    continue;
                }
                for column in 0..columns {
                    let total: f32 = dy.iter().skip(column).step_by(columns).sum();
                    let pairs = y.iter().zip(dy).skip(column).step_by(columns);
                    for (dx, (y, dy)) in dx.iter_mut().skip(column).step_by(columns).zip(pairs) {
                        *dx += dy - math::exp(*y) * total;
                    }
                }
            }
        });
    }

    fn edge_dot(
        &self,
        edges: &Edges,
        source: &Buffer,
        target: &Buffer,
        columns: usize,
        out: &mut Buffer,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let (source, target) = (source.single(), target.single());
        let (n_nodes, n_entries) = (edges.n_nodes(), edges.n_entries());
        let out = Parts::new(&mut out.single_mut()[..n_entries]);
        let work = columns * n_entries.div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                let range = offsets[node] as usize..offsets[node + 1] as usize;
                let source = &source[node * columns..(node + 1) * columns];
                // SAFETY: nodes have entries of their own.
                let out = unsafe { out.part(range.clone()) };
                for (out, &neighbour) in out.iter_mut().zip(&neighbours[range]) {
                    let at = neighbour as usize * columns;
                    *out = rows::dot(source, &target[at..at + columns]);
                }
            }
        });
    }

    fn edge_dot_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        other: &Buffer,
        of_source: bool,
        columns: usize,
        dx: Gradient<'_>,
    ) {
        let (offsets, neighbours) = (edges.offsets.host(), edges.neighbours.host());
        let reverse = edges.reverse.host();
        let (dy, other) = (dy.single(), other.single());
        let (n_nodes, n_entries) = (edges.n_nodes(), edges.n_entries());
        let add = dx.add;
        let dx = Parts::new(&mut dx.buffer.single_mut()[..n_nodes * columns]);
        let work = columns * n_entries.div_ceil(n_nodes.max(1));
        self.by_rows(n_nodes, work, |piece| {
            for node in piece {
                // SAFETY: rows do not overlap.
                let dx = unsafe { dx.part(node * columns..(node + 1) * columns) };
                if !add {
                    dx.fill(0.0);
                }
                for entry in offsets[node] as usize..offsets[node + 1] as usize {
                    let from = if of_source { entry } else { reverse[entry] as usize };
                    let at = neighbours[entry] as usize * columns;
                    rows::add_scaled(dy[from], &other[at..at + columns], dx);
                }
            }
        });
    }

    fn layer_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let (x, gain, bias) = (x.single(), gain.single(), bias.single());
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        let saved = Parts::new(&mut saved.single_mut()[..rows * 2]);
        self.by_rows(rows, 2 * columns, |piece| {
            for row in piece {
                let values = row * columns..(row + 1) * columns;
                // SAFETY: rows do not overlap.
                let (out, saved) =
                    unsafe { (out.part(values.clone()), saved.part(row * 2..row * 2 + 2)) };
                let (mean, reciprocal) = rows::layer_norm(&x[values], gain, bias, out);
                saved.copy_from_slice(&[mean, reciprocal]);
            }
        });
    }

    fn layer_norm_gradient(
        &self,
        x: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        let len = rows * columns;
        let (gain, saved) = (gain.single(), saved.single());
        let (x, dy) = (&x.single()[..len], &dy.single()[..len]);
        let (d_gain, d_bias) = (Parts::new(self.added(d_gain)), Parts::new(self.added(d_bias)));
        self.by_columns(2 * rows, columns, |piece| {
            // SAFETY: pieces of columns do not overlap.
            let (d_gain, d_bias) =
                unsafe { (d_gain.part(piece.clone()), d_bias.part(piece.clone())) };
            rows::layer_norm_parameters(x, saved, dy, columns, piece.start, d_gain, d_bias);
        });
        if let Some(dx) = dx {
            let add = dx.add;
            let dx = Parts::new(&mut dx.buffer.single_mut()[..len]);
            self.by_rows(rows, 2 * columns, |piece| {
                for row in piece {
                    let values = row * columns..(row + 1) * columns;
                    // SAFETY: rows do not overlap.
                    let dx = unsafe { dx.part(values.clone()) };
                    let saved = (saved[row * 2], saved[row * 2 + 1]);
                    let (x, dy) = (&x[values.clone()], &dy[values]);
                    rows::layer_norm_gradient(x, gain, saved, dy, dx, add);
                }
            });
        }
    }

    fn batch_norm(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: BatchNormState<'_>,
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let x = &x.single()[..rows * columns];
        let (means, reciprocals) = saved.single_mut().split_at_mut(columns);
        let n = rows as f32;
        {
            let (means, reciprocals) = (Parts::new(means), Parts::new(reciprocals));
            let running_mean = Parts::new(running.mean.single_mut());
            let running_variance = Parts::new(running.variance.single_mut());
            self.by_columns(2 * rows, columns, |piece| {
                let from = piece.start;
                // SAFETY: pieces of columns do not overlap.
                let (means, reciprocals, running_mean, running_variance) = unsafe {
                    (
                        means.part(piece.clone()),
                        reciprocals.part(piece.clone()),
                        running_mean.part(piece.clone()),
                        running_variance.part(piece),
                    )
                };
                means.fill(0.0);
                rows::column_sums(x, columns, from, means);
                means.iter_mut().for_each(|mean| *mean /= n);
                reciprocals.fill(0.0);
                rows::squared_distances(x, columns, from, means, reciprocals);
                for (((mean, square), running_mean), running_variance) in
                    means.iter().zip(reciprocals).zip(running_mean).zip(running_variance)
                {
                    let unbiased = *square / (n - 1.0).max(1.0);
                    *running_mean += 0.1 * (mean - *running_mean);
                    *running_variance += 0.1 * (unbiased - *running_variance);
                    *square = 1.0 / (*square / n + 1e-5).sqrt();
                }
            });
        }
        let statistics = (&*means, |column: usize| reciprocals[column]);
        self.normalise(x, statistics, (gain, bias), activation, rows, columns, out);
    }

    fn batch_norm_running(
        &self,
        x: &Buffer,
        gain: &Buffer,
        bias: &Buffer,
        running: (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let reciprocal = |column: usize| 1.0 / (running.1.single()[column] + 1e-5).sqrt();
        let x = &x.single()[..rows * columns];
        let statistics = (running.0.single(), reciprocal);
        self.normalise(x, statistics, (gain, bias), activation, rows, columns, out);
    }

    fn batch_norm_gradient(
        &self,
        x: &Buffer,
        y: &Buffer,
        gain: &Buffer,
        saved: &Buffer,
        activation: Activation,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Option<Gradient<'_>>,
        d_gain: Gradient<'_>,
        d_bias: Gradient<'_>,
    ) {
        let len = rows * columns;
        let (x, y, dy) = (&x.single()[..len], &y.single()[..len], &dy.single()[..len]);
        let (means, reciprocals) = saved.single().split_at(columns);
        let gain = gain.single();
        let relu = activation == Activation::Relu;
        let n = rows as f32;
        let mut scratch = self.scratch.borrow_mut();
        let [scale, direct, along] = zeros_in(&mut scratch, columns);
        {
            let (scale, direct, along) =
                (Parts::new(&mut *scale), Parts::new(&mut *direct), Parts::new(&mut *along));
            let (d_gain, d_bias) = (Parts::new(self.added(d_gain)), Parts::new(self.added(d_bias)));
            self.by_columns(2 * rows, columns, |piece| {
                // SAFETY: pieces of columns do not overlap.
                let (scale, direct, along, d_gain, d_bias) = unsafe {
                    (
                        scale.part(piece.clone()),
                        direct.part(piece.clone()),
                        along.part(piece.clone()),
                        d_gain.part(piece.clone()),
                        d_bias.part(piece.clone()),
                    )
                };
                let own_means = &means[piece.clone()];
                let from = piece.start;
                rows::batch_norm_sums(x, y, dy, relu, columns, from, own_means, direct, along);
                for (i, column) in piece.enumerate() {
                    let reciprocal = reciprocals[column];
                    d_bias[i] += direct[i];
                    d_gain[i] += along[i] * reciprocal;
                    scale[i] = gain[column] * reciprocal;
                    direct[i] /= n;
                    along[i] *= reciprocal * reciprocal / n;
                }
            });
        }
        if let Some(dx) = dx {
            let add = dx.add;
            let dx = Parts::new(&mut dx.buffer.single_mut()[..len]);
            let (scale, direct, along) = (&*scale, &*direct, &*along);
            self.by_rows(rows, 2 * columns, |piece| {
                for row in piece {
                    let values = row * columns..(row + 1) * columns;
                    // SAFETY: rows do not overlap.
                    let dx = unsafe { dx.part(values.clone()) };
                    let (x, y, dy) = (&x[values.clone()], &y[values.clone()], &dy[values]);
                    rows::batch_norm_gradient(x, y, dy, relu, means, scale, direct, along, add, dx);
                }
            });
        }
    }

    fn gru(
        &self,
        weights: &GruWeights<'_>,
        rows: Range<usize>,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        self.gru_forward(weights, rows, columns, out, saved);
    }

    fn gru_gradient(
        &self,
        weights: &GruWeights<'_>,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        work: &mut Buffer,
        to: GruGradients<'_>,
    ) {
        self.gru_backward(weights, saved, dy, rows, columns, work, to);
    }

    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer) {
        rows::unary(function, x.single(), out.single_mut());
    }

    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        rows::unary_gradient(function, y.single(), dy.single(), self.added(dx));
    }

    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        rows::binary(function, a.single(), b.single(), out.single_mut());
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
        rows::binary_gradient(function, a.single(), b.single(), dy.single(), of_a, self.added(dx));
    }

    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer) {
        let out = out.single_mut();
        out.copy_from_slice(b.single());
        rows::add_scaled(1.0 + scale.single()[0], a.single(), out);
    }

    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>) {
        rows::add_scaled(1.0 + scale.single()[0], dy.single(), self.added(da));
    }

    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>) {
        self.added(out)[0] += rows::dot(a.single(), b.single());
    }

    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer) {
        let out = out.single_mut();
        out.copy_from_slice(a.single());
        rows::add_scaled(factor as f32, b.single(), out);
    }

    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>) {
        if to.add {
            rows::add_scaled(factor as f32, from.single(), to.buffer.single_mut());
        } else {
            rows::scaled(factor as f32, from.single(), to.buffer.single_mut());
        }
    }

    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    ) {
        let log_probabilities = log_probabilities.single();
        let sum: f64 = targets
            .0
            .iter()
            .zip(weights.single())
            .filter(|(target, _)| **target != u32::MAX)
            .map(|(target, weight)| -f64::from(weight * log_probabilities[*target as usize]))
            .sum();
        out.single_mut()[0] = sum as f32;
    }

    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>) {
        let dy = dy.single()[0];
        let dx = self.added(dx);
        for (target, weight) in targets.0.iter().zip(weights.single()) {
            if *target != u32::MAX {
                dx[*target as usize] -= weight * dy;
            }
        }
    }

    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer) {
        let sum = rows::loss(loss, x.single(), targets.single(), weights.single());
        out.single_mut()[0] = sum as f32;
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
        let dy = dy.single()[0];
        rows::loss_gradient(
            loss,
            x.single(),
            targets.single(),
            weights.single(),
            dy,
            self.added(dx),
        );
    }

    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    ) {
        let mut sum = 0.0;
        for (norm, x) in saved.single_mut().iter_mut().zip(x.single().chunks_exact(columns)) {
            *norm = rows::sum_of_squares(x).sqrt() as f32;
            sum += f64::from(*norm);
        }
        out.single_mut()[0] = (sum / rows as f64) as f32;
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
        let dy = dy.single()[0] / rows as f32;
        let x = x.single().chunks_exact(columns);
        for ((dx, x), norm) in self.added(dx).chunks_exact_mut(columns).zip(x).zip(saved.single()) {
            if *norm > 0.0 {
                rows::add_scaled(dy / norm, x, dx);
            }
        }
    }

    fn sum_of_squares(&self, x: &Buffer) -> f64 {
        let x = x.single();
        // Partial sums of fixed pieces, added in order.
        let mut sums = [0.0f64; 64];
        let size = x.len().div_ceil(sums.len()).max(VALUES_A_TASK);
        let parts = Parts::new(&mut sums);
        self.team.pieces(x.len(), size, |piece| {
            // SAFETY: every piece has a sum of its own.
            let sum = unsafe { parts.part(piece.start / size..piece.start / size + 1) };
            sum[0] = rows::sum_of_squares(&x[piece]);
        });
        sums.iter().sum()
    }

    fn adam(
        &self,
        step: AdamStep,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    ) {
        let gradient = gradient.single();
        let value = Parts::new(value.single_mut());
        let (first, second) =
            (Parts::new(moments.0.single_mut()), Parts::new(moments.1.single_mut()));
        self.by_rows(gradient.len(), 1, |piece| {
            // SAFETY: pieces do not overlap.
            let (value, first, second) = unsafe {
                (value.part(piece.clone()), first.part(piece.clone()), second.part(piece.clone()))
            };
            rows::adam(step, &gradient[piece], value, first, second);
        });
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
            *y = if finish.relu { sum.max(0.0) } else { sum };
        }
    }
}

/// Messages of up to so many columns are built on the stack.
const GATHER_COLUMNS: usize = 1024;

impl Cpu {
    /// `out = activation((x - mean) * reciprocal * gain + bias)`, column by column.
    #[expect(clippy::too_many_arguments, reason = "the operands of both forms of batch norm")]
    fn normalise(
        &self,
        x: &[f32],
        (means, reciprocal): (&[f32], impl Fn(usize) -> f32),
        (gain, bias): (&Buffer, &Buffer),
        activation: Activation,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
    ) {
        let (gain, bias) = (gain.single(), bias.single());
        let mut scratch = self.scratch.borrow_mut();
        let [factor] = zeros_in(&mut scratch, columns);
        for (column, factor) in factor.iter_mut().enumerate() {
            *factor = gain[column] * reciprocal(column);
        }
        let factor = &*factor;
        let out = Parts::new(&mut out.single_mut()[..rows * columns]);
        self.by_rows(rows, columns, |piece| {
            for row in piece {
                let values = row * columns..(row + 1) * columns;
                // SAFETY: rows do not overlap.
                let out = unsafe { out.part(values.clone()) };
                if activation == Activation::Relu {
                    rows::centred_affine_relu(&x[values], means, factor, bias, out);
                } else {
                    rows::centred_affine(&x[values], means, factor, bias, out);
                }
            }
        });
    }
}
