//! Products of matrices: layers and their gradients.

use super::arena::Place;
use super::draft::{Code, Draft, Words};
use super::large::LARGE_ROWS;
use super::{Cuda, values};
use crate::buffer::{Buffer, Indices};
use crate::device::{Activation, Addend, Gradient, LinearLayers, LinearMaxima, Part, PartShape};
use crate::graph::Edges;

/// A matrix as an operand, from some word of a block on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    place: Place,
    start: usize,
    /// Whether values that follow each other differ in their inner index.
    inner: bool,
    /// How far the others are apart.
    apart: usize,
}

impl Operand {
    /// A whole row-major matrix of so many columns, which are the inner dimension.
    pub(super) fn rows(buffer: &Buffer, columns: usize) -> Self {
        Self { place: buffer.cuda().place(), start: 0, inner: true, apart: columns }
    }

    /// The same with its rows as the inner dimension.
    pub(super) fn columns(buffer: &Buffer, columns: usize) -> Self {
        Self { inner: false, ..Self::rows(buffer, columns) }
    }

    /// From another word on.
    pub(super) fn at(self, start: usize) -> Self {
        Self { start: self.start + start, ..self }
    }

    /// Whether its values can be read by fours.
    fn is_wide(&self, size: usize, inner: usize) -> bool {
        let along = if self.inner { inner } else { size };
        [self.start, self.apart, along].iter().all(|number| number.is_multiple_of(4))
    }

    /// The words from the first to the last.
    fn words(&self, size: usize, inner: usize) -> std::ops::Range<usize> {
        let (lines, values) = if self.inner { (size, inner) } else { (inner, size) };
        self.start..self.start + lines.saturating_sub(1) * self.apart + values
    }
}

/// `out (+)= activation(sum of a · b + bias + addend)`, with rows of a and columns of b.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product<'a> {
    /// The two operands and the inner size of each part, at most four.
    pub(super) parts: &'a [(Operand, Operand, usize)],
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Where the result goes, and how far its rows are apart.
    pub(super) out: (Place, usize, usize),
    pub(super) add: bool,
    pub(super) bias: Option<(Place, usize)>,
    pub(super) relu: bool,
}

/// The form of gradients of weights (`product.cu`), of which there are no medium tiles.
pub(super) const BOTH_OUTER: usize = 2;
const ADD: usize = 1;
const RELU: usize = 2;

/// Tiles that a product can be cut into.
struct Tiles {
    code: Code,
    rows: usize,
    columns: usize,
    /// What they are chosen by: about how many cycles one takes, at all and for each inner index.
    cycles: [usize; 2],
    /// The same as clocks show it in training, where most share a multiprocessor and have to wait.
    turn: [usize; 2],
}

impl Tiles {
    const fn new(
        code: Code,
        [rows, columns]: [usize; 2],
        cycles: [usize; 2],
        turn: [usize; 2],
    ) -> Self {
        Self { code, rows, columns, cycles, turn }
    }

    /// About how long one takes.
    fn cycles(&self, inner: usize) -> usize {
        self.cycles[0] + self.cycles[1] * inner
    }

    /// About how long a block is busy with one.
    fn turn(&self, inner: usize) -> u32 {
        (self.turn[0] + self.turn[1] * inner) as u32
    }

    /// How many a result has.
    fn count(&self, rows: usize, columns: usize) -> usize {
        rows.div_ceil(self.rows) * columns.div_ceil(self.columns)
    }
}

/// Both add in the same order.
const SMALL: Tiles = Tiles::new(Code::ProductSmall, [16, 16], [700, 14], [2300, 9]);
const MEDIUM: Tiles = Tiles::new(Code::ProductMedium, [32, 32], [1500, 22], [4000, 20]);
/// And this one in another.
const LARGE: Tiles = Tiles::new(Code::ProductLarge, [64, 32], [1900, 48], [3000, 57]);
/// Inner indices that are read at a time.
const SLICE: usize = 64;
/// Blocks that are reckoned with where the order of sums depends on it, two on a multiprocessor. Not
/// how many there are: results must not depend on that.
const BLOCKS: usize = 264;

