//! `salsa bench scaling`: short measurements, and how a saved one is shown.

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{folder, names, printed, run, salsa};

/// GIN on a CPU and on a GPU, both ways, and a model that is not in the paper's figure.
const SAVED: &str = r#"[
    {"algorithm": "bfs", "model": "gin", "work": "inference", "threads": 2, "device": "cpu",
     "graphs": 1, "nodes": 512, "edges": 1689, "entries": 3890, "steps": 6, "seconds": 0.0075,
     "ns": 321.3, "peak_bytes": 33554432, "added_bytes": 13107200},
    {"algorithm": "bfs", "model": "gin", "work": "inference", "threads": 2, "device": "cpu",
     "graphs": 1, "nodes": 1024, "edges": 3666, "entries": 8356, "steps": 6, "seconds": 0.0145,
     "ns": 289.2, "peak_bytes": 45613056, "added_bytes": 21299200},
    {"algorithm": "bfs", "model": "gin", "work": "training", "threads": 1, "device": "NVIDIA H200",
     "precision": "tf32", "graphs": 1, "nodes": 1024, "edges": 3666, "entries": 8356, "steps": 6,
     "seconds": 0.00125, "ns": 24.9, "peak_bytes": 245613056, "added_bytes": 121299200,
     "device_bytes": 134217728},
    {"algorithm": "bfs", "model": "pgn", "work": "inference", "threads": 2, "device": "cpu",
     "graphs": 1, "nodes": 1024, "edges": 3666, "entries": 8356, "steps": 6, "seconds": 0.0265,
     "ns": 528.6, "peak_bytes": 57881395}
]"#;

fn saved(at: &Path, words: &str) -> String {
    std::fs::write(at.join("cells.json"), SAVED).unwrap();
    printed(at, &format!("bench scaling --from cells.json {words}"))
}

#[test]
fn inference_and_training_are_measured() {
    let at = folder();
    let words = "bench scaling --nodes 256,2048 --training -j 1 --format json";
    let cells: Value = serde_json::from_str(&printed(at.path(), words)).unwrap();
    let cells = cells.as_array().unwrap();
    let kind = |cell: &Value| (cell["work"].to_string(), cell["nodes"].as_u64().unwrap());
    let kinds: Vec<(String, u64)> = cells.iter().map(kind).collect();
    let [inference, training] = ["\"inference\"", "\"training\""].map(str::to_owned);
    let expected = [(&inference, 256), (&inference, 2048), (&training, 256), (&training, 2048)];
    assert_eq!(kinds, expected.map(|(work, nodes)| (work.clone(), nodes)));
    let number = |place: usize, name: &str| cells[place][name].as_f64().unwrap();
    assert!(number(3, "seconds") > number(1, "seconds"), "{cells:?}");
    if !cfg!(target_os = "linux") {
        return;
    }
    // Hidden states of 2048 nodes alone are 1 MiB; a way back needs those of all steps.
    assert!(number(1, "added_bytes") > 1_048_576.0, "{cells:?}");
    assert!(number(3, "added_bytes") > 2.0 * number(1, "added_bytes"), "{cells:?}");
    assert!(number(1, "added_bytes") < number(1, "peak_bytes"), "{cells:?}");
}

#[test]
fn a_saved_measurement_is_shown() {
    let at = folder();
    assert_snapshot!("text", saved(at.path(), ""));
    assert_snapshot!("csv", saved(at.path(), "--format csv"));
    let again: Value = serde_json::from_str(&saved(at.path(), "--format json")).unwrap();
    assert_eq!(again, serde_json::from_str::<Value>(SAVED).unwrap());
}

#[test]
fn published_figures_are_points_beside_the_lines() {
    let at = folder();
    saved(at.path(), "--plots plots");
    let plots = at.path().join("plots");
    assert_eq!(names(&plots), ["memory.png", "memory.svg", "time.png", "time.svg"]);
    let svg = |name: &str| std::fs::read_to_string(plots.join(name)).unwrap();
    let (memory, time) = (svg("memory.svg"), svg("time.svg"));
    // Three lines, and four points each for GIN without and with gradients.
    assert_eq!((memory.matches("<polyline").count(), time.matches("<polyline").count()), (3, 3));
    assert_eq!(memory.matches("fill=\"#ffffff\" stroke").count(), 8);
    assert!(memory.contains("published gin, H200 (quoted)"), "{memory}");
    assert!(!time.contains("quoted"), "{time}");
}

#[test]
fn a_plot_without_a_place_does_not_cost_the_measurement() {
    let at = folder();
    let expected = saved(at.path(), "--format csv");
    let words = "bench scaling --from cells.json --format csv --plots cells.json";
    let run = salsa(at.path(), words);
    assert_eq!((run.out, run.code), (expected, Some(2)));
    assert!(run.err.starts_with("error: cells.json/memory.svg: "), "{}", run.err);
}

#[test]
fn what_cannot_be_measured_is_told() {
    mistake("bench scaling --nodes 16,1", "--nodes: expected at least 2, found 1");
    mistake(
        "bench scaling -m png --nodes 16",
        "no model is called png, did you mean \"pgn\"?; there are gin, pgn, recgnn",
    );
    let at = folder();
    std::fs::write(at.path().join("cells.json"), "[{}]").unwrap();
    let line = "cells.json: missing field `algorithm` at line 1 column 3";
    mistake_at(at.path(), "bench scaling --from cells.json", line);
}

#[test]
#[cfg(target_os = "linux")]
fn a_graph_that_memory_is_too_small_for_ends_its_line_only() {
    let at = folder();
    let limited =
        "ulimit -v 400000 && exec \"$0\" bench scaling --nodes 16,262144,32 -j 1 --format csv";
    let salsa = env!("CARGO_BIN_EXE_salsa");
    let run = run(Command::new("sh").current_dir(at.path()).args(["-c", limited, salsa]));
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 2), "{}", run.err);
    assert!(run.err.starts_with("inference with gin on 262144 nodes, cpu: "), "{}", run.err);
    assert!(run.err.ends_with(" (this size and those after it are left out)\n"), "{}", run.err);
}
