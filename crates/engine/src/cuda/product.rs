//! Products of matrices: layers and their gradients.

use super::arena::Place;
use super::program::{Code, Draft};
use super::{Cuda, values};
use crate::buffer::{Buffer, Indices};
use crate::device::{Activation, Addend, Gradient, LinearLayers, LinearMaxima, Part, PartShape};
use crate::graph::Edges;

/// A matrix as an operand: element (i, k) is word `start + i * stride + k * inner_stride`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub(super) place: Place,
    pub(super) start: usize,
    pub(super) stride: usize,
    pub(super) inner_stride: usize,
}

impl Operand {
    /// A whole row-major matrix of so many columns, by rows.
    pub(super) fn rows(buffer: &Buffer, columns: usize) -> Self {
        Self { place: buffer.cuda().place(), start: 0, stride: columns, inner_stride: 1 }
    }

    /// The same by columns: the rows are the inner dimension.
    pub(super) fn columns(buffer: &Buffer, columns: usize) -> Self {
        Self { place: buffer.cuda().place(), start: 0, stride: 1, inner_stride: columns }
    }

    /// From another word on.
    pub(super) fn at(self, start: usize) -> Self {
        Self { start: self.start + start, ..self }
    }

    /// The words from the first to the last.
    fn words(&self, size: usize, inner: usize) -> std::ops::Range<usize> {
        let last = (size - 1) * self.stride + inner.saturating_sub(1) * self.inner_stride;
        self.start..self.start + last + 1
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

const ADD: usize = 1;
const RELU: usize = 2;
const MASKED_ROWS: usize = 4;
const MASKED_INNER: usize = 8;

/// Sides of a tile.
const SMALL: usize = 32;
const LARGE: usize = 64;

impl Product<'_> {
    fn draft(&self, code: Code, flags: usize) -> Draft {
        let Self { rows, columns, out: (place, start, stride), .. } = *self;
        let mut draft = Draft::new(code);
        for (i, &(a, b, inner)) in self.parts.iter().enumerate() {
            draft = draft
                .reads(2 * i, a.place, a.words(rows, inner))
                .reads(2 * i + 1, b.place, b.words(columns, inner))
                .numbers(5 * i, [inner, a.stride, a.inner_stride, b.inner_stride, b.stride]);
        }
        if let Some((bias, start)) = self.bias {
            draft = draft.reads(9, bias, start..start + columns);
        }
        let flags = flags | if self.add { ADD } else { 0 } | if self.relu { RELU } else { 0 };
        let side = if code == Code::ProductLarge { LARGE } else { SMALL };
        draft
            .writes(8, place, start..start + (rows - 1) * stride + columns)
            .numbers(20, [rows, columns, stride, flags, self.parts.len()])
            .tiles(rows.div_ceil(side) * columns.div_ceil(side), 1)
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
        let inner: usize = product.parts.iter().map(|(_, _, inner)| inner).sum();
        self.count(rows, columns, inner);
        // Large tiles need fewer loads; small ones keep more blocks busy.
        let large = rows.div_ceil(LARGE) * columns.div_ceil(LARGE);
        let enough = 3 * self.queue.borrow().n_blocks() / 4;
        let code = if large >= enough { Code::ProductLarge } else { Code::ProductSmall };
        Some(product.draft(code, 0))
    }

    fn count(&self, rows: usize, columns: usize, inner: usize) {
        self.operations.set(self.operations.get() + 2 * (rows * columns * inner) as u64);
    }
}

impl LinearLayers for Cuda {
    fn transpose(&self, from: &Buffer, rows: usize, columns: usize, to: &mut Buffer) {
        let draft = Draft::new(Code::Transpose).input(0, from).output(1, to);
        self.run(draft.numbers(0, [rows, columns]).values(rows * columns));
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
        let draft = draft.numbers(0, [rows, columns, columns, out.add.into()]);
        self.run(draft.tiles(columns, values::COLUMNS));
    }

    fn relu_gradient(&self, y: &Buffer, dy: &mut Buffer) {
        let draft = Draft::new(Code::UnaryGradient).input(0, y).input(1, dy).output(2, dy);
        let len = dy.len();
        self.run(draft.numbers(0, [len, values::RELU]).values(len));
    }
}

impl LinearMaxima for Cuda {
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
        let rows = edges.n_entries();
        let product = Product {
            parts: &[(Operand::rows(dy, columns), Operand::columns(weight, width), columns)],
            rows,
            columns: width,
            out: (dx.buffer.cuda().place(), 0, width),
            add: dx.add,
            bias: None,
            relu: false,
        };
        self.masked_product(edges, dy, origin, columns, product, MASKED_ROWS);
    }

    fn linear_max_weight_gradient(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        columns: usize,
        width: usize,
        dw: Gradient<'_>,
    ) {
        let entries = edges.n_entries();
        let product = Product {
            parts: &[(Operand::columns(dy, columns), Operand::columns(x, width), entries)],
            rows: columns,
            columns: width,
            out: (dw.buffer.cuda().place(), 0, width),
            add: dw.add,
            bias: None,
            relu: false,
        };
        self.masked_product(edges, dy, origin, columns, product, MASKED_INNER);
    }
}

impl Cuda {
    /// A product whose first operand is the gradient of a maximum, spread over entries.
    fn masked_product(
        &self,
        edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        columns: usize,
        product: Product<'_>,
        flag: usize,
    ) {
        if product.rows * product.columns == 0 {
            return;
        }
        self.count(edges.n_nodes(), product.columns, columns);
        // The first operand is by node, whatever the product's shape says.
        let draft = product.draft(Code::ProductMasked, flag).input(0, dy);
        let nodes = edges.n_nodes() * columns;
        let draft = draft.reads(12, self.indices(origin), 0..nodes);
        self.run(self.with(draft, 13, &edges.rows));
    }
}
