//! Gradients of a linear layer whose results were reduced by a maximum.
//!
//! Value (u, c) of the maximum came from one entry, `origin[u, c]`; only there does the layer's
//! result have a gradient.

use super::{Reference, sum_into};
use crate::buffer::{Buffer, Indices};
use crate::device::{Gradient, LinearMaxima};
use crate::graph::Edges;

impl LinearMaxima for Reference {
    fn linear_max_gradient(
        &self,
        _edges: &Edges,
        dy: &Buffer,
        origin: &Indices,
        x: &Buffer,
        weight: &Buffer,
        columns: usize,
        width: usize,
        dx: Option<Gradient<'_>>,
        dw: Option<Gradient<'_>>,
    ) {
        let (dy, shape) = (dy.double(), (columns, width));
        if let Some(dx) = dx {
            input_gradient(dy, origin.host(), weight.double(), shape, sum_into(dx));
        }
        if let Some(dw) = dw {
            weight_gradient(dy, origin.host(), x.double(), shape, sum_into(dw));
        }
    }
}

/// `dy [n_nodes, columns]`, `weight [columns, width]` -> adds to `dx [n_entries, width]`.
pub fn input_gradient(
    dy: &[f64],
    origin: &[u32],
    weight: &[f64],
    (columns, width): (usize, usize),
    dx: &mut [f64],
) {
    for (at, (&dy, &entry)) in dy.iter().zip(origin).enumerate() {
        if entry != u32::MAX {
            for i in 0..width {
                dx[entry as usize * width + i] += dy * weight[at % columns * width + i];
            }
        }
    }
}

/// `dy [n_nodes, columns]`, `x [n_entries, width]` -> adds to `dw [columns, width]`.
pub fn weight_gradient(
    dy: &[f64],
    origin: &[u32],
    x: &[f64],
    (columns, width): (usize, usize),
    dw: &mut [f64],
) {
    for (at, (&dy, &entry)) in dy.iter().zip(origin).enumerate() {
        if entry != u32::MAX {
            for i in 0..width {
                dw[at % columns * width + i] += dy * x[entry as usize * width + i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_origin_of_a_maximum_has_a_gradient() {
        // one node with two entries, two columns, two inputs; the second is nowhere
        let (dy, origin) = ([3.0, 5.0, 7.0, 7.0], [1, 0, u32::MAX, u32::MAX]);
        let mut dx = [0.0; 4];
        input_gradient(&dy, &origin, &[1.0, 2.0, 10.0, 20.0], (2, 2), &mut dx);
        assert_eq!(dx, [50.0, 100.0, 3.0, 6.0]);
        let mut dw = [0.0; 4];
        weight_gradient(&dy, &origin, &[1.0, 2.0, 10.0, 20.0], (2, 2), &mut dw);
        assert_eq!(dw, [30.0, 60.0, 5.0, 10.0]);
    }
}
