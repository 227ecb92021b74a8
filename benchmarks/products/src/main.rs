//! One thread's dense products at the shapes of the models, by library: GFLOP/s.
//!
//! Three products of a linear layer with `rows` inputs: forward `X · Wᵀ` (the weight is stored
//! [out, in], as PyTorch has it), the gradient of the input `G · W` and of the weight `Gᵀ · X`.
//! Each figure is the median of many runs over a set of buffers larger than the first-level cache.

use std::time::Instant;

use salsa_engine::cpu::product::{Left, Start, product};

/// Row-major operands: an element (i, j) is at `i * row + j * column`.
#[derive(Clone, Copy)]
struct Strided<'a> {
    data: &'a [f32],
    row: usize,
    column: usize,
}

type Product = fn(Strided<'_>, Strided<'_>, &mut [f32], (usize, usize, usize));

fn ours(a: Strided<'_>, b: Strided<'_>, c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    // The engine keeps a transposed copy of a weight for a whole step; its cost is not part of one
    // product, so the forward case is given the transposed weight (see `main`).
    let left = Left { data: a.data, row: a.row, column: a.column };
    product(Start::Zero, left, (b.data, b.row), (c, n), (m, k, n));
}

fn by_gemm(a: Strided<'_>, b: Strided<'_>, c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    // SAFETY: the strides describe the slices.
    unsafe {
        gemm::gemm(
            m, n, k,
            c.as_mut_ptr(), 1, n as isize, false,
            a.data.as_ptr(), a.column as isize, a.row as isize,
            b.data.as_ptr(), b.column as isize, b.row as isize,
            0.0, 1.0, false, false, false, gemm::Parallelism::None,
        );
    }
}

fn by_matrixmultiply(a: Strided<'_>, b: Strided<'_>, c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    // SAFETY: the strides describe the slices.
    unsafe {
        matrixmultiply::sgemm(
            m, k, n, 1.0,
            a.data.as_ptr(), a.row as isize, a.column as isize,
            b.data.as_ptr(), b.row as isize, b.column as isize,
            0.0, c.as_mut_ptr(), n as isize, 1,
        );
    }
}

fn by_faer(a: Strided<'_>, b: Strided<'_>, c: &mut [f32], (m, k, n): (usize, usize, usize)) {
    use faer::{Accum, MatMut, MatRef, Par};
    // SAFETY: the strides describe the slices.
    let (a, b, c) = unsafe {
        (
            MatRef::from_raw_parts(a.data.as_ptr(), m, k, a.row as isize, a.column as isize),
            MatRef::from_raw_parts(b.data.as_ptr(), k, n, b.row as isize, b.column as isize),
            MatMut::from_raw_parts_mut(c.as_mut_ptr(), m, n, n as isize, 1),
        )
    };
    faer::linalg::matmul::matmul(c, Accum::Replace, a, b, 1.0, Par::Seq);
}

fn main() {
    let libraries: [(&str, Product); 4] = [
        ("engine", ours), ("gemm", by_gemm), ("matrixmultiply", by_matrixmultiply), ("faer", by_faer),
    ];
    println!("{:<26}{:>12}{:>12}{:>16}{:>12}", "product [m, k, n]", "engine", "gemm", "matrixmultiply", "faer");
    for (rows, input, output) in [(82, 128, 128), (420, 128, 128), (82, 256, 384), (420, 384, 384), (3854, 256, 384), (1024, 1024, 1024)] {
        for which in ["forward", "input", "weight"] {
            let (m, k, n) = match which {
                "forward" => (rows, input, output),
                "input" => (rows, output, input),
                _ => (output, rows, input),
            };
            let mut line = format!("{:<26}", format!("{which} [{m}, {k}, {n}]"));
            for (name, run) in libraries {
                let figure = measure(|copies| {
                    let (a_len, b_len) = (m * k, k * n);
                    let a: Vec<f32> = (0..a_len).map(|i| (i % 13) as f32 - 6.0 + copies as f32).collect();
                    let b: Vec<f32> = (0..b_len).map(|i| (i % 7) as f32 - 3.0).collect();
                    (a, b, vec![0.0f32; m * n])
                }, |(a, b, c)| {
                    let a = match which {
                        "weight" => Strided { data: a, row: 1, column: m },
                        _ => Strided { data: a, row: k, column: 1 },
                    };
                    let b = match which {
                        "forward" if name != "engine" => Strided { data: b, row: 1, column: k },
                        _ => Strided { data: b, row: n, column: 1 },
                    };
                    run(a, b, c, (m, k, n));
                });
                let width = if name == "matrixmultiply" { 16 } else { 12 };
                line += &format!("{:>width$.1}", 2.0 * (m * k * n) as f64 / figure / 1e9);
            }
            println!("{line}");
        }
    }
}

fn measure<T>(prepare: impl Fn(usize) -> T, run: impl Fn(&mut T)) -> f64 {
    let mut sets: Vec<T> = (0..4).map(prepare).collect();
    let mut times = Vec::new();
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 0.25 || times.len() < 9 {
        for set in &mut sets {
            let start = Instant::now();
            run(set);
            times.push(start.elapsed().as_secs_f64());
        }
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
