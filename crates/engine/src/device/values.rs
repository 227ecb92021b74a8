//! Buffers, and operators on values wherever they come from.

use std::ops::Range;

use super::operands::{AdamStep, Binary, Gradient, Later, Loss, Unary};
use crate::buffer::{Buffer, Indices};
use crate::cuda::CudaError;

/// Buffers: making, filling, copying.
pub trait Memory {
    /// Its name, for messages.
    fn name(&self) -> String;
    /// A buffer of zeros.
    fn zeros(&self, len: usize) -> Buffer;
    /// Copies host values in.
    fn write(&self, values: &[f32], to: &mut Buffer);
    /// Copies values to the host.
    fn read(&self, from: &Buffer, to: &mut [f32]);
    /// Begins to copy the first value of each buffer to the host.
    fn read_later(&self, from: &[&Buffer]) -> Later {
        let first = |buffer: &&Buffer| {
            let mut all = vec![0.0; buffer.len()];
            self.read(buffer, &mut all);
            all[0]
        };
        Later::Values(from.iter().map(first).collect())
    }
    /// Waits for values on their way; at most a few may be.
    fn wait_for(&self, later: Later) -> Vec<f32> {
        match later {
            Later::Values(values) => values,
            Later::Place { .. } => panic!("values of another device"),
        }
    }
    /// Whether it computes while the host goes on.
    fn runs_ahead(&self) -> bool {
        false
    }
    /// All values, as exactly as the device has them.
    fn values(&self, from: &Buffer) -> Vec<f64>;
    /// One value everywhere.
    fn fill(&self, to: &mut Buffer, value: f32);
    /// `to = from`.
    fn copy(&self, from: &Buffer, to: Gradient<'_>);
    /// Floating-point operations spent in dense products so far.
    fn product_operations(&self) -> u64 {
        0
    }
    /// Whether everything so far was computed. A device that can fail computes nothing after the
    /// first failure and tells here.
    fn check(&self) -> Result<(), CudaError> {
        Ok(())
    }
    /// The most memory that it held so far, if it has memory of its own.
    fn most_bytes(&self) -> Option<u64> {
        None
    }
    /// How many rows of intermediate values are worth having at a time when none are kept for
    /// gradients.
    fn rows_at_once(&self) -> usize {
        16_384
    }
}

/// Moving values without computing.
pub trait Layout {
    /// `out [rows, width] =` the sum of the blocks of `width` columns of `x` from each start.
    fn columns(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        out: &mut Buffer,
    );
    /// Adds to those blocks of `dx`, which holds a gradient already.
    fn columns_gradient(
        &self,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        starts: &[usize],
        width: usize,
        dx: &mut Buffer,
    );
    /// `out [rows, columns] = x[indices]`.
    fn gather_rows(&self, x: &Buffer, indices: &Indices, columns: usize, out: &mut Buffer);
    /// Its gradient.
    fn gather_rows_gradient(
        &self,
        dy: &Buffer,
        indices: &Indices,
        columns: usize,
        dx: Gradient<'_>,
    );
    /// Copies a range of values to where `at` begins.
    fn place(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize);
    /// Adds a range of values to those where `at` begins.
    fn place_added(&self, from: &Buffer, range: Range<usize>, to: &mut Buffer, at: usize);
    /// `out [rows, stride]` gets `x [rows, width]` in the columns from `start` on.
    fn place_columns(
        &self,
        x: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        out: &mut Buffer,
    );
    /// The other way: `dx [rows, width]`.
    fn place_columns_gradient(
        &self,
        dy: &Buffer,
        width: usize,
        start: usize,
        stride: usize,
        dx: Gradient<'_>,
    );
}

/// Functions of single values and pairs.
pub trait Elementwise {
    /// `out = function(x)`.
    fn unary(&self, function: Unary, x: &Buffer, out: &mut Buffer);
    /// From the result `y`.
    fn unary_gradient(&self, function: Unary, y: &Buffer, dy: &Buffer, dx: Gradient<'_>);
    /// `out = function(a, b)`.
    fn binary(&self, function: Binary, a: &Buffer, b: &Buffer, out: &mut Buffer);
    /// The gradient of `a` (`of_a`) or `b`.
    fn binary_gradient(
        &self,
        function: Binary,
        a: &Buffer,
        b: &Buffer,
        dy: &Buffer,
        of_a: bool,
        dx: Gradient<'_>,
    );
    /// `out = (1 + scale[0]) a + b`.
    fn scaled_sum(&self, scale: &Buffer, a: &Buffer, b: &Buffer, out: &mut Buffer);
    /// The gradient of `a`: `(1 + scale[0]) dy`.
    fn scaled_sum_gradient(&self, scale: &Buffer, dy: &Buffer, da: Gradient<'_>);
    /// `out [1] = a · b`, summed in a fixed order.
    fn dot(&self, a: &Buffer, b: &Buffer, out: Gradient<'_>);
    /// `out = a + factor * b`.
    fn add_scaled(&self, a: &Buffer, b: &Buffer, factor: f64, out: &mut Buffer);
    /// `to = factor * from`.
    fn scale(&self, from: &Buffer, factor: f64, to: Gradient<'_>);
}

/// What becomes one number.
pub trait Losses {
    /// `out [1] =` the sum of `-weight * log_probability[target]`.
    fn picked(
        &self,
        log_probabilities: &Buffer,
        targets: &Indices,
        weights: &Buffer,
        out: &mut Buffer,
    );
    /// Its gradient.
    fn picked_gradient(&self, targets: &Indices, weights: &Buffer, dy: &Buffer, dx: Gradient<'_>);
    /// `out [1] =` the sum of `weight * loss(x, target)`.
    fn loss(&self, loss: Loss, x: &Buffer, targets: &Buffer, weights: &Buffer, out: &mut Buffer);
    /// Its gradient.
    fn loss_gradient(
        &self,
        loss: Loss,
        x: &Buffer,
        targets: &Buffer,
        weights: &Buffer,
        dy: &Buffer,
        dx: Gradient<'_>,
    );
    /// `out [1] =` the mean over rows of the Euclidean norm; `saved [rows]` keeps the norms.
    fn mean_norm(
        &self,
        x: &Buffer,
        rows: usize,
        columns: usize,
        out: &mut Buffer,
        saved: &mut Buffer,
    );
    /// A row of zeros gets no gradient.
    fn mean_norm_gradient(
        &self,
        x: &Buffer,
        saved: &Buffer,
        dy: &Buffer,
        rows: usize,
        columns: usize,
        dx: Gradient<'_>,
    );
}

/// Updates of parameters.
pub trait Optimisers {
    /// `out [2] =` the Euclidean norm of all gradients together, and what they are multiplied by so
    /// that it is at most `clip`: NaN if the norm or `loss [1]` is not finite.
    fn clipping(
        &self,
        gradients: &mut dyn Iterator<Item = &Buffer>,
        loss: &Buffer,
        clip: f64,
        out: &mut Buffer,
    );
    /// One AdamW update of `value` and its moments, with the gradient multiplied by the second
    /// value of `clipping`; none if that is NaN.
    fn adam(
        &self,
        step: AdamStep,
        clipping: &Buffer,
        gradient: &Buffer,
        value: &mut Buffer,
        moments: (&mut Buffer, &mut Buffer),
    );
}
