//! Recorded executions of the published code, through the command line: whole JSON objects.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::salsa::{folder, repository, salsa, salsa_with_input};

const FILES: [(&str, &str); 9] = [
    ("bfs", "bfs"),
    ("dfs", "dfs"),
    ("dijkstra", "dijkstra"),
    ("mst", "mst_prim"),
    ("mis", "fast_mis"),
    ("eccentricity", "eccentricity"),
    ("dijkstra", "ties_dijkstra"),
    ("mst_prim", "ties_mst_prim"),
    ("fast_mis", "ties_fast_mis"),
];

#[test]
fn every_recorded_case_comes_back_whole() {
    for (algorithm, file) in FILES {
        let path = repository("crates/traces/tests/conformance").join(format!("{file}.jsonl.gz"));
        let words =
            format!("execute --algorithm {algorithm} --convention release {}", path.display());
        let run = salsa(folder().path(), &words);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{file}");
        compare(file, &unpacked(&path), &run.out);
    }
}

#[test]
fn cases_come_from_the_standard_input_too() {
    let path = repository("crates/traces/tests/conformance/ties_fast_mis.jsonl.gz");
    let recorded = unpacked(&path);
    for words in ["execute -a mis --convention release", "execute -a mis --convention release -"] {
        let run = salsa_with_input(folder().path(), words, recorded.as_bytes());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        compare("<stdin>", &recorded, &run.out);
    }
}

#[test]
fn without_hints_the_rest_is_the_same() {
    let path = repository("crates/traces/tests/conformance/ties_dijkstra.jsonl.gz");
    let words =
        format!("execute --algorithm dijkstra --convention release --no-hints {}", path.display());
    let run = salsa(folder().path(), &words);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let without = |line: &str| {
        let mut case = parsed(line);
        case["has_hints"] = false.into();
        case["hints"] = serde_json::json!({});
        case.to_string()
    };
    let recorded: Vec<String> = unpacked(&path).lines().map(without).collect();
    compare("ties_dijkstra", &recorded.join("\n"), &run.out);
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

fn compare(file: &str, recorded: &str, found: &str) {
    let counts = (recorded.lines().count(), found.lines().count());
    assert!(counts.0 > 0 && counts.0 == counts.1, "{file}: {counts:?} lines");
    for (line, (recorded, found)) in recorded.lines().zip(found.lines()).enumerate() {
        agree(&format!("{file}:{}", line + 1), &parsed(recorded), &parsed(found));
    }
}

/// Equal, but for the last digits of real numbers.
fn agree(place: &str, recorded: &Value, found: &Value) {
    match (recorded, found) {
        (Value::Object(recorded), Value::Object(found)) => {
            let keys = |object: &serde_json::Map<String, Value>| {
                let mut keys: Vec<String> = object.keys().cloned().collect();
                keys.sort();
                keys
            };
            assert_eq!(keys(recorded), keys(found), "{place}");
            for (key, value) in recorded {
                agree(&format!("{place}.{key}"), value, &found[key]);
            }
        }
        (Value::Array(recorded), Value::Array(found)) => {
            assert_eq!(recorded.len(), found.len(), "{place}");
            for (index, (recorded, found)) in recorded.iter().zip(found).enumerate() {
                agree(&format!("{place}[{index}]"), recorded, found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-12 * a.abs().max(b.abs()), "{place}: {a} and {b}");
        }
        _ => assert_eq!(recorded, found, "{place}"),
    }
}