impl Product<'_> {
    /// The tiles that take the least time on so many blocks.
    fn tiles(&self, n_blocks: usize) -> &'static Tiles {
        let inner = self.inner();
        let cycles = |tiles: &Tiles, n_blocks: usize| {
            let (one, count) = (tiles.cycles(inner), tiles.count(self.rows, self.columns));
            // Two on a multiprocessor are in each other's way.
            let one = if 2 * count > n_blocks { one * 4 / 3 } else { one };
            count.div_ceil(n_blocks) * one
        };
        let between = |n_blocks| {
            if cycles(&SMALL, n_blocks) < cycles(&MEDIUM, n_blocks) { &SMALL } else { &MEDIUM }
        };
        if !self.is_packed() {
            return &SMALL;
        }
        match cycles(&LARGE, BLOCKS) < cycles(between(BLOCKS), BLOCKS) {
            true => &LARGE,
            false if self.form() == BOTH_OUTER => &SMALL,
            false => between(n_blocks),
        }
    }

    /// Which operands' inner indices follow each other, as the kernels number it.
    fn form(&self) -> usize {
        self.parts.first().map_or(0, |(a, b, _)| usize::from(!a.inner) + usize::from(!b.inner))
    }

    /// Whether results can be written by fours, as larger tiles do.
    fn is_packed(&self) -> bool {
        let (_, start, stride) = self.out;
        let bias = self.bias.map_or(0, |(_, start)| start);
        [self.columns, start, stride, bias].iter().all(|number| number.is_multiple_of(4))
    }

    fn inner(&self) -> usize {
        self.parts.iter().map(|(_, _, inner)| inner).sum()
    }

    fn draft(&self, n_blocks: usize) -> Draft {
        let Self { rows, columns, out: (place, start, stride), .. } = *self;
        let tiles = self.tiles(n_blocks);
        let mut draft = Draft::new(tiles.code);
        draft.cycles = tiles.turn(self.inner());
        let mut wide = true;
        for (i, &(a, b, inner)) in self.parts.iter().enumerate() {
            draft = draft
                .reads(2 * i, a.place, a.words(rows, inner))
                .reads(2 * i + 1, b.place, b.words(columns, inner))
                .numbers(4 * i, [inner, a.apart, b.apart, inner.div_ceil(SLICE)]);
            wide &= a.is_wide(rows, inner) && b.is_wide(columns, inner);
        }
        if let Some((bias, start)) = self.bias {
            draft = draft.reads(9, bias, start..start + columns);
        }
        let flags = if self.add { ADD } else { 0 } | if self.relu { RELU } else { 0 };
        let across = columns.div_ceil(tiles.columns);
        draft
            .touches(8, place, Words::of_rows(start, rows, columns, stride), true)
            .numbers(16, [self.form()])
            .numbers(20, [rows, columns, stride, flags, self.parts.len(), 0, wide.into()])
            .divisor(across)
            .numbers(31, [across])
            .tiles(tiles.count(rows, columns), 1)
    }
}

impl Cuda {
    /// Adds a product, if it has any size.
    pub(super) fn product(&self, product: Product<'_>) {
        if let Some(draft) = self.product_draft(&product) {
            self.run(draft);
        }
    }

    fn product_draft(&self, product: &Product<'_>) -> Option<Draft> {
        let Product { rows, columns, .. } = *product;
        if rows * columns == 0 {
            return None;
        }
        self.count(rows, columns, product.inner());
        Some(product.draft(self.queue.borrow().n_blocks()))
    }

    pub(super) fn count(&self, rows: usize, columns: usize, inner: usize) {
        self.operations.set(self.operations.get() + 2 * (rows * columns * inner) as u64);
    }
}

