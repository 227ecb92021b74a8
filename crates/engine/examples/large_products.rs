//! How fast and how exact layers on few and on many rows are: `cargo run --release --example
//! large_products` on a machine with a GPU. The error is the largest among some values, as a part of
//! the sum of the sizes of all terms.

use std::time::Instant;

use salsa_engine::cuda::{self, CudaOptions};
use salsa_engine::tape::{Linear, Tape};

/// Rows, columns and inner size.
const SHAPES: [[usize; 3]; 9] = [
    [82, 128, 128],
    [82, 384, 384],
    [430, 384, 384],
    [131_072, 384, 384],
    [131_072, 128, 128],
    [12_800, 384, 384],
    [12_800, 384, 128],
    [12_800, 128, 384],
    [12_800, 128, 128],
];

const TIMES: usize = 50;
const SAMPLES: usize = 4000;

/// Numbers from -0.2 to 1, so that sums grow.
fn values(len: usize, start: u64) -> Vec<f32> {
    let mut state = start;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.2 * (state >> 40) as f32 / (1 << 24) as f32 - 0.2
    };
    (0..len).map(|_| next()).collect()
}

fn main() {
    for [rows, columns, inner] in SHAPES {
        let mut tape = match cuda::open(CudaOptions::default()) {
            Ok(device) => Tape::on(device),
            Err(error) => return println!("{error}"),
        };
        tape.set_recording(false);
        let (x, w) = (values(rows * inner, 1), values(columns * inner, 2));
        let (input, weight) = (tape.constant(rows, inner, &x), tape.constant(columns, inner, &w));
        let parts = [(input, weight)];
        let out = tape.linear(Linear::new(&parts));
        let found = tape.read(out);
        let begin = Instant::now();
        for _ in 0..TIMES {
            let out = tape.linear(Linear::new(&parts));
            tape.release(out);
        }
        // One value: waits for all.
        let last = tape.constant(1, 1, &[0.0]);
        tape.read(last);
        let each = begin.elapsed().as_secs_f64() / TIMES as f64;
        let error = (0..SAMPLES).map(|i| {
            let at = i * 7_919_993 % found.len();
            let (row, column) = (at / columns, at % columns);
            let terms = (0..inner)
                .map(|k| f64::from(x[row * inner + k]) * f64::from(w[column * inner + k]));
            let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), it| (sum + it, size + it.abs()));
            (f64::from(found[at]) - sum).abs() / size
        });
        println!(
            "{rows:>6} x {columns} x {inner}: {:>6.1} us, {:>5.1} TFLOP/s, error {:.1e}",
            1e6 * each,
            2e-12 * (rows * columns * inner) as f64 / each,
            error.fold(0.0, f64::max),
        );
    }
}
