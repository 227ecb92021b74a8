//! Uniform draws whose values are part of the data format.
//!
//! Sample *i* must have the same bytes on every machine and in every later version, so nothing
//! here leans on a distribution of another crate, whose values may change between releases. The
//! only source is ChaCha8, which is portable and specified; each sample has a stream of its own.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The generator of stream `stream` under a 32-byte key.
pub fn stream(key: [u8; 32], stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    rng
}

/// Uniform in the open interval (0, 1), with 53 random bits.
pub fn unit(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
}

/// Uniform in the open interval (`low`, `high`).
pub fn between(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * unit(rng)
}

/// Uniform over 0, 1, ..., `bound` - 1, without bias (Lemire's multiplication with rejection).
///
/// # Panics
/// If `bound` is 0.
pub fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    assert!(bound > 0, "no number is below 0");
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= threshold {
            return (product >> 32) as u32;
        }
    }
}

/// A uniform point of the unit square: x is drawn, then y.
pub fn point(rng: &mut ChaCha8Rng) -> [f64; 2] {
    let x = unit(rng);
    [x, unit(rng)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_stream_are_stable() {
        let mut rng = stream([7; 32], 3);
        let values = [below(&mut rng, 1000), below(&mut rng, 1000), below(&mut rng, 1000)];
        assert_eq!(values, [905, 126, 985]);
        assert_eq!(unit(&mut rng), 0.9380215698498047);
    }

    #[test]
    fn below_reaches_every_value_about_equally() {
        let mut rng = stream([1; 32], 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[below(&mut rng, 7) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_500..10_500).contains(&count)), "{counts:?}");
    }
}
