//! Training, and what a trained model is asked: `train`, `evaluate`, `predict`.
//!
//! The models here are tiny and hardly trained. Their numbers may differ between machines in the
//! last digit, and an answer with them, so tables are compared without their figures.

use std::path::Path;

use insta::{Settings, assert_snapshot};
use serde_json::{Value, json};

use crate::mistakes::mistake_at;
use crate::salsa::{command, folder, names, printed, salsa, succeeds};

/// A folder with a training of `algorithm` in `run`.
fn trained(algorithm: &str) -> tempfile::TempDir {
    let at = folder();
    let run = salsa(
        at.path(),
        &format!(
            "train --algorithm {algorithm} --hidden 8 --epochs 1 --out run \
             --set training.train_samples=16 --set training.validation_samples=8"
        ),
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    at
}

/// Figures of tables and what their width decides.
pub fn without_figures() -> Settings {
    let mut settings = Settings::clone_current();
    settings.add_filter(r"[0-9.]+ ± [0-9.]+|nan ± nan", "[figure]");
    // One graph has no interval.
    settings.add_filter(r"(\n\S+(?: +[0-9]+)? +1 ) +[0-9.]+ +[0-9.]+ +[0-9.]+", "$1 [figures]");
    settings.add_filter(r"best epoch [0-9]+ with validation loss [0-9.]+", "best epoch [figure]");
    settings.add_filter(r"because of: .*", "because of: [reasons]");
    settings.add_filter(r"-{9,}", "[rule]");
    settings.add_filter(r" {2,}", "  ");
    settings
}

fn json_of(at: &Path, words: &str) -> Value {
    serde_json::from_str(&printed(at, words)).unwrap()
}

fn lines_of(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn evaluate_for_people() {
    let at = trained("bfs");
    let table = |name: &str, words: &str| {
        let printed = printed(at.path(), &format!("evaluate run --samples 16 {words}"));
        without_figures().bind(|| assert_snapshot!(name, printed));
    };
    table("evaluate", "--split er_16,ws_80");
    table("evaluate_by_size", "--split val,er_16 --by size");
    table("evaluate_by_family", "--split val,ws_16 --by family --steps 7");
    table("evaluate_another_suite", "--split val --suite release --data-seed 9");
}

#[test]
fn every_algorithm_has_columns_of_its_own() {
    for algorithm in ["mis", "eccentricity", "bridges"] {
        let at = trained(algorithm);
        let printed = printed(at.path(), "evaluate run --split er_16 --samples 4");
        without_figures().bind(|| assert_snapshot!(format!("columns_{algorithm}"), printed));
    }
}

#[test]
fn evaluate_for_programs_says_what_was_evaluated() {
    let at = trained("bfs");
    let words = "evaluate run --split val,er_16 --samples 20 --steps auto --format json";
    let record = json_of(at.path(), words);
    let trained = &record["trained"];
    assert_eq!((&trained["epochs"], &trained["steps"]), (&json!(1), &json!(2)));
    assert_eq!(record["run"]["algorithm"], "bfs");
    assert_eq!(
        record["data"],
        json!({"from": "suite", "name": "paper", "version": 1, "convention": "paper", "seed": 0})
    );
    assert_eq!(record["steps"], "auto");
    let val = &record["splits"][0];
    assert_eq!((&val["split"], &val["graphs"]), (&json!("val"), &json!(20)));
    let sizes = val["by_size"].as_object().unwrap().values();
    assert_eq!(sizes.map(|part| part["graphs"].as_u64().unwrap()).sum::<u64>(), 20);
    let accuracy = val["metrics"]["node_accuracy"]["mean"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&accuracy));
    for jobs in 1..=3 {
        assert_eq!(json_of(at.path(), &format!("{words} -j{jobs}")), record);
    }
    assert_eq!(json_of(at.path(), &words.replace(" run ", " run/best.safetensors ")), record);
}

#[test]
fn predictions_are_those_that_are_evaluated() {
    let at = trained("bfs");
    let words = "run --split er_16,val --samples 9";
    let text = printed(at.path(), &format!("predict {words}"));
    let lines = lines_of(&text);
    assert_eq!(lines.len(), 18);
    for (place, line) in lines.iter().enumerate() {
        let split = if place < 9 { "er_16" } else { "val" };
        assert_eq!((&line["split"], &line["index"]), (&json!(split), &json!(place % 9)));
        let pi = line["outputs"]["pi"].as_array().unwrap();
        assert_eq!(line["n_nodes"], pi.len());
        assert_eq!(line["valid"] == json!(false), line["violation"]["reason"].is_string());
    }
    let record = json_of(at.path(), &format!("evaluate {words} --format json"));
    let valid = lines[..9].iter().filter(|line| line["valid"] == json!(true)).count();
    assert_eq!(record["splits"][0]["valid"]["mean"].as_f64(), Some(valid as f64 / 9.0));

    let told = printed(at.path(), &format!("predict {words} -j3 --out made/p.jsonl"));
    assert_eq!(told, "");
    assert_eq!(std::fs::read_to_string(at.path().join("made/p.jsonl")).unwrap(), text);
    assert_eq!(names(&at.path().join("made")), ["p.jsonl"]);
}

#[test]
fn outputs_are_written_as_in_files_of_samples() {
    for (algorithm, output) in [("mis", "inmis"), ("eccentricity", "eccentricity")] {
        let at = trained(algorithm);
        let lines = lines_of(&printed(at.path(), "predict run --split er_16 --samples 1"));
        let values = &lines[0]["outputs"][output];
        match values.as_array() {
            Some(mask) => assert!(mask.iter().all(|value| *value == 0 || *value == 1)),
            None => assert!(values.is_f64() && algorithm == "eccentricity"),
        }
    }
}

#[test]
fn graphs_of_ones_own() {
    let at = trained("dijkstra");
    let write = |name: &str, text: &str| std::fs::write(at.path().join(name), text).unwrap();
    // 0 - 1 - 2 - 3, with a chord in the second case.
    write("path.txt", "0 1 0.5\n1 2 0.25\n2 3 0.5\n");
    write(
        "cases.jsonl",
        "{\"n\": 3, \"edges\": [[0, 1], [1, 2]], \"weights\": [1, 2], \"source\": 2}\n\
         {\"n\": 3, \"edges\": [[0, 1], [1, 2], [0, 2]], \"weights\": [1, 2, 1], \"source\": 0}\n",
    );
    let lines = lines_of(&printed(at.path(), "predict run --graphs path.txt cases.jsonl"));
    let told: Vec<_> = lines.iter().map(|line| (&line["split"], &line["n_nodes"])).collect();
    let (path, cases) = (json!("path.txt"), json!("cases.jsonl"));
    assert_eq!(told, [(&path, &json!(4)), (&cases, &json!(3)), (&cases, &json!(3))]);
    assert_eq!(lines[0]["steps"], 5);

    let words = "evaluate run --steps 4 --source 1 --graphs path.txt cases.jsonl";
    let printed = printed(at.path(), words);
    without_figures().bind(|| assert_snapshot!("graph_files", printed));

    let told =
        |words: &str, line: &str| mistake_at(at.path(), &format!("evaluate run {words}"), line);
    write("bare.txt", "0 1\n");
    told(
        "--graphs bare.txt",
        "bare.txt: dijkstra needs edge weights; give them, or draw them with --random-weights",
    );
    told("--graphs path.txt --source 4", "--source: path.txt has no node 4");
    told("--graphs none.txt", "none.txt: No such file or directory (os error 2)");
    write("bad.txt", "0 1 nan\n");
    told("--graphs bad.txt", "bad.txt:1: expected a weight, a finite number, found \"nan\"");
    told(
        "--source 1",
        "the following required arguments were not provided: --graphs <FILES>... (see salsa \
         evaluate --help)",
    );
}

#[test]
fn what_is_no_checkpoint_is_told() {
    let at = trained("bfs");
    let best = at.path().join("run/best.safetensors");
    let good = std::fs::read(&best).unwrap();
    let told = |words: &str, line: &str| {
        for command in ["evaluate", "predict"] {
            mistake_at(at.path(), &format!("{command} {words}"), line);
        }
    };
    told("none", "none: No such file or directory (os error 2)");
    told(".", ".: there is no best.safetensors in it; a training writes it after its first epoch");
    told("run --split er_61", "suite paper has no split \"er_61\", did you mean \"er_16\"?");
    told("run --samples 0", "--samples: expected at least 1, found 0");
    told(
        "run --split val --samples 1001",
        "--samples: split val has 1000 samples, 1001 were asked for",
    );
    std::fs::write(&best, &good[..good.len() - 10]).unwrap();
    let (expected, found) = (good.len(), good.len() - 10);
    told(
        "run",
        &format!(
            "run/best.safetensors: the file is truncated: expected {expected} bytes, found {found}"
        ),
    );
    let mut changed = good.clone();
    *changed.last_mut().unwrap() ^= 1;
    std::fs::write(&best, changed).unwrap();
    let damaged = salsa(at.path(), "evaluate run");
    let line = "error: run/best.safetensors: the file is damaged: expected checksum ";
    assert!(damaged.err.starts_with(line), "{}", damaged.err);
    assert_eq!((damaged.code, damaged.err.lines().count()), (Some(2), 1));
    mistake_at(
        at.path(),
        "evaluate run --steps 0",
        "invalid value '0' for '--steps <STEPS>': expected recorded, auto or a number from 1 on, \
         found \"0\" (see salsa evaluate --help)",
    );
}

#[test]
fn interrupted_predictions_leave_nothing_under_their_name() {
    let at = trained("bfs");
    let words = "predict run --split er_1600 --out made/p.jsonl";
    let mut child = command(at.path()).args(words.split(' ')).spawn().unwrap();
    let start = std::time::Instant::now();
    while !at.path().join("made").exists() && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(succeeds("kill", &["-INT".as_ref(), child.id().to_string().as_ref()]));
    assert!(!child.wait().unwrap().success());
    assert!(!at.path().join("made/p.jsonl").exists());
}

#[test]
fn the_demonstration_can_be_had_twice() {
    let at = folder();
    let first = salsa(at.path(), "demo --quick");
    assert_eq!(first.code, Some(0), "{}", first.err);
    without_figures().bind(|| assert_snapshot!("demo", first.out));
    let files = names(&at.path().join("salsa-demo"));
    assert_snapshot!("demo_files", files.join("\n"));
    let result = std::fs::read(at.path().join("salsa-demo/evaluation.json")).unwrap();
    // The training is over and is not done again.
    let second = salsa(at.path(), "demo --quick");
    assert_eq!((second.out, second.err), (first.out, String::new()));
    assert_eq!(std::fs::read(at.path().join("salsa-demo/evaluation.json")).unwrap(), result);
}
