//! The device that defines the answers: double precision, one plain loop after another.
//!
//! Nothing here is fast and nothing is clever, so that each operator can be checked by reading it.
//! The faster devices are compared with it. The functions in the files below work on slices, and
//! every gradient function adds to its gradient; that a gradient is written rather than added to
//! is settled here, once, by filling it with zeros first.

mod batch_norm;
#[cfg(test)]
mod close;
mod deferred;
mod edge_dot;
mod elementwise;
mod gather_max;
mod gru;
mod layer_norm;
mod layout;
mod linear;
mod linear_max;
mod log_softmax;
mod losses;
mod memory;
mod messages;
mod optimiser;
mod segments;
#[cfg(test)]
mod slopes;

use crate::buffer::Indices;
use crate::device::Gradient;
pub(crate) use optimiser::clipping;

/// The reference device; see the [module](self).
#[derive(Debug, Clone, Copy, Default)]
pub struct Reference;

/// The values of a gradient to add to: zeros, unless something is there already.
fn sum_into(gradient: Gradient<'_>) -> &mut [f64] {
    let values = gradient.buffer.double_mut();
    if !gradient.add {
        values.fill(0.0);
    }
    values
}

/// Indices made to hold `len`, none of them set.
fn resized(indices: &mut Indices, len: usize) -> &mut [u32] {
    indices.values.clear();
    indices.values.resize(len, u32::MAX);
    &mut indices.values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use crate::device::{Elementwise, Memory, Reduction, SegmentReductions};
    use crate::graph::Segments;

    #[test]
    fn a_gradient_replaces_or_adds() {
        let from = Buffer::Double(vec![1.0, 2.0]);
        let mut to = Buffer::Double(vec![f64::NAN, 7.0]);
        Reference.copy(&from, Gradient { buffer: &mut to, add: false });
        assert_eq!(Reference.values(&to), [1.0, 2.0]);
        Reference.scale(&from, 10.0, Gradient { buffer: &mut to, add: true });
        assert_eq!(Reference.values(&to), [11.0, 22.0]);
    }

    #[test]
    fn values_go_to_the_host_and_back() {
        let mut buffer = Reference.zeros(2);
        Reference.write(&[1.5, -2.0], &mut buffer);
        let mut host = [0.0; 2];
        Reference.read(&buffer, &mut host);
        assert_eq!(host, [1.5, -2.0]);
        Reference.fill(&mut buffer, 3.0);
        assert_eq!(Reference.values(&buffer), [3.0, 3.0]);
    }

    #[test]
    fn the_gradient_of_a_scaled_sum_is_scaled() {
        let (scale, dy) = (Buffer::Double(vec![0.5]), Buffer::Double(vec![2.0, 4.0]));
        let mut da = Buffer::Double(vec![9.0; 2]);
        Reference.scaled_sum_gradient(&scale, &dy, Gradient { buffer: &mut da, add: false });
        assert_eq!(Reference.values(&da), [3.0, 6.0]);
    }

    #[test]
    fn an_origin_is_made_to_fit() {
        let x = Buffer::Double(vec![1.0, 2.0, 3.0, 1.0]);
        let (mut out, mut origin) = (Reference.zeros(2), Indices::default());
        let segments = Segments::Every(2);
        let origin_of = Some(&mut origin);
        Reference.segment_reduce(Reduction::Max, &x, &segments, 4, 1, &mut out, origin_of);
        assert_eq!(origin.host(), [1, 2]);
    }
}
