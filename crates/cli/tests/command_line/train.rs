//! `salsa train`: what it prints, what it refuses, and that no way of stopping it changes the end.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};

use insta::{assert_snapshot, with_settings};

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{command, folder, names, salsa, succeeds};

/// A few steps of a small network.
const TINY: &str = "train --hidden 8 --epochs 3 --batch 4 --learning-rate 0.01 -j1 \
    --set training.train_samples=24 --set training.validation_samples=12";

/// Enough epochs to be stopped in.
const LONGER: &str = "train -a dfs --hints --hidden 16 --epochs 8 --batch 4 -j1 --out run \
    --set training.train_samples=60 --set training.validation_samples=8";

/// The checkpoints that a finished run leaves.
fn checkpoints(run: &Path) -> [Vec<u8>; 2] {
    ["best.safetensors", "last.safetensors"].map(|name| std::fs::read(run.join(name)).unwrap())
}

/// The log without the clock.
fn log(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run.join("log.jsonl")).unwrap();
    let records = text.lines().map(|line| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("seconds");
        record
    });
    records.collect()
}

#[test]
fn a_small_training() {
    let at = folder();
    let run = salsa(at.path(), &format!("{TINY} --out run"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Numbers differ in their last digits between processors.
    with_settings!({filters => vec![
        (r"\d+\.\d+(e-?\d+)?", "#"),
        (r"best epoch \d+", "best epoch #"),
        (r"  best", ""),
    ]}, {
        assert_snapshot!(format!("{}---\n{}", run.out, run.err));
    });
    let files = names(&at.path().join("run"));
    let expected = ["best.safetensors", "events", "last.safetensors", "log.jsonl", "run.toml"];
    assert_eq!(files.len(), expected.len(), "{files:?}");
    for (file, expected) in files.iter().zip(expected) {
        assert!(file.starts_with(expected), "{file}");
    }
}
