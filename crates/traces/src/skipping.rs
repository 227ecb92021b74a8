//! Random pairs of nodes, each with the same probability, without looking at every pair.
//!
//! The gap between two chosen pairs is geometric, so one draw skips a whole run of pairs that are
//! no edge and the cost is O(nodes + pairs chosen). Families differ only in which pairs they
//! consider, told as a row of candidates `u` for each `v`. Reference: Batagelj and Brandes,
//! Efficient generation of large random networks, Physical Review E 71, 2005.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use crate::random;

/// Above this probability, a coin for each pair is cheaper than a logarithm for each chosen one,
/// and there are at most 1 / `DENSE` times as many.
const DENSE: f64 = 0.125;

/// Adds each pair (u, v) with u in `row(v)` with probability `p`, for v = 0, 1, ..., `n_nodes` - 1.
pub fn random_pairs(
    n_nodes: usize,
    p: f64,
    row: impl Fn(u32) -> Range<u32>,
    rng: &mut ChaCha8Rng,
    edges: &mut Vec<(u32, u32)>,
) {
    if p <= 0.0 {
        return;
    }
    if p > DENSE {
        for v in 0..n_nodes as u32 {
            edges.extend(row(v).filter(|_| random::unit(rng) < p).map(|u| (u, v)));
        }
        return;
    }
    let scale = 1.0 / libm::log1p(-p);
    // The place of the next candidate in the row of v.
    let mut place = 0u64;
    let mut v = 0;
    let mut len = row(v).len() as u64;
    loop {
        // Beyond 2^63 pairs the walk has left every graph that fits in memory.
        place += (libm::log(random::unit(rng)) * scale) as i64 as u64;
        while place >= len {
            place -= len;
            v += 1;
            if v as usize >= n_nodes {
                return;
            }
            len = row(v).len() as u64;
        }
        edges.push((row(v).start + place as u32, v));
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_number_of_pairs_is_binomial() {
        let mut rng = random::stream([3; 32], 0);
        let (n_nodes, p, rounds) = (50, 0.1, 400);
        let mut edges = Vec::new();
        (0..rounds).for_each(|_| random_pairs(n_nodes, p, |v| 0..v, &mut rng, &mut edges));
        let expected = f64::from(rounds) * 1225.0 * p;
        let deviation = (expected * (1.0 - p)).sqrt();
        assert!((edges.len() as f64 - expected).abs() < 4.0 * deviation, "{}", edges.len());
    }

    #[test]
    fn every_pair_is_equally_likely() {
        let mut rng = random::stream([4; 32], 0);
        let mut counts = BTreeMap::new();
        for _ in 0..20_000 {
            let mut edges = Vec::new();
            random_pairs(6, 0.3, |v| 0..v, &mut rng, &mut edges);
            edges.into_iter().for_each(|pair| *counts.entry(pair).or_insert(0) += 1);
        }
        assert_eq!(counts.len(), 15);
        assert!(counts.values().all(|count| (5_700..6_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn probability_1_gives_every_pair_of_the_rows() {
        let mut edges = Vec::new();
        let mut rng = random::stream([5; 32], 0);
        random_pairs(5, 1.0, |v| v / 2..v, &mut rng, &mut edges);
        assert_eq!(edges, [(0, 1), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]);
    }
}
