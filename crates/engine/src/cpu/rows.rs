//! Loops over slices, compiled for each instruction set and chosen at run time.
//!
//! Everything here works on whole rows or columns of one task; how work is cut into tasks is the
//! caller's business. The loops are plain so that the compiler vectorises them.

#![expect(clippy::too_many_arguments, reason = "kernels take every operand as a slice")]

use multiversion::multiversion;

use super::math::{exp, probability, relu as relu_of, sigmoid, tanh};
use crate::device::{AdamStep, Binary, Loss, Unary};

macro_rules! kernels {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {
        $(
            $(#[$doc])*
            #[multiversion(targets(
                "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
                "x86_64+avx2+fma",
            ))]
            pub fn $name($($arg: $type),*) $(-> $result)? $body
        )*
    };
}

kernels! {
    /// y += x.
    fn add(x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += x;
        }
    }

    /// y += factor * x.
    fn add_scaled(factor: f32, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += factor * x;
        }
    }

    /// y = factor * x.
    fn scaled(factor: f32, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = factor * x;
        }
    }

    /// y = max(y, 0).
    fn relu(y: &mut [f32]) {
        for y in y {
            *y = relu_of(*y);
        }
    }

    /// dy = 0 where y is not positive.
    fn relu_gradient(y: &[f32], dy: &mut [f32]) {
        for (dy, y) in dy.iter_mut().zip(y) {
            *dy = if *y <= 0.0 { 0.0 } else { *dy };
        }
    }

    /// y = a + b.
    fn sum_of_two(a: &[f32], b: &[f32], y: &mut [f32]) {
        for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
            *y = a + b;
        }
    }

    /// y = a + b where that is positive, else 0.
    fn relu_of_two(a: &[f32], b: &[f32], y: &mut [f32]) {
        for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
            *y = relu_of(a + b);
        }
    }

    /// Where x is larger than what is there, takes it and notes its row.
    fn take_larger(x: &[f32], row: u32, best: &mut [f32], origin: &mut [u32]) {
        for ((best, origin), x) in best.iter_mut().zip(origin).zip(x) {
            let larger = *x > *best;
            *best = if larger { *x } else { *best };
            *origin = if larger { row } else { *origin };
        }
    }

    /// Where x is larger than what is there, takes it.
    fn larger(x: &[f32], best: &mut [f32]) {
        for (best, x) in best.iter_mut().zip(x) {
            *best = if *x > *best { *x } else { *best };
        }
    }

    /// dx += dy in the columns that came from `row`.
    fn add_where(origin: &[u32], row: u32, dy: &[f32], dx: &mut [f32]) {
        for ((dx, dy), origin) in dx.iter_mut().zip(dy).zip(origin) {
            *dx += if *origin == row { *dy } else { 0.0 };
        }
    }

    /// dx = dy in the columns that came from `row`, 0 in the others.
    fn take_where(origin: &[u32], row: u32, dy: &[f32], dx: &mut [f32]) {
        for ((dx, dy), origin) in dx.iter_mut().zip(dy).zip(origin) {
            *dx = if *origin == row { *dy } else { 0.0 };
        }
    }

    /// Log-probabilities of one segment, sixteen values at a time however few there are.
    fn log_softmax(x: &[f32], out: &mut [f32]) {
        let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sums = [0.0f32; 16];
        for x in x.chunks(16) {
            let mut lanes = [f32::NEG_INFINITY; 16];
            lanes[..x.len()].copy_from_slice(x);
            for (sum, x) in sums.iter_mut().zip(lanes) {
                *sum += exp(x - largest);
            }
        }
        let shift = largest + sums.iter().sum::<f32>().ln();
        for (out, x) in out.iter_mut().zip(x) {
            *out = x - shift;
        }
    }

    /// dx += dy - probability(y) * sum of dy, for one segment.
    fn log_softmax_gradient(y: &[f32], dy: &[f32], dx: &mut [f32]) {
        let total: f32 = dy.iter().sum();
        for ((y, dy), dx) in y.chunks(16).zip(dy.chunks(16)).zip(dx.chunks_mut(16)) {
            let mut lanes = [0.0f32; 16];
            lanes[..y.len()].copy_from_slice(y);
            for y in &mut lanes {
                *y = probability(*y) * total;
            }
            for ((dx, dy), along) in dx.iter_mut().zip(dy).zip(lanes) {
                *dx += dy - along;
            }
        }
    }

    /// Columns `from..` of rows of `width`, summed, each row times its factor.
    fn column_sums_scaled(x: &[f32], width: usize, from: usize, factors: &[f32], sums: &mut [f32]) {
        let n = sums.len();
        for (row, factor) in x.chunks_exact(width).zip(factors) {
            for (sum, x) in sums.iter_mut().zip(&row[from..from + n]) {
                *sum += factor * x;
            }
        }
    }

    /// Columns `from..` of rows of `width`, summed.
    fn column_sums(x: &[f32], width: usize, from: usize, sums: &mut [f32]) {
        let n = sums.len();
        for row in x.chunks_exact(width) {
            for (sum, x) in sums.iter_mut().zip(&row[from..from + n]) {
                *sum += x;
            }
        }
    }

    /// a · b, in sixty-four interleaved sums.
    fn dot(a: &[f32], b: &[f32]) -> f32 {
        let mut sums = [0.0f32; 64];
        let (a_whole, a_rest) = a.as_chunks::<64>();
        let (b_whole, b_rest) = b.as_chunks::<64>();
        for (a, b) in a_whole.iter().zip(b_whole) {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += a * b;
            }
        }
        let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        let mut width = 32;
        while width > 0 {
            for i in 0..width {
                sums[i] += sums[i + width];
            }
            width /= 2;
        }
        sums[0] + rest
    }

    /// The sum of squares, in double precision.
    fn sum_of_squares(x: &[f32]) -> f64 {
        let mut sums = [0.0f64; 16];
        let (whole, rest) = x.as_chunks::<16>();
        for x in whole {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += f64::from(*x) * f64::from(*x);
            }
        }
        let rest: f64 = rest.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        sums.iter().sum::<f64>() + rest
    }

    /// Normalises one row; gives its mean and reciprocal deviation.
    fn layer_norm(x: &[f32], gain: &[f32], bias: &[f32], y: &mut [f32]) -> (f32, f32) {
        let mut sums = [0.0f32; 16];
        for block in x.chunks(16) {
            for (sum, x) in sums.iter_mut().zip(block) {
                *sum += x;
            }
        }
        let n = x.len() as f32;
        let mean = sums.iter().sum::<f32>() / n;
        let mut squares = [0.0f32; 16];
        for block in x.chunks(16) {
            for (square, x) in squares.iter_mut().zip(block) {
                *square += (x - mean) * (x - mean);
            }
        }
        let variance = squares.iter().sum::<f32>() / n;
        let reciprocal = 1.0 / (variance + 1e-5).sqrt();
        for (((y, x), gain), bias) in y.iter_mut().zip(x).zip(gain).zip(bias) {
            *y = (x - mean) * reciprocal * gain + bias;
        }
        (mean, reciprocal)
    }

    /// For some columns: what the rows of dy add to the gradients of gain and bias.
    fn layer_norm_parameters(
        x: &[f32], saved: &[f32], dy: &[f32], width: usize, from: usize,
        d_gain: &mut [f32], d_bias: &mut [f32],
    ) {
        let n = d_gain.len();
        let rows = x.chunks_exact(width).zip(dy.chunks_exact(width)).zip(saved.chunks_exact(2));
        for ((x, dy), saved) in rows {
            let (x, dy) = (&x[from..from + n], &dy[from..from + n]);
            for (((d_gain, d_bias), x), dy) in
                d_gain.iter_mut().zip(d_bias.iter_mut()).zip(x).zip(dy)
            {
                *d_gain += dy * (x - saved[0]) * saved[1];
                *d_bias += dy;
            }
        }
    }

    /// The gradient of one row.
    fn layer_norm_gradient(
        x: &[f32], gain: &[f32], saved: (f32, f32), dy: &[f32], dx: &mut [f32], add: bool,
    ) {
        let (mean, reciprocal) = saved;
        let mut direct = [0.0f32; 16];
        let mut along = [0.0f32; 16];
        for ((x, dy), gain) in x.chunks(16).zip(dy.chunks(16)).zip(gain.chunks(16)) {
            for ((((direct, along), x), dy), gain) in
                direct.iter_mut().zip(&mut along).zip(x).zip(dy).zip(gain)
            {
                *direct += dy * gain;
                *along += dy * gain * (x - mean) * reciprocal;
            }
        }
        let n = x.len() as f32;
        let direct = direct.iter().sum::<f32>() / n;
        let along = along.iter().sum::<f32>() / n;
        for (((dx, x), dy), gain) in dx.iter_mut().zip(x).zip(dy).zip(gain) {
            let normal = (x - mean) * reciprocal;
            let through = (dy * gain - direct - normal * along) * reciprocal;
            *dx = if add { *dx + through } else { through };
        }
    }

    /// Sums of squared distances from `means` of some columns.
    fn squared_distances(x: &[f32], width: usize, from: usize, means: &[f32], sums: &mut [f32]) {
        let n = sums.len();
        for row in x.chunks_exact(width) {
            for ((sum, x), mean) in sums.iter_mut().zip(&row[from..from + n]).zip(means) {
                *sum += (x - mean) * (x - mean);
            }
        }
    }

    /// y = (x - mean) * factor + bias, per column.
    fn centred_affine(x: &[f32], means: &[f32], factor: &[f32], bias: &[f32], y: &mut [f32]) {
        for ((((y, x), mean), factor), bias) in y.iter_mut().zip(x).zip(means).zip(factor).zip(bias) {
            *y = (x - mean) * factor + bias;
        }
    }

    /// y = max((x - mean) * factor + bias, 0), per column.
    fn centred_affine_relu(x: &[f32], means: &[f32], factor: &[f32], bias: &[f32], y: &mut [f32]) {
        for ((((y, x), mean), factor), bias) in y.iter_mut().zip(x).zip(means).zip(factor).zip(bias) {
            *y = relu_of((x - mean) * factor + bias);
        }
    }

    /// For some columns: the sums of dy, and of dy times the centred x; dy counts where y > 0.
    fn batch_norm_sums(
        x: &[f32], y: &[f32], dy: &[f32], relu: bool, width: usize, from: usize,
        means: &[f32], direct: &mut [f32], along: &mut [f32],
    ) {
        let n = direct.len();
        for ((x, y), dy) in x.chunks_exact(width).zip(y.chunks_exact(width)).zip(dy.chunks_exact(width)) {
            let (x, y, dy) = (&x[from..from + n], &y[from..from + n], &dy[from..from + n]);
            for (((((direct, along), x), y), dy), mean) in
                direct.iter_mut().zip(along.iter_mut()).zip(x).zip(y).zip(dy).zip(means)
            {
                let dy = if relu && *y <= 0.0 { 0.0 } else { *dy };
                *direct += dy;
                *along += dy * (x - mean);
            }
        }
    }

    /// dx (+)= scale * (dy - direct - along * (x - mean)), per column; dy counts where y > 0.
    fn batch_norm_gradient(
        x: &[f32], y: &[f32], dy: &[f32], relu: bool, means: &[f32], scale: &[f32],
        direct: &[f32], along: &[f32], add: bool, dx: &mut [f32],
    ) {
        let values = dx.iter_mut().zip(x).zip(y).zip(dy);
        for (((((((dx, x), y), dy), mean), scale), direct), along) in
            values.zip(means).zip(scale).zip(direct).zip(along)
        {
            let dy = if relu && *y <= 0.0 { 0.0 } else { *dy };
            let through = scale * (dy - direct - along * (x - mean));
            *dx = if add { *dx + through } else { through };
        }
    }

    /// One row of the GRU cell: sums of products become gates, in place, and the next state.
    fn gru(state: &[f32], gates: &mut [f32], out: &mut [f32]) {
        let h = state.len();
        let (reset, rest) = gates.split_at_mut(h);
        let (update, rest) = rest.split_at_mut(h);
        let (new, share) = rest.split_at_mut(h);
        for reset in reset.iter_mut() {
            *reset = sigmoid(*reset);
        }
        for update in update.iter_mut() {
            *update = sigmoid(*update);
        }
        for ((new, share), reset) in new.iter_mut().zip(&*share).zip(&*reset) {
            *new = tanh(*new + reset * share);
        }
        for (((out, state), update), new) in out.iter_mut().zip(state).zip(&*update).zip(&*new) {
            *out = (1.0 - update) * new + update * state;
        }
    }

    /// The gradients of one row's gates, in the order of the gates.
    fn gru_gradient(state: &[f32], saved: &[f32], dy: &[f32], gradients: &mut [f32]) {
        let h = state.len();
        let (reset, rest) = saved.split_at(h);
        let (update, rest) = rest.split_at(h);
        let (new, share) = rest.split_at(h);
        let (d_reset, rest) = gradients.split_at_mut(h);
        let (d_update, rest) = rest.split_at_mut(h);
        let (d_new, d_share) = rest.split_at_mut(h);
        let (dy, share, d_share) = (&dy[..h], &share[..h], &mut d_share[..h]);
        for i in 0..h {
            let along_new = dy[i] * (1.0 - update[i]) * (1.0 - new[i] * new[i]);
            d_reset[i] = along_new * share[i] * reset[i] * (1.0 - reset[i]);
            d_update[i] = dy[i] * (state[i] - new[i]) * update[i] * (1.0 - update[i]);
            d_new[i] = along_new;
            d_share[i] = along_new * reset[i];
        }
    }

    /// y = a * b, or y += a * b.
    fn product_of_two(a: &[f32], b: &[f32], add: bool, y: &mut [f32]) {
        let triples = y.iter_mut().zip(a).zip(b);
        if add {
            triples.for_each(|((y, a), b)| *y += a * b);
        } else {
            triples.for_each(|((y, a), b)| *y = a * b);
        }
    }

    /// out = function(x).
    fn unary(function: Unary, x: &[f32], out: &mut [f32]) {
        let pairs = out.iter_mut().zip(x);
        match function {
            Unary::Relu => pairs.for_each(|(y, x)| *y = relu_of(*x)),
            Unary::Sigmoid => pairs.for_each(|(y, x)| *y = sigmoid(*x)),
            Unary::Tanh => pairs.for_each(|(y, x)| *y = tanh(*x)),
        }
    }

    /// dx += dy * function'(x), from y = function(x).
    fn unary_gradient(function: Unary, y: &[f32], dy: &[f32], dx: &mut [f32]) {
        let triples = dx.iter_mut().zip(y).zip(dy);
        match function {
            Unary::Relu => triples.for_each(|((dx, y), dy)| *dx += if *y > 0.0 { *dy } else { 0.0 }),
            Unary::Sigmoid => triples.for_each(|((dx, y), dy)| *dx += dy * y * (1.0 - y)),
            Unary::Tanh => triples.for_each(|((dx, y), dy)| *dx += dy * (1.0 - y * y)),
        }
    }

    /// out = function(a, b).
    fn binary(function: Binary, a: &[f32], b: &[f32], out: &mut [f32]) {
        let triples = out.iter_mut().zip(a).zip(b);
        match function {
            Binary::Add => triples.for_each(|((y, a), b)| *y = a + b),
            Binary::Subtract => triples.for_each(|((y, a), b)| *y = a - b),
            Binary::Multiply => triples.for_each(|((y, a), b)| *y = a * b),
            Binary::Max => triples.for_each(|((y, a), b)| *y = if a >= b { *a } else { *b }),
        }
    }

    /// dx += the gradient of a, or of b.
    fn binary_gradient(function: Binary, a: &[f32], b: &[f32], dy: &[f32], of_a: bool, dx: &mut [f32]) {
        let all = dx.iter_mut().zip(a).zip(b).zip(dy);
        match function {
            Binary::Add => all.for_each(|(((dx, _), _), dy)| *dx += dy),
            Binary::Subtract => all.for_each(|(((dx, _), _), dy)| *dx += if of_a { *dy } else { -dy }),
            Binary::Multiply => all.for_each(|(((dx, a), b), dy)| *dx += dy * if of_a { b } else { a }),
            Binary::Max => all.for_each(|(((dx, a), b), dy)| *dx += if (a >= b) == of_a { *dy } else { 0.0 }),
        }
    }

    /// The sum of weight * loss.
    fn loss(loss: Loss, x: &[f32], targets: &[f32], weights: &[f32]) -> f64 {
        let all = x.iter().zip(targets).zip(weights);
        match loss {
            Loss::Binary => all
                .map(|((x, t), w)| {
                    let rest = (1.0 + exp(-x.abs())).ln();
                    f64::from(w * (x.max(0.0) - x * t + rest))
                })
                .sum(),
            Loss::Squared => all.map(|((x, t), w)| f64::from(w * (x - t) * (x - t))).sum(),
        }
    }

    /// dx += dy * weight * loss'.
    fn loss_gradient(loss: Loss, x: &[f32], targets: &[f32], weights: &[f32], dy: f32, dx: &mut [f32]) {
        let all = dx.iter_mut().zip(x).zip(targets).zip(weights);
        match loss {
            Loss::Binary => all.for_each(|(((dx, x), t), w)| *dx += dy * w * (sigmoid(*x) - t)),
            Loss::Squared => all.for_each(|(((dx, x), t), w)| *dx += dy * w * 2.0 * (x - t)),
        }
    }

    /// One AdamW update.
    fn adam(step: AdamStep, scale: f32, gradient: &[f32], value: &mut [f32], first: &mut [f32], second: &mut [f32]) {
        let (beta_1, beta_2) = (step.betas.0 as f32, step.betas.1 as f32);
        let (rest_1, rest_2) = ((1.0 - step.betas.0) as f32, (1.0 - step.betas.1) as f32);
        let exponent = i32::try_from(step.step).unwrap_or(i32::MAX);
        let size = (step.learning_rate / (1.0 - step.betas.0.powi(exponent))) as f32;
        let correction = (1.0 / (1.0 - step.betas.1.powi(exponent)).sqrt()) as f32;
        let keep = (1.0 - step.learning_rate * step.weight_decay) as f32;
        let epsilon = step.epsilon as f32;
        // Beside epsilon this is nothing, but averages of it fade until they are subnormal, which
        // some processors are slow at, and stay so.
        let tiny = 1e-8 * epsilon;
        let or_nothing = |x: f32, tiny: f32| if x.abs() < tiny { 0.0 } else { x };
        for (((value, gradient), first), second) in value.iter_mut().zip(gradient).zip(first).zip(second) {
            let gradient = or_nothing(gradient * scale, tiny);
            *first = or_nothing(beta_1 * *first + rest_1 * gradient, tiny);
            *second = or_nothing(beta_2 * *second + rest_2 * gradient * gradient, tiny * tiny);
            *value = *value * keep - size * *first / (second.sqrt() * correction + epsilon);
        }
    }
}
