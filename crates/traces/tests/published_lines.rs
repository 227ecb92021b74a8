//! A line we write for a recorded case is the line the case stands in: the same keys, inputs as
//! the model sees them, outputs and hints; numbers to 1e-12 relative.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Options, execute};
use salsa_traces::export::json_lines::{line, read_case};
use salsa_traces::sample::Sample;
use serde_json::Value;

#[test]
fn lines_are_those_of_the_recorded_cases() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut n_cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let lines = BufReader::new(GzDecoder::new(File::open(&path).unwrap())).lines();
        for (number, text) in (1..).zip(lines) {
            let text = text.unwrap();
            let expected: Value = serde_json::from_str(&text).unwrap();
            let found: Value = serde_json::from_slice(&written_again(&text, &expected)).unwrap();
            if let Err(place) = same(&found, &expected) {
                panic!("{}:{number}: {place}", path.display());
            }
            n_cases += 1;
        }
    }
    assert_eq!(n_cases, 6 * 75 + 3 * 35);
}

/// The line of an execution on the graph and inputs of a case.
fn written_again(text: &str, case: &Value) -> Vec<u8> {
    let algorithm = algorithms::find(case["algorithm"].as_str().unwrap()).unwrap();
    let hints = case["has_hints"].as_bool().unwrap();
    let case = read_case(text).unwrap();
    let options = Options { hints, convention: Convention::Release };
    let (inputs, trajectory) = execute(algorithm, &case.graph, case.inputs, options).unwrap();
    let sample = Sample { generator: case.generator, graph: case.graph, inputs, trajectory };
    line(&sample, case.note.as_deref())
}

/// Where two values differ, if they do.
fn same(found: &Value, expected: &Value) -> Result<(), String> {
    let at = |place: &dyn std::fmt::Display, result: Result<(), String>| {
        result.map_err(|inner| format!("{place} / {inner}"))
    };
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            if !found.keys().eq(expected.keys()) {
                return Err(format!("{:?}, expected {:?}", found.keys(), expected.keys()));
            }
            found.iter().try_for_each(|(key, value)| at(key, same(value, &expected[key])))
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            let mut both = found.iter().zip(expected).enumerate();
            both.try_for_each(|(place, (found, expected))| at(&place, same(found, expected)))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let close = (a - b).abs() <= 1e-12 * b.abs();
            if close { Ok(()) } else { Err(format!("{a}, expected {b}")) }
        }
        _ if found == expected => Ok(()),
        _ => Err(format!("{found}, expected {expected}")),
    }
}
