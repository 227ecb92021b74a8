//! Value stability: what a seed gives is part of the data format.
//!
//! `stability/hashes.txt` pins the hashes of the first samples of every split of the built-in
//! suites, a line each: suite, algorithm, split, index, content hash, hints hash. A change to the
//! samples is a new version of a suite; to pin it, run this test with SALSA_UPDATE_HASHES=1, which
//! rewrites the file, and commit the difference.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;
use salsa_traces::algorithms::{self, Algorithm, benchmark};
use salsa_traces::hash::{ContentHash, hash_of_hashes};
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::{Split, Suite};

/// One sample to pin.
struct Pin {
    suite: &'static str,
    algorithm: &'static dyn Algorithm,
    split: String,
    index: u64,
}

#[test]
fn samples_are_those_of_the_committed_hashes() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/stability/hashes.txt");
    let mut found: Vec<String> = pins().par_iter().map(line_of).collect();
    found.sort();
    if std::env::var_os("SALSA_UPDATE_HASHES").is_some() {
        fs::write(&path, found.join("\n") + "\n").unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap();
    let committed: Vec<&str> = committed.lines().collect();
    for (number, (committed, found)) in (1..).zip(committed.iter().zip(&found)) {
        let place = path.display();
        assert_eq!(committed, found, "{place}:{number} differs; see the head of stability.rs");
    }
    assert_eq!(committed.len(), found.len(), "number of lines in {}", path.display());
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    for &algorithm in benchmark() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                whole((0..200u64).into_par_iter().map(|index| train(algorithm, index)).collect())
            })
        };
        assert_eq!(with(1), with(4), "{}", algorithm.spec().algorithm);
    }
}

#[test]
fn samples_do_not_depend_on_the_order_they_are_made_in() {
    for &algorithm in benchmark() {
        let forwards: Vec<Sample> = (0..200).map(|index| train(algorithm, index)).collect();
        let mut backwards: Vec<Sample> =
            (0..200).rev().map(|index| train(algorithm, index)).collect();
        backwards.reverse();
        assert_eq!(whole(backwards), whole(forwards), "{}", algorithm.spec().algorithm);
    }
}

#[test]
fn samples_differ_by_index_split_seed_suite_and_algorithm() {
    let [bfs, dijkstra] = ["bfs", "dijkstra"].map(|name| algorithms::find(name).unwrap());
    let of = |suite, seed, algorithm, split, index| {
        let suite = Suite::named(suite).unwrap();
        let sampler = Sampler::new(&suite, seed, algorithm, split).unwrap();
        sampler.problem(index).unwrap().0.edges().collect::<Vec<_>>()
    };
    let first = of("paper", 0, bfs, "er_80", 0);
    assert_eq!(of("paper", 0, bfs, "er_80", 0), first);
    assert_ne!(of("paper", 0, bfs, "er_80", 1), first);
    assert_ne!(of("paper", 0, bfs, "er_160", 0), first);
    assert_ne!(of("paper", 1, bfs, "er_80", 0), first);
    assert_ne!(of("release", 0, bfs, "er_80", 0), first);
    assert_ne!(of("paper", 0, dijkstra, "er_80", 0), first);
}

/// The first two samples of every split of the benchmark, one where graphs are large, and three
/// of the suite `large`.
fn pins() -> Vec<Pin> {
    let mut pins = Vec::new();
    for suite in ["paper", "release"] {
        for &algorithm in benchmark() {
            for Split { name, graphs, .. } in Suite::named(suite).unwrap().splits {
                let samples = if graphs.nodes.max() < 800 { 2 } else { 1 };
                let pin = |index| Pin { suite, algorithm, split: name.clone(), index };
                pins.extend((0..samples).map(pin));
            }
        }
    }
    let bfs = algorithms::find("bfs").unwrap();
    let large = ["er_10000", "ws_10000", "delaunay_10000"].map(str::to_owned);
    pins.extend(large.map(|split| Pin { suite: "large", algorithm: bfs, split, index: 0 }));
    pins
}

fn line_of(pin: &Pin) -> String {
    let Pin { suite, algorithm, split, index } = pin;
    let sample = sample(suite, *algorithm, split, *index);
    let (content, hints) = (sample.content_hash(), sample.hints_hash().unwrap());
    format!("{suite} {} {split} {index} {content} {hints}", algorithm.spec().algorithm)
}

fn train(algorithm: &dyn Algorithm, index: u64) -> Sample {
    sample("paper", algorithm, "train", index)
}

fn sample(suite: &str, algorithm: &dyn Algorithm, split: &str, index: u64) -> Sample {
    let suite = Suite::named(suite).unwrap();
    Sampler::new(&suite, suite.seed, algorithm, split).unwrap().sample(index, true).unwrap()
}

/// The hash of all contents and hints.
fn whole(samples: Vec<Sample>) -> ContentHash {
    let hashes = samples.iter().flat_map(|s| [s.content_hash(), s.hints_hash().unwrap()]);
    hash_of_hashes(hashes)
}
