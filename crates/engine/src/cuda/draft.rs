//! An operator as the kernels read it, and what it touches.

use std::ops::Range;

use super::arena::Place;
use super::values::{COLUMNS, ROWS};
use crate::buffer::Buffer;

/// What a GPU can do; the order is that of `program.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Code {
    Copy,
    ProductSmall,
    ProductMedium,
    ProductLarge,
    ColumnSums,
    LayerNorm,
    LayerNormInput,
    LayerNormLearned,
    BatchNorm,
    BatchNormRunning,
    BatchNormGradient,
    GruGates,
    GruGatesGradient,
    Messages,
    MessagesSource,
    MessagesEnds,
    GatherMax,
    GatherMaxSource,
    GatherMaxScale,
    EdgeDot,
    EdgeDotGradient,
    SegmentReduce,
    SegmentReduceGradient,
    Spread,
    LogSoftmax,
    LogSoftmaxGradient,
    Fill,
    Unary,
    UnaryGradient,
    Binary,
    BinaryGradient,
    ScaledSum,
    Move,
    Transpose,
    GatherRows,
    ScatterRows,
    Dot,
    Picked,
    Loss,
    LossGradient,
    RowNorms,
    Mean,
    MeanNormGradient,
    Squares,
    Clip,
    Adam,
    DeferredProducts,
    DeferredColumns,
    DeferredTotals,
}

impl Code {
    pub(super) fn is_product(self) -> bool {
        matches!(self, Self::ProductSmall | Self::ProductMedium | Self::ProductLarge)
    }

    /// Operators with a kernel of their own (`light.cu`), and its name.
    pub(super) const LIGHT: [(Self, &str); 12] = [
        (Self::Fill, "light_fill"),
        (Self::Unary, "light_unary"),
        (Self::Binary, "light_binary"),
        (Self::ScaledSum, "light_scaled_sum"),
        (Self::GatherRows, "light_gather_rows"),
        (Self::LayerNorm, "light_layer_norm"),
        (Self::BatchNormRunning, "light_batch_norm_running"),
        (Self::GruGates, "light_gru_gates"),
        (Self::Messages, "light_messages"),
        (Self::GatherMax, "light_gather_max"),
        (Self::SegmentReduce, "light_segment_reduce"),
        (Self::EdgeDot, "light_edge_dot"),
    ];

    /// About how many cycles a tile of a training step takes, as clocks of blocks say; those of
    /// products depend on their sizes.
    fn cycles(self) -> u32 {
        match self {
            Self::Adam => 3500,
            Self::BatchNormGradient => 4800,
            Self::BatchNorm => 3600,
            Self::EdgeDotGradient => 4300,
            Self::GatherMaxSource => 3500,
            Self::GatherMax
            | Self::GatherMaxScale
            | Self::MessagesSource
            | Self::MessagesEnds
            | Self::SegmentReduce
            | Self::SegmentReduceGradient
            | Self::Messages
            | Self::DeferredTotals => 3000,
            Self::LayerNormLearned | Self::EdgeDot => 2700,
            Self::ColumnSums => 2400,
            Self::Transpose => 2100,
            Self::Binary
            | Self::Fill
            | Self::ScaledSum
            | Self::Spread
            | Self::Unary
            | Self::UnaryGradient => 1300,
            Self::Move | Self::Squares => 1600,
            _ => 2000,
        }
    }

    /// Whether it can set results to 0 where an activated result is not positive.
    pub(super) fn can_pass(self) -> bool {
        self.is_product() || self == Self::LayerNormInput
    }
}

/// An operator as the kernels read it (`prelude.cu`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Op {
    pub(super) code: Code,
    pub(super) tiles: u32,
    pub(super) unused: [u32; 2],
    pub(super) pointers: [u64; 14],
    pub(super) numbers: [u32; 32],
}

/// Words of a block that an operator touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Access {
    pub(super) block: u32,
    pub(super) words: Words,
    pub(super) write: bool,
}

