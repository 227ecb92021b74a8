//! The fastest dense products that the engine does here: what a training step is a share of.

use std::time::{Duration, Instant};

use salsa_engine::cpu::Cpu;
use salsa_engine::tape::{Linear, Tape};

/// Rows, inputs and outputs of the layers that are tried: a large square, and messages over the
/// edges of a training batch.
const SHAPES: [(usize, usize, usize); 3] = [(1024, 1024, 1024), (2048, 256, 256), (420, 128, 128)];

/// Long enough for the clock, short enough to fall between two disturbances.
const WINDOW: Duration = Duration::from_millis(10);

/// Operations per second, in units of 10^9, of the best layer in its best moment.
pub fn product_peak(n_threads: usize, time: Duration) -> f64 {
    let time = time / SHAPES.len() as u32;
    SHAPES.iter().map(|&shape| peak_of(shape, n_threads, time)).fold(0.0, f64::max)
}

fn peak_of(
    (rows, inputs, outputs): (usize, usize, usize),
    n_threads: usize,
    time: Duration,
) -> f64 {
    let values = |len: usize| -> Vec<f32> { (0..len).map(|i| (i % 13) as f32 - 6.0).collect() };
    let mut tape = Tape::new(Cpu::new(n_threads));
    let input = tape.constant(rows, inputs, &values(rows * inputs));
    let weight = tape.constant(outputs, inputs, &values(outputs * inputs));
    let parts = [(input, weight)];
    let mut layer = || {
        let out = tape.linear(Linear::new(&parts));
        tape.release(out);
        tape.device().product_operations()
    };
    // The weight is transposed once for a whole training step: not part of a product.
    let mut before = layer();
    let mut best = 0.0_f64;
    let begin = Instant::now();
    while best == 0.0 || begin.elapsed() < time {
        let start = Instant::now();
        let mut after = layer();
        while start.elapsed() < WINDOW {
            after = layer();
        }
        best = best.max((after - before) as f64 / start.elapsed().as_secs_f64());
        before = after;
    }
    best / 1e9
}
