//! Every recorded case of the published code, through the library: integers and masks exactly,
//! numbers to 1e-12 relative.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Options, execute};
use salsa_traces::export::json_lines::{read_case, read_sample};
use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Values;

/// Runs all cases of a file and gives their number.
fn check(file: &str, algorithm: &str) -> usize {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(file);
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    let algorithm = algorithms::find(algorithm).unwrap();
    let options = Options { hints: true, convention: Convention::Release };
    let mut n_cases = 0;
    for (line, text) in lines.enumerate() {
        let text = text.unwrap();
        let case = read_case(&text).unwrap();
        let (inputs, trajectory) = execute(algorithm, &case.graph, case.inputs, options).unwrap();
        let generator = case.generator;
        let ours = Sample { generator, graph: case.graph, inputs, trajectory };
        let theirs = read_sample(&text, algorithm.spec()).unwrap();
        compare(&format!("{file}:{}", line + 1), &ours, &theirs);
        n_cases += 1;
    }
    n_cases
}

fn compare(place: &str, ours: &Sample, theirs: &Sample) {
    assert_eq!(ours.graph, theirs.graph, "{place}");
    assert_eq!(ours.inputs, theirs.inputs, "{place}");
    let (ours, theirs) = (&ours.trajectory, &theirs.trajectory);
    assert_eq!(ours.length, theirs.length, "{place}: length");
    for (field, (a, b)) in ours.spec.outputs().zip(ours.outputs.iter().zip(&theirs.outputs)) {
        assert!(agree(a, b), "{place}: output {}: {a:?}, expected {b:?}", field.name);
    }
    for field in ours.spec.hints() {
        let (a, b) = (ours.hint(&field.name).unwrap(), theirs.hint(&field.name).unwrap());
        for (step, (a, b)) in a.all().iter().zip(b.all()).enumerate() {
            assert!(agree(a, &b), "{place}: {} at step {step}: {a:?}, expected {b:?}", field.name);
        }
    }
}

fn agree(ours: &Values, theirs: &Values) -> bool {
    match (ours, theirs) {
        (Values::Scalar(ours), Values::Scalar(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs())
        }
        _ => ours == theirs,
    }
}

#[test]
fn bfs_agrees() {
    assert_eq!(check("bfs.jsonl.gz", "bfs"), 75);
}

#[test]
fn dfs_agrees() {
    assert_eq!(check("dfs.jsonl.gz", "dfs"), 75);
}

#[test]
fn dijkstra_agrees() {
    assert_eq!(check("dijkstra.jsonl.gz", "dijkstra"), 75);
    assert_eq!(check("ties_dijkstra.jsonl.gz", "dijkstra"), 35);
}

#[test]
fn mst_agrees() {
    assert_eq!(check("mst_prim.jsonl.gz", "mst_prim"), 75);
    assert_eq!(check("ties_mst_prim.jsonl.gz", "mst"), 35);
}

#[test]
fn mis_agrees() {
    assert_eq!(check("fast_mis.jsonl.gz", "fast_mis"), 75);
    assert_eq!(check("ties_fast_mis.jsonl.gz", "mis"), 35);
}

#[test]
fn eccentricity_agrees() {
    assert_eq!(check("eccentricity.jsonl.gz", "eccentricity"), 75);
}
