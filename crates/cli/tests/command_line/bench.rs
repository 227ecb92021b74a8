//! `salsa bench train` and `bench infer`: short measurements, what they print, what they export.

use insta::assert_snapshot;
use serde_json::Value;

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{folder, names, printed};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_training_step_is_measured() {
    let at = folder();
    let words = "bench train -a bfs -m gin --hints yes --batches 2 --seconds 0.01 -j 1";
    let steps = json(&printed(at.path(), &format!("{words} --format json")));
    let step = &steps[0];
    assert_eq!((&step["algorithm"], &step["model"]), (&"bfs".into(), &"gin".into()));
    assert_eq!((&step["hints"], &step["threads"]), (&true.into(), &1.into()));
    let number = |name: &str| step[name].as_f64().unwrap();
    assert!(number("steps") >= 2.0 && number("gflop") > 0.01, "{step}");
    assert!(number("median_ms") > 0.0 && number("share_of_peak") > 0.0, "{step}");
    assert_eq!(number("share_of_peak"), number("gflop_per_s") / number("peak_gflop_per_s"));
}

#[test]
fn a_saved_training_step_is_shown() {
    let at = folder();
    let saved = r#"[{"algorithm": "dfs", "model": "pgn", "hints": true, "threads": 2, "batches": 8,
        "steps": 40, "median_ms": 51.25, "mean_ms": 52.5, "steps_per_s": 19.05, "gflop": 10.25,
        "gflop_per_s": 200.0, "peak_gflop_per_s": 250.0, "share_of_peak": 0.8,
        "peak_bytes": 123456789}]"#;
    std::fs::write(at.path().join("steps.json"), saved).unwrap();
    assert_snapshot!("bench_train", printed(at.path(), "bench train --from steps.json"));
}

#[test]
fn steps_side_by_side_are_measured() {
    let at = folder();
    let words = "bench train -a bfs -m gin --hints no --batches 1 --seconds 0.01 -j 2";
    let steps = json(&printed(at.path(), &format!("{words} --side-by-side 3 --format json")));
    let together = &steps[0]["side_by_side"];
    assert_eq!(together["runs"], 3);
    let (ms, rate) = (together["ms"].as_f64().unwrap(), together["steps_per_s"].as_f64().unwrap());
    assert!(ms > 0.0 && (ms * rate - 3000.0).abs() < 1e-6, "{together}");
    std::fs::write(at.path().join("steps.json"), steps.to_string()).unwrap();
    let table = printed(at.path(), "bench train --from steps.json");
    assert!(table.lines().next().unwrap().ends_with("  3 at once ms"), "{table}");
}

#[test]
fn batches_are_exported_under_the_published_names() {
    let at = folder();
    let words = "bench train -a dijkstra,mis -m gin --batches 1 --export batches";
    assert_eq!(printed(at.path(), words).lines().count(), 4);
    let expected =
        ["dijkstra-gine-0", "dijkstra-gine-hints-0", "fast_mis-gin-0", "fast_mis-gin-hints-0"];
    let expected = expected.map(|name| format!("{name}.safetensors"));
    assert_eq!(names(&at.path().join("batches")), expected);
    let first = std::fs::read(at.path().join("batches").join(&expected[0])).unwrap();
    printed(at.path(), words);
    assert_eq!(std::fs::read(at.path().join("batches").join(&expected[0])).unwrap(), first);
    let file = "batches/dijkstra-gine-0.safetensors";
    let line = format!("{file}: no results are in it to compare");
    mistake_at(at.path(), &format!("dev parity {file}"), &line);
}

#[test]
fn inference_is_measured_and_plotted() {
    let at = folder();
    let words = "bench infer --nodes 64,128 --model pgn,gin -j 1 --plots plots --format json";
    let cells = json(&printed(at.path(), words));
    assert_eq!(cells.as_array().unwrap().len(), 4);
    let cell = &cells[1];
    assert_eq!((&cell["model"], &cell["nodes"]), (&"pgn".into(), &128.into()));
    let number = |name: &str| cell[name].as_f64().unwrap();
    assert_eq!(number("entries"), number("nodes") + 2.0 * number("edges"));
    assert!(number("seconds") > 0.0 && number("steps") >= 2.0, "{cell}");
    for name in names(&at.path().join("plots")) {
        let svg = std::fs::read_to_string(at.path().join("plots").join(&name)).unwrap();
        assert_eq!(svg.matches("<polyline").count(), 2, "{name}");
    }
}

#[test]
fn inference_on_a_batch_is_measured() {
    let at = folder();
    let cells = json(&printed(at.path(), "bench infer --nodes 16 --batch 3 -j 1 --format json"));
    assert_eq!((&cells[0]["graphs"], &cells[0]["nodes"]), (&3.into(), &48.into()));
}

#[test]
fn a_saved_inference_is_shown() {
    let at = folder();
    let saved = r#"[{"algorithm": "bfs", "model": "pgn", "threads": 2, "nodes": 1024, "edges": 5000,
        "entries": 11024, "steps": 5, "seconds": 0.0125, "ns": 226.8, "peak_bytes": 33554432}]"#;
    std::fs::write(at.path().join("cells.json"), saved).unwrap();
    assert_snapshot!("bench_infer", printed(at.path(), "bench infer --from cells.json"));
}

#[test]
fn what_cannot_be_measured_is_told() {
    mistake("bench train --batches 0", "--batches: expected at least 1, found 0");
    mistake(
        "bench train --seconds -1",
        "--seconds: cannot convert float seconds to Duration: value is negative",
    );
    mistake(
        "bench train -m png",
        "no model is called png, did you mean \"pgn\"?; there are gin, pgn, recgnn",
    );
    mistake(
        "bench infer -m png --nodes 16",
        "no model is called png, did you mean \"pgn\"?; there are gin, pgn, recgnn",
    );
    mistake("bench train --side-by-side 0", "--side-by-side: expected at least 1, found 0");
    mistake("bench infer --batch 0", "--batch: expected at least 1, found 0");
    mistake("bench infer --nodes 1", "--nodes: expected at least 2, found 1");
}