/// Words from a first to a last, or some columns of them. A block has less than 2^32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Words {
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many follow each other, and how far the first ones of rows are apart, or both 0.
    pub(super) columns: [u32; 2],
}

impl Words {
    pub(super) fn all(range: Range<usize>) -> Self {
        Self { start: range.start as u32, end: range.end as u32, columns: [0; 2] }
    }

    /// Of a matrix whose rows are `apart`, from word `start` on.
    pub(super) fn of_rows(start: usize, rows: usize, columns: usize, apart: usize) -> Self {
        let all = Self::all(start..start + rows.saturating_sub(1) * apart + columns);
        // Rows that begin elsewhere than the block's are not compared with others.
        let within = columns < apart && start % apart + columns <= apart;
        Self { columns: if within { [columns as u32, apart as u32] } else { [0; 2] }, ..all }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let ([own, apart], [others, same]) = (self.columns, other.columns);
        let beside = || {
            let [from, to] = [self, other].map(|words| words.start % apart);
            from + own <= to || to + others <= from
        };
        let apart = apart == same && apart > 0;
        self.start < other.end && other.start < self.end && !(apart && beside())
    }

    /// Whether all of the other's words are among these; false also if that is hard to say.
    pub(super) fn cover(&self, other: &Self) -> bool {
        let [_, apart] = self.columns;
        let same =
            || self.columns == other.columns && (other.start - self.start).is_multiple_of(apart);
        self.start <= other.start && other.end <= self.end && (apart == 0 || same())
    }
}

/// Parts of matrices that tiles can have to themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    /// A few of so many columns.
    Columns(usize),
    /// A few of so many rows.
    Rows(usize),
}

impl Grain {
    /// How many such parts there are.
    pub(super) fn n_tiles(self) -> usize {
        match self {
            Self::Columns(columns) => columns.div_ceil(COLUMNS),
            Self::Rows(rows) => rows.div_ceil(ROWS),
        }
    }
}

/// An operator being described. It is passed on a few times before it is in a program, so what is large
/// stays where it is.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) op: Box<Op>,
    /// A tile can have all that it reads and writes of a few columns or rows; nobody writes what else
    /// it reads in such tiles.
    pub(super) grain: Option<Grain>,
    /// About how many cycles a tile takes.
    pub(super) cycles: u32,
    pub(super) accesses: Vec<Access>,
}

/// Most operators touch no more.
const FEW_ACCESSES: usize = 8;

/// So many rows are few, if a tile has all of them; the kernels keep as many in registers.
pub(super) const FEW_ROWS: usize = 640;

/// Columns of a tile then, where sums are taken of them, as the kernels have it.
pub(super) const WIDE: usize = 32;

/// Values of a tile of simple work, when there is little or much of it.
const SPANS: [usize; 2] = [512, 2048];
/// Much.
const MANY_VALUES: usize = 1 << 17;

impl Draft {
    pub(super) fn new(code: Code) -> Self {
        let op = Op { code, tiles: 1, unused: [0; 2], pointers: [0; 14], numbers: [0; 32] };
        let accesses = Vec::with_capacity(FEW_ACCESSES);
        Self { op: Box::new(op), grain: None, cycles: code.cycles(), accesses }
    }

    /// Reads words of a block through pointer `i`, which points to the first of them.
    pub(super) fn reads(self, i: usize, place: Place, words: Range<usize>) -> Self {
        self.touches(i, place, Words::all(words), false)
    }

    /// Writes, or adds to, words of a block.
    pub(super) fn writes(self, i: usize, place: Place, words: Range<usize>) -> Self {
        self.touches(i, place, Words::all(words), true)
    }

    /// The same, of words that need not follow each other.
    pub(super) fn touches(mut self, i: usize, place: Place, words: Words, write: bool) -> Self {
        self.op.pointers[i] = place.address + 4 * u64::from(words.start);
        self.accesses.push(Access { block: place.number, words, write });
        self
    }

    /// Reads a whole buffer.
    pub(super) fn input(self, i: usize, buffer: &Buffer) -> Self {
        let block = buffer.cuda();
        self.reads(i, block.place(), 0..block.len())
    }

