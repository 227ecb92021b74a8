//! The order of training samples: a pure function of the run's seed and the epoch.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_traces::random;

/// A permutation of `0..n_samples`.
pub fn shuffled(seed: u64, epoch: u64, n_samples: u64) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Stream 0 gives the first values of parameters.
    rng.set_stream(epoch + 1);
    let mut order: Vec<u32> = (0..n_samples as u32).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random::below(&mut rng, i as u32 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_permutation_that_changes_with_seed_and_epoch() {
        let first = shuffled(42, 0, 1000);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<_>>());
        assert_eq!(first, shuffled(42, 0, 1000));
        assert_ne!(first, shuffled(42, 1, 1000));
        assert_ne!(first, shuffled(43, 0, 1000));
    }
}
