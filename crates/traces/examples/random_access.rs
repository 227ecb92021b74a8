//! How many samples a second come out of a data set in random order.
//!
//! `cargo run --release -p salsa-traces --example random_access -- data/paper-bfs-train.arrow`
//!
//! The first round touches record batches for the first time and checks their checksums; later
//! rounds read what is checked. One thread.

#![expect(clippy::unwrap_used, reason = "an example may panic")]

use std::path::PathBuf;
use std::time::Instant;

use rand_core::SeedableRng;
use salsa_traces::dataset::StoredSplit;
use salsa_traces::random;

/// Samples a round.
const READ: u64 = 20_000;

fn main() {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    assert!(!paths.is_empty(), "usage: random_access DATA_SET...");
    for path in paths {
        let start = Instant::now();
        let stored = StoredSplit::open(&path).unwrap();
        let opened = start.elapsed();
        println!("{}: {} samples, opened in {opened:.2?}", path.display(), stored.len());
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for (round, hints) in [("first", false), ("again", false), ("with hints", true)] {
            let start = Instant::now();
            let mut n_nodes = 0;
            for _ in 0..READ {
                let index = random::below(&mut rng, stored.len() as u32).into();
                n_nodes += stored.sample(index, hints).unwrap().graph.n_nodes();
            }
            let rate = READ as f64 / start.elapsed().as_secs_f64();
            println!("  {round}: {rate:.0} samples/s, {} nodes each", n_nodes / READ as usize);
        }
    }
}
