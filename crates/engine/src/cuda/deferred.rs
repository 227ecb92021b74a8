//! Gradients of what many operators share, as sums over all of their rows.
//!
//! A sum is cut into tiles, and its rows into chunks of as many operators, so that there is something
//! to do for every block. What chunks give is added up in their order. How rows are cut depends on
//! shapes alone.

use super::Cuda;
use super::draft::{Access, Code, Draft, WIDE, Words};
use crate::buffer::Buffer;
use crate::device::{DeferredSum, DeferredSums, Gradient, Memory, Summand};

/// Rows and columns of a tile of a sum.
const TILE: usize = 64;
/// Inner indices that are read at a time.
const SLICE: usize = 32;
/// Operators of a chunk at most; the kernel keeps so many descriptions.
const MOST_PARTS: usize = 64;
/// About as many tiles are wanted: a turn each for the blocks of a whole GPU.
const TILES: usize = 256;
/// Rows of a chunk at least.
const FEW_ROWS: usize = 192;
/// Words that describe rows of a gradient and of an input, as the kernel reads them.
const PART: usize = 8;

impl DeferredSums for Cuda {
    fn defers(&self) -> bool {
        true
    }

    fn deferred_sums(&self, gradients: &mut [Gradient<'_>], sums: &[DeferredSum<'_>]) {
        for (to, Gradient { buffer, add }) in gradients.iter_mut().enumerate() {
            let mut own = sums.iter().filter(|sum| sum.to == to);
            let whole = own.next().is_some_and(|sum| sum.columns * sum.width == buffer.len());
            if !*add && (!whole || own.next().is_some()) {
                *add = true;
                self.fill(buffer, 0.0);
            }
        }
        let table: Vec<u32> = sums.iter().flat_map(|sum| &sum.summands).flat_map(part).collect();
        let table = self.upload(&table);
        let rows = rows_of_a_chunk(sums);
        let mut first = 0;
        let (mut drafts, mut totals) = (Vec::new(), Vec::new());
        for sum in sums {
            let (columns, width, parts) = (sum.columns, sum.width, sum.summands.len());
            let chunk = chunk(sum, rows);
            let n_chunks = parts.div_ceil(chunk);
            let words = PART * first..PART * (first + parts);
            first += parts;
            let draft = match width {
                1 => Draft::new(Code::DeferredColumns).tiles(columns, WIDE),
                _ => Draft::new(Code::DeferredProducts).tiles(columns, TILE),
            };
            let down = draft.n_tiles();
            let across = if width == 1 { 1 } else { width.div_ceil(TILE) };
            let Gradient { buffer, add } = &gradients[sum.to];
            let (place, add) = (buffer.cuda().place(), usize::from(*add));
            let target = Target::of(sum);
            let draft = draft.reads(0, table.place(), words);
            let (mut draft, stride, add) = if n_chunks == 1 && target.by_fours {
                (draft.touches(1, place, target.words, true), target.stride, add)
            } else {
                let partial = Buffer::Cuda(self.block(n_chunks * columns * width));
                let draft = draft.output(1, &partial);
                totals.push((partial, n_chunks, place, target, add));
                (draft, width, 0)
            };
            draft.cycles = cycles(sum, chunk);
            let numbers = [columns, width, parts, chunk, across, down * across, stride, add];
            self.count(columns, width, rows_of(&sum.summands));
            drafts.push(draft.numbers(0, numbers).tiles(n_chunks * down * across, 1));
        }
        let reads: Vec<_> = sums.iter().flat_map(|sum| &sum.summands).flat_map(reads).collect();
        self.attempt(|queue| queue.push_together(drafts, &reads));
        for (partial, n_chunks, place, target, add) in totals {
            let Target { words, rows, width, stride, by_fours } = target;
            let draft = Draft::new(Code::DeferredTotals).input(0, &partial);
            let draft = draft.touches(1, place, words, true);
            let fours = if by_fours { width } else { 1 };
            let numbers = [rows * width, width, stride, n_chunks, add, fours];
            self.run(draft.numbers(0, numbers).rows(rows, width));
        }
    }
}

/// Where a sum belongs.
struct Target {
    words: Words,
    rows: usize,
    width: usize,
    stride: usize,
    /// Whether its rows can be written by fours.
    by_fours: bool,
}

impl Target {
    fn of(sum: &DeferredSum<'_>) -> Self {
        let [row, column] = sum.first;
        // A column of sums is a row of them.
        let (rows, width, stride) = match sum.width {
            1 => (1, sum.columns, sum.columns),
            width => (sum.columns, width, sum.stride),
        };
        let start = row * sum.stride + column;
        let words = Words::of_rows(start, rows, width, stride);
        let by_fours = [start, width, stride].iter().all(|number| number.is_multiple_of(4));
        Self { words, rows, width, stride, by_fours }
    }
}

/// What a sum finds in its table.
fn reads(summand: &Summand<'_>) -> impl Iterator<Item = Access> {
    let whole = |buffer: &Buffer| {
        let block = buffer.cuda();
        Access { block: block.place().number, words: Words::all(0..block.len()), write: false }
    };
    [Some(summand.dy), summand.x].into_iter().flatten().map(whole)
}

/// As the kernel reads it (`deferred.cu`).
fn part(summand: &Summand<'_>) -> [u32; PART] {
    let Summand { dy, dy_start, dy_stride, x, rows } = *summand;
    let halves = |address: u64| [address as u32, (address >> 32) as u32];
    let [dy_low, dy_high] = halves(dy.cuda().place().address + 4 * dy_start as u64);
    let [x_low, x_high] = halves(x.map_or(0, |x| x.cuda().place().address));
    [dy_low, dy_high, x_low, x_high, dy_stride as u32, rows as u32, 0, 0]
}

fn rows_of(summands: &[Summand<'_>]) -> usize {
    summands.iter().map(|summand| summand.rows).sum()
}

/// How many rows a chunk should have, so that there are as many tiles as are wanted.
fn rows_of_a_chunk(sums: &[DeferredSum<'_>]) -> usize {
    let products = sums.iter().filter(|sum| sum.width > 1);
    let tiles = |sum: &DeferredSum<'_>| sum.columns.div_ceil(TILE) * sum.width.div_ceil(TILE);
    let work: usize = products.map(|sum| tiles(sum) * rows_of(&sum.summands)).sum();
    (work / TILES).max(FEW_ROWS)
}

/// How many operators are in a chunk of about so many rows.
fn chunk(sum: &DeferredSum<'_>, rows: usize) -> usize {
    let (n, all) = (sum.summands.len(), rows_of(&sum.summands).max(1));
    let n_chunks = ((all + rows / 2) / rows).clamp(n.div_ceil(MOST_PARTS), n);
    n.div_ceil(n_chunks.max(1))
}

/// About how many cycles a tile takes.
fn cycles(sum: &DeferredSum<'_>, chunk: usize) -> u32 {
    let parts = &sum.summands[..chunk.min(sum.summands.len())];
    let slices: usize = parts.iter().map(|part| part.rows.div_ceil(SLICE)).sum();
    let work = if sum.width == 1 { 2000 * parts.len() } else { 1500 * slices };
    (3000 + work) as u32
}