impl LinearLayers for Cuda {
    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer) {
        let draft = Draft::new(Code::Transpose).input(0, from).output(1, to);
        self.run(draft.numbers(0, [rows, columns]).rows(columns, rows));
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
        if rows >= LARGE_ROWS && self.large_linear(parts, bias, addend, activation, rows, out) {
            return;
        }
        let none = Operand::rows(out, columns);
        let mut operands = [(none, none, 0); 4];
        for (operand, part) in operands.iter_mut().zip(parts) {
            let weight = Operand::rows(part.weight, part.stride).at(part.start);
            *operand = (Operand::rows(part.input, part.width), weight, part.width);
        }
        let draft = self.product_draft(&Product {
            parts: &operands[..parts.len()],
            rows,
            columns,
            out: (out.cuda().place(), 0, columns),
            add: false,
            bias: bias.map(|bias| (bias.cuda().place(), 0)),
            relu: activation == Activation::Relu,
        });
        let Some(mut draft) = draft else { return };
        if let Some(Addend { values, rows }) = addend {
            draft = draft.input(10, values).numbers(25, [columns]);
            if let Some(rows) = rows {
                draft = self.with(draft, 11, rows);
            }
        }
        self.run(draft);
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
        if let Some(dx) = dx {
            let weight = Operand::columns(weight, stride).at(start);
            self.product(Product {
                parts: &[(Operand::rows(dy, columns), weight, columns)],
                rows,
                columns: width,
                out: (dx.buffer.cuda().place(), 0, width),
                add: dx.add,
                bias: None,
                relu: false,
            });
        }
        if let Some(dw) = dw {
            let whole = width == stride;
            let add = dw.add || !whole;
            let to = if whole { dw.buffer } else { self.cleared(dw) };
            self.product(Product {
                parts: &[(Operand::columns(dy, columns), Operand::columns(x, width), rows)],
                rows: columns,
                columns: width,
                out: (to.cuda().place(), start, stride),
                add,
                bias: None,
                relu: false,
            });
        }
    }

    fn column_sums(
        &self,
        x: &Buffer,
        factors: Option<&Buffer>,
        rows: usize,
        columns: usize,
        out: Gradient<'_>,
    ) {
        let draft =
            Draft::new(Code::ColumnSums).input(0, x).any_input(1, factors).output(2, out.buffer);
        self.run(draft.column_sums(rows, columns, columns, out.add));
    }

    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer) {
        let draft = Draft::new(Code::UnaryGradient).input(0, y).input(1, dy).output(2, dy);
        let len = dy.len();
        self.run(draft.numbers(0, [len, values::RELU]).values(len));
    }
}

impl LinearMaxima for Cuda {
    fn linear_max_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        let entries = edges.n_entries();
        let spread = Buffer::Cuda(self.block(entries * columns));
        let draft = Draft::new(Code::Spread).input(0, dy);
        let draft = draft.reads(1, self.indices(origin), 0..edges.n_nodes() * columns);
        let draft = self.with(draft, 2, &edges.rows).output(3, &spread);
        self.run(draft.numbers(0, [entries, columns]).rows(entries, columns));
        let shape = PartShape { rows: entries, columns, width, start: 0, stride: width };
        self.linear_gradient(&spread, x, weight, shape, dx, dw);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cuda::{compiler, draft};

    fn code(rows: usize, columns: usize, inner: usize, n_blocks: usize) -> Code {
        code_of_form([true; 2], rows, columns, inner, n_blocks)
    }

    fn code_of_form(
        form: [bool; 2],
        rows: usize,
        columns: usize,
        inner: usize,
        n_blocks: usize,
    ) -> Code {
        let place = Place { address: 0, number: 0 };
        let [a, b] = form.map(|along| Operand { place, start: 0, inner: along, apart: inner });
        let parts = &[(a, b, inner)];
        let out = (place, 0, columns);
        let product = Product { parts, rows, columns, out, add: false, bias: None, relu: false };
        product.tiles(n_blocks).code
    }

    proptest! {
        #[test]
        fn the_order_of_sums_does_not_depend_on_the_part_of_a_gpu(
            rows in 1usize..2000, columns in 1usize..2000, inner in 1usize..2000, n_blocks in 1usize..300,
        ) {
            let order = |n_blocks| match code(rows, columns, inner, n_blocks) {
                Code::ProductMedium => Code::ProductSmall,
                code => code,
            };
            prop_assert_eq!(order(n_blocks), order(BLOCKS));
        }
    }

    #[test]
    fn the_kernels_read_as_much_and_have_the_room_that_the_host_thinks() {
        let room = compiler::SHARED_BYTES as usize / size_of::<f32>();
        for line in [
            format!("int SLICE = {SLICE};"),
            format!("u32 SHARED_FLOATS = {room};"),
            format!("u32 WIDE = {};", draft::WIDE),
        ] {
            assert!(compiler::SOURCE.contains(&format!("static const {line}")), "{line}");
        }
    }

    #[test]
    fn a_small_part_of_a_gpu_has_larger_tiles() {
        let code = |n_blocks| code(430, 128, 128, n_blocks);
        assert_eq!((code(264), code(52)), (Code::ProductSmall, Code::ProductMedium));
    }
    #[test]
    fn results_that_are_not_read_by_fours_and_gradients_of_weights_have_small_tiles() {
        assert_eq!(code(430, 126, 128, 52), Code::ProductSmall);
        assert_eq!(code(4000, 126, 384, 264), Code::ProductSmall);
        assert_eq!(code_of_form([false; 2], 430, 128, 128, 52), Code::ProductSmall);
        assert_eq!(code_of_form([true, false], 430, 128, 128, 52), Code::ProductMedium);
    }
}
