//! How long operators take one after the other, each of which needs the one before: what a long
//! recurrence on small graphs is made of. `cargo run --release --example operator_latency` on a
//! machine with a GPU.

use std::sync::Arc;
use std::time::Instant;

use salsa_engine::cuda::{self, CudaOptions};
use salsa_engine::device::Unary;
use salsa_engine::graph::{Edges, Segments};
use salsa_engine::tape::{Linear, Messages, Tape, Tensor};

const OPERATORS: usize = 4000;

/// Measures one kind, unless another is asked for on the command line.
fn measure(
    name: &str,
    (rows, columns): (usize, usize),
    mut step: impl FnMut(&mut Tape, Tensor) -> Tensor,
) {
    if std::env::args()
        .nth(1)
        .is_some_and(|wanted| !format!("{name} {rows} {columns}").contains(&wanted))
    {
        return;
    }
    let device = cuda::open(CudaOptions::default());
    let mut tape = match device {
        Ok(device) => Tape::on(device),
        Err(error) => return println!("{error}"),
    };
    let values: Vec<f32> = (0..rows * columns).map(|i| (i % 7) as f32 * 0.1).collect();
    let square: Vec<f32> = (0..columns * columns).map(|i| (i % 5) as f32 * 0.001).collect();
    tape.parameter("square", columns, columns, &square);
    tape.parameter("column", columns, 1, &square[..columns]);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        tape.clear();
        let x = tape.constant(rows, columns, &values);
        let begin = Instant::now();
        let mut y = x;
        for _ in 0..OPERATORS {
            y = tape.scope(|tape| step(tape, y));
        }
        std::hint::black_box(tape.read(y));
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let each = best / OPERATORS as f64 * 1e6;
    println!("{name:<28} {rows:>5} x {columns:<4} {each:>8.2} us");
}

fn main() {
    let square = |tape: &Tape| tape.parameters()[0].tensor;
    let column = |tape: &Tape| tape.parameters()[1].tensor;
    let ring = |n: u32| {
        let mut entries: Vec<(u32, u32)> =
            (0..n).flat_map(|u| [(u, (u + 1) % n), (u, u), (u, (u + n - 1) % n)]).collect();
        entries.sort_unstable();
        let (rows, neighbours) = entries.into_iter().unzip();
        Arc::new(Edges::new(n as usize, rows, neighbours).expect("a ring is symmetric"))
    };
    let edges = ring(82);
    for rows in [4, 82, 430] {
        measure("relu", (rows, 128), |tape, x| tape.unary(Unary::Relu, x));
    }
    measure("relu and sum by turns, each", (82, 128), |tape, x| {
        let y = tape.unary(Unary::Relu, x);
        tape.add_scaled(y, 0.5, y)
    });
    for rows in [16, 82, 430] {
        measure("layer norm", (rows, 128), |tape, x| {
            let column = column(tape);
            tape.layer_norm(x, column, column)
        });
    }
    for shape in [(16, 128), (82, 128), (430, 128), (82, 384), (430, 384), (12_800, 128)] {
        measure("linear", shape, |tape, x| tape.linear(Linear::new(&[(x, square(tape))])));
    }
    measure("maximum of messages", (82, 128), |tape, x| {
        tape.gather_max(&edges, Messages::from_source(x))
    });
    let fours = Segments::Every(1);
    measure("maximum of segments", (82, 128), |tape, x| {
        tape.segment_reduce(salsa_engine::device::Reduction::Max, x, &fours)
    });
}
