//! `salsa train --seeds` and `--resume` of several folders: each run ends as it would have alone.

use std::path::Path;

use insta::{assert_snapshot, with_settings};

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{folder, names, salsa};
use crate::train::{Training, checkpoints, log};

/// A few steps of a small network.
const TINY: &str = "train -a dijkstra --hints --hidden 8 --epochs 3 --batch 4 \
    --set training.train_samples=24 --set training.validation_samples=12";

/// What a run left, without the clock.
fn left(run: &Path) -> ([Vec<u8>; 2], Vec<serde_json::Value>, String) {
    (checkpoints(run), log(run), std::fs::read_to_string(run.join("run.toml")).unwrap())
}

/// Each seed's run in a process of its own.
fn alone(at: &Path, seeds: &[u64]) {
    for seed in seeds {
        let run = salsa(at, &format!("{TINY} -j1 --seed {seed} --out alone/seed-{seed}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
}

#[track_caller]
fn as_if_alone(at: &Path, folder: &str, seeds: &[u64]) {
    for seed in seeds {
        let [together, alone] = [folder, "alone"].map(|name| at.join(name));
        let name = format!("seed-{seed}");
        assert!(left(&together.join(&name)) == left(&alone.join(&name)), "seed {seed}");
    }
}

#[test]
fn runs_side_by_side_end_as_they_do_alone() {
    let at = folder();
    alone(at.path(), &[42, 43, 44]);
    for (seeds, threads, out) in [("42..44", 2, "few"), ("44,42,43", 7, "many")] {
        let run = salsa(at.path(), &format!("{TINY} -j{threads} --seeds {seeds} --out {out}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_eq!(names(&at.path().join(out)), ["seed-42", "seed-43", "seed-44"]);
        as_if_alone(at.path(), out, &[42, 43, 44]);
    }
}

#[test]
fn what_is_told_of_several_runs() {
    let at = folder();
    let run = salsa(at.path(), &format!("{TINY} --seeds 9..10"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Whoever is faster tells its epochs first.
    let mut epochs: Vec<&str> = run.err.lines().collect();
    epochs.sort_unstable();
    with_settings!({filters => vec![
        (r"\d+\.\d+(e-?\d+)?", "#"),
        (r"best epoch \d+", "best epoch #"),
        (r"  best", ""),
    ]}, {
        assert_snapshot!(format!("{}---\n{}", run.out, epochs.join("\n")));
    });
    let expected = ["dijkstra-pgn-paper-hints-10", "dijkstra-pgn-paper-hints-9"];
    assert_eq!(names(&at.path().join("salsa-runs")), expected);
}

#[test]
fn an_interrupt_stops_all_and_all_go_on() {
    let at = folder();
    let longer = TINY.replace("--epochs 3", "--epochs 40");
    let mut training = Training::start(at.path(), &format!("{longer} --seeds 1..3 --out run"));
    assert!(training.next_epoch());
    training.signal("-INT");
    let (code, out) = training.end();
    assert_eq!(code, Some(75), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 7, "{out}");
    for (line, seed) in lines[3..6].iter().zip(1..) {
        assert!(line.starts_with(&format!("seed {seed}  stopped at step ")), "{out}");
    }
    assert_eq!(lines[6], "salsa train --resume run/seed-1 run/seed-2 run/seed-3");
    let resumed = salsa(at.path(), lines[6].trim_start_matches("salsa "));
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(resumed.err.lines().all(|line| line.starts_with("run/seed-")), "{}", resumed.err);
    let whole = salsa(at.path(), &format!("{longer} --seeds 1..3 --out alone"));
    assert_eq!(whole.code, Some(0), "{}", whole.err);
    as_if_alone(at.path(), "run", &[1, 2, 3]);
}

#[test]
fn one_that_fails_leaves_the_others_be() {
    let at = folder();
    alone(at.path(), &[1, 3]);
    // A file where a run's log would be.
    std::fs::create_dir_all(at.path().join("run/seed-2/log.jsonl")).unwrap();
    let run = salsa(at.path(), &format!("{TINY} --seeds 1..3 --out run"));
    assert_eq!(run.code, Some(1));
    let last = run.err.lines().last().unwrap();
    assert_eq!(last, "error: seed 2: run/seed-2/log.jsonl: Is a directory (os error 21)");
    assert!(run.err.contains("seed 2  failed: run/seed-2/log.jsonl"), "{}", run.err);
    let evaluations: Vec<&str> = run.out.lines().filter(|l| l.starts_with("salsa")).collect();
    assert_eq!(evaluations, ["salsa evaluate run/seed-1", "salsa evaluate run/seed-3"]);
    as_if_alone(at.path(), "run", &[1, 3]);
}

#[test]
fn a_reason_that_all_share_is_told_once() {
    mistake(
        "train --seeds 1..3 --suite large",
        "seed 1, seed 2, seed 3: suite large has no split \"train\"",
    );
    let at = folder();
    let run = salsa(at.path(), "train --seeds 1..3 --device cuda:999");
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}", run.err);
    assert_eq!(names(at.path()), [""; 0]);
}

#[test]
fn wrong_seeds_and_folders_are_told() {
    mistake(
        "train --seeds 5..4",
        "invalid value '5..4' for '--seeds <SEEDS>': expected a range from low to high, found \
         \"5..4\" (see salsa train --help)",
    );
    mistake(
        "train --seeds 1,2 --seed 3",
        "the argument '--seeds <SEEDS>' cannot be used with '--seed <SEED>' (see salsa train \
         --help)",
    );
    let at = folder();
    alone(at.path(), &[4]);
    mistake_at(
        at.path(),
        "train --seeds 3..4 --out alone",
        "alone/seed-4 holds a run already; go on with --resume alone/seed-4, or choose another \
         --out",
    );
    mistake_at(
        at.path(),
        "train --resume alone/seed-4 alone/../alone/seed-4",
        "--resume: alone/../alone/seed-4 is there twice",
    );
    assert_eq!(names(&at.path().join("alone")), ["seed-4"]);
}
