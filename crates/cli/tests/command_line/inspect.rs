//! One sample as tables, and the same sample whichever way it comes.

use insta::assert_snapshot;

use crate::salsa::{folder, printed, salsa};

const BENCHMARK: [&str; 6] = ["bfs", "dfs", "dijkstra", "mst", "mis", "eccentricity"];

/// The formats that samples are read from.
const FORMATS: [&str; 5] = ["arrow", "parquet", "npz", "jsonl", "bin"];

#[test]
fn a_sample_of_every_algorithm_of_the_benchmark() {
    let at = folder();
    for algorithm in BENCHMARK {
        let words = format!("inspect --algorithm {algorithm} --generator er --nodes 5");
        assert_snapshot!(format!("inspect_{algorithm}"), printed(at.path(), &words));
    }
}

#[test]
fn features_of_edges_and_the_graph() {
    let at = folder();
    for algorithm in ["bridges", "k_core"] {
        let words = format!("inspect --algorithm {algorithm} --generator tree --nodes 4");
        assert_snapshot!(format!("inspect_{algorithm}"), printed(at.path(), &words));
    }
}

#[test]
fn a_large_sample_is_cut() {
    let at = folder();
    let words = "inspect --algorithm dfs --generator star --nodes 40 --lines 5";
    assert_snapshot!(printed(at.path(), words));
}

#[test]
fn a_sample_in_a_file_is_the_sample_of_the_suite() {
    let at = folder();
    for algorithm in BENCHMARK {
        for format in FORMATS {
            let made = format!("-a {algorithm} --split ws_16 --hints --samples 3");
            printed(at.path(), &format!("generate {made} --file-format {format} --out ."));
            let file = format!("paper-{algorithm}-ws_16.{format}");
            for output in ["text", "json"] {
                let inspect = format!("inspect -a {algorithm} --index 2 --format {output}");
                let from_file = printed(at.path(), &format!("{inspect} --file {file}"));
                let from_suite = printed(at.path(), &format!("{inspect} --split ws_16"));
                assert_eq!(from_file, from_suite, "{file} as {output}");
            }
        }
    }
}

#[test]
fn a_line_without_hints_and_without_a_manifest_says_so() {
    let at = folder();
    printed(at.path(), "generate -a bfs --samples 1 --out . --file-format jsonl");
    std::fs::remove_file(at.path().join("paper-bfs-train.jsonl.manifest.json")).unwrap();
    let text = printed(at.path(), "inspect -a bfs --file paper-bfs-train.jsonl");
    assert!(text.contains("\nSteps\nhints were not recorded\n"), "{text}");
}

#[test]
fn hints_that_were_left_out_are_made_again() {
    let at = folder();
    let from_suite = printed(at.path(), "inspect -a dfs --index 2");
    for format in FORMATS {
        printed(at.path(), &format!("generate -a dfs --samples 3 --out . --file-format {format}"));
        let file = format!("paper-dfs-train.{format}");
        let shard = format!("{file}/00000.{format}");
        for file in [&file, &shard].into_iter().filter(|file| at.path().join(file).exists()) {
            let from_file = printed(at.path(), &format!("inspect -a dfs --index 2 --file {file}"));
            assert_eq!(from_file, from_suite, "{file}");
        }
    }
}

#[test]
fn samples_that_a_file_does_not_hold_are_told() {
    let at = folder();
    for format in FORMATS {
        printed(at.path(), &format!("generate -a bfs --samples 2 --out . --file-format {format}"));
        let file = format!("paper-bfs-train.{format}");
        let run = salsa(at.path(), &format!("inspect -a bfs --index 2 --file {file}"));
        assert_eq!(run.code, Some(2));
        assert_eq!(run.err, format!("error: {file}: there is no sample 2\n"));
    }
    let run = salsa(at.path(), "inspect -a dfs --file paper-bfs-train.bin");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "error: paper-bfs-train.bin: sample 0 is of bfs, not of dfs\n");
}