    /// The same, if it is given.
    pub(super) fn any_input(self, i: usize, buffer: Option<&Buffer>) -> Self {
        match buffer {
            Some(buffer) => self.input(i, buffer),
            None => self,
        }
    }

    /// Writes, or adds to, a whole buffer.
    pub(super) fn output(self, i: usize, buffer: &Buffer) -> Self {
        let block = buffer.cuda();
        self.writes(i, block.place(), 0..block.len())
    }

    /// A pointer to what nobody writes while programs run.
    pub(super) fn constant(mut self, i: usize, address: u64) -> Self {
        self.op.pointers[i] = address;
        self
    }

    /// Numbers from `i` on.
    pub(super) fn numbers<const N: usize>(mut self, i: usize, values: [usize; N]) -> Self {
        for (at, value) in (i..).zip(values) {
            self.op.numbers[at] = value as u32;
        }
        self
    }

    /// Fractions from `i` on.
    pub(super) fn fractions<const N: usize>(mut self, i: usize, values: [f64; N]) -> Self {
        for (at, value) in (i..).zip(values) {
            self.op.numbers[at] = (value as f32).to_bits();
        }
        self
    }

    /// In tiles of `size` of `count` things.
    pub(super) fn tiles(mut self, count: usize, size: usize) -> Self {
        self.op.tiles = count.div_ceil(size) as u32;
        self
    }

    /// Simple work on so many values.
    pub(super) fn values(self, count: usize) -> Self {
        self.in_spans(count, SPANS[usize::from(count > MANY_VALUES)])
    }

    /// In tiles of so many values.
    pub(super) fn in_spans(self, count: usize, span: usize) -> Self {
        self.numbers(31, [span]).tiles(count, span)
    }

    /// The same on rows, of which the kernels find number and column.
    pub(super) fn rows(self, rows: usize, columns: usize) -> Self {
        self.divisor(columns).values(rows * columns)
    }

    /// Sums of columns of a matrix whose rows are so far apart. What waits for them can wait, so where
    /// rows are few, tiles are wide.
    pub(super) fn column_sums(self, rows: usize, columns: usize, apart: usize, add: bool) -> Self {
        let wide = rows <= FEW_ROWS && columns.is_multiple_of(4) && apart.is_multiple_of(4);
        let draft = self.numbers(0, [rows, columns, apart, add.into(), wide.into()]);
        draft.tiles(columns, if wide { WIDE } else { COLUMNS })
    }

    /// Says that tiles could have a few columns of matrices of so many rows and columns each, if there
    /// are not so many rows that other tiles are better.
    pub(super) fn by_columns(mut self, rows: usize, columns: usize) -> Self {
        if rows <= FEW_ROWS && columns.is_multiple_of(COLUMNS) {
            self.grain = Some(Grain::Columns(columns));
        }
        self
    }

    /// Says that tiles could have a few rows each.
    pub(super) fn by_rows(self, rows: usize) -> Self {
        Self { grain: Some(Grain::Rows(rows)), ..self }
    }

    /// Cuts it into such tiles.
    pub(super) fn cut(&mut self, grain: Grain) {
        self.op.tiles = grain.n_tiles() as u32;
        let numbers = &mut self.op.numbers;
        match grain {
            Grain::Columns(columns) => numbers[28] = columns as u32,
            // Operators on rows have their columns there.
            Grain::Rows(_) => numbers[31] = ROWS as u32 * numbers[1],
        }
    }

    /// Lets the kernels divide numbers of 31 bits by a multiplication (Granlund and Montgomery
    /// 1994).
    pub(super) fn divisor(self, divisor: usize) -> Self {
        let divisor = divisor.max(1);
        let shift = divisor.next_power_of_two().ilog2() as usize;
        let factor = (((1 << shift) - divisor) << 32) / divisor + 1;
        self.numbers(29, [factor, shift])
    }

    pub(super) fn n_tiles(&self) -> usize {
        self.op.tiles as usize
    }
}
