//! `salsa train`: what it prints, what it refuses, and that no way of stopping it changes the end.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use insta::{assert_snapshot, with_settings};

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{command, folder, names, salsa, succeeds};

/// A few steps of a small network.
const TINY: &str = "train --hidden 8 --epochs 3 --batch 4 --learning-rate 0.01 -j1 \
    --set training.train_samples=24 --set training.validation_samples=12";

/// Enough epochs to be stopped in.
const LONGER: &str = "train -a dfs --hints --hidden 8 --epochs 6 --batch 4 -j1 --out run \
    --set training.train_samples=60 --set training.validation_samples=8";

/// The checkpoints that a finished run leaves.
pub fn checkpoints(run: &Path) -> [Vec<u8>; 2] {
    ["best.safetensors", "last.safetensors"].map(|name| std::fs::read(run.join(name)).unwrap())
}

/// The log without the clock.
pub fn log(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run.join("log.jsonl")).unwrap();
    let records = text.lines().map(|line| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("seconds");
        record
    });
    records.collect()
}

/// What is told of a run that was asked to stop.
const STOPPED: &str = "stopped with work left to do\n";

/// A run that is under way, and what it says of its epochs.
pub struct Training {
    child: Child,
    epochs: BufReader<ChildStderr>,
}

impl Training {
    pub fn start(at: &Path, words: &str) -> Self {
        let mut child = command(at)
            .args(words.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let epochs = BufReader::new(child.stderr.take().unwrap());
        Self { child, epochs }
    }

    /// Waits for the end of an epoch; false if there is none.
    pub fn next_epoch(&mut self) -> bool {
        let mut line = String::new();
        self.epochs.read_line(&mut line).unwrap();
        assert!(["", STOPPED].contains(&line.as_str()) || line.contains("epoch "), "{line}");
        line.contains("epoch ")
    }

    pub fn signal(&self, signal: &str) {
        assert!(succeeds("kill", &[signal.as_ref(), self.child.id().to_string().as_ref()]));
    }

    /// Its exit code, and what it printed.
    pub fn end(mut self) -> (Option<i32>, String) {
        while self.next_epoch() {}
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }
}

/// A run that is left alone, in a folder of its own.
fn undisturbed() -> tempfile::TempDir {
    let at = folder();
    let run = salsa(at.path(), LONGER);
    assert_eq!(run.code, Some(0), "{}", run.err);
    at
}

#[track_caller]
fn left_the_same(found: &Path, expected: &Path) {
    let (found, expected) = (found.join("run"), expected.join("run"));
    assert_eq!(log(&found), log(&expected));
    assert!(checkpoints(&found) == checkpoints(&expected));
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

#[test]
fn an_interrupt_saves_and_tells_how_to_go_on() {
    let expected = undisturbed();
    for signal in ["-INT", "-TERM"] {
        let at = folder();
        let mut training = Training::start(at.path(), LONGER);
        assert!(training.next_epoch());
        training.signal(signal);
        let (code, out) = training.end();
        assert_eq!(code, Some(75), "{out}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 3, "{out}");
        assert!(lines[1].starts_with("stopped at step "), "{out}");
        assert_eq!(lines[2], "salsa train --resume run");
        let resumed = salsa(at.path(), "train --resume run -j2");
        assert_eq!(resumed.code, Some(0), "{}", resumed.err);
        assert!(resumed.out.contains("\nall epochs done after 90 steps; "), "{}", resumed.out);
        left_the_same(at.path(), expected.path());
    }
}

#[test]
fn a_folder_has_one_training_at_a_time() {
    let at = folder();
    let mut training = Training::start(at.path(), LONGER);
    assert!(training.next_epoch());
    let second = salsa(at.path(), "train --resume run");
    assert_eq!(second.code, Some(1), "{}", second.out);
    assert_eq!(second.err, "error: run/log.jsonl: another training writes to it\n");
    let run_file = at.path().join("run/run.toml");
    let run = std::fs::read_to_string(&run_file).unwrap();
    let changed = salsa(at.path(), "train --resume run --batch 3 --epochs 99");
    assert_eq!(changed.err, second.err);
    assert_eq!(std::fs::read_to_string(&run_file).unwrap(), run, "what is trained stays told");
    training.signal("-INT");
    assert_eq!(training.end().0, Some(75));
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_the_same() {
    let expected = undisturbed();
    let at = folder();
    let mut kills = 0;
    loop {
        let has_begun = at.path().join("run/last.safetensors").exists();
        let words = if has_begun { "train --resume run -j1" } else { LONGER };
        let mut training = Training::start(at.path(), words);
        // Twice before an epoch is over, then at different moments after the end of one.
        if kills > 1 {
            training.next_epoch();
        }
        std::thread::sleep(Duration::from_millis(kills * 13 % 40));
        training.signal("-KILL");
        if training.end().0 == Some(0) {
            break;
        }
        kills += 1;
    }
    assert!(kills > 2, "{kills}");
    left_the_same(at.path(), expected.path());
    let leftovers = names(&at.path().join("run")).into_iter().filter(|name| name.starts_with('.'));
    assert!(leftovers.count() as u64 <= kills);
}

#[test]
fn a_finished_run_that_is_resumed_stays_as_it_is() {
    let at = folder();
    assert_eq!(salsa(at.path(), &format!("{TINY} --out run")).code, Some(0));
    let run = at.path().join("run");
    let before = (checkpoints(&run), log(&run));
    let resumed = salsa(at.path(), "train --resume run");
    assert_eq!((resumed.code, resumed.err.as_str()), (Some(0), ""));
    assert!((checkpoints(&run), log(&run)) == before);
}

#[test]
fn a_finished_run_goes_on_for_more_epochs_as_if_it_had_been_longer() {
    let at = folder();
    assert_eq!(salsa(at.path(), &format!("{TINY} --out run")).code, Some(0));
    let resumed = salsa(at.path(), "train --resume run --epochs 5");
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(resumed.out.contains("\nall epochs done after 30 steps; "), "{}", resumed.out);
    let longer = TINY.replace("--epochs 3", "--epochs 5");
    assert_eq!(salsa(at.path(), &format!("{longer} --out longer")).code, Some(0));
    let [run, longer] = ["run", "longer"].map(|name| at.path().join(name));
    assert!(checkpoints(&run)[1] == checkpoints(&longer)[1]);
    let [run, longer] =
        [run, longer].map(|at| std::fs::read_to_string(at.join("run.toml")).unwrap());
    assert_eq!(run, longer);
}

#[test]
fn a_stopped_run_goes_on_with_batches_of_another_size() {
    let at = folder();
    let mut training = Training::start(at.path(), LONGER);
    assert!(training.next_epoch());
    training.signal("-INT");
    let (_, out) = training.end();
    let stopped = out.lines().find_map(|line| line.strip_prefix("stopped at step ")).unwrap();
    let (step, epoch) = stopped.split_once(" of epoch ").unwrap();
    let [step, epoch] = [step, epoch].map(|number| number.parse::<u64>().unwrap());

    // 60 graphs in six epochs, by fours and then by sevens.
    let resumed = salsa(at.path(), "train --resume run --batch 7");
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let left = 60 - 4 * (step - 15 * (epoch - 1));
    let steps = step + left.div_ceil(7) + 9 * (6 - epoch);
    let end = |steps: u64| format!("\nall epochs done after {steps} steps; ");
    assert!(resumed.out.contains(&end(steps)), "{step} of {epoch}: {}", resumed.out);
    let written = std::fs::read_to_string(at.path().join("run/run.toml")).unwrap();
    assert!(written.contains("batch = 7\n"), "{written}");

    let longer = salsa(at.path(), "train --resume run --epochs 7");
    assert!(longer.out.contains(&end(steps + 9)), "{}", longer.out);
    let log = log(&at.path().join("run"));
    let told: Vec<_> = log.iter().filter(|record| record["event"] == "resized").collect();
    assert_eq!(told, [&serde_json::json!({"event": "resized", "step": step, "batch": 7})]);
    mistake_at(
        at.path(),
        "train --resume run --batch 0",
        "batch: expected a whole number from 1 to 4294967295, found 0",
    );
}

#[test]
fn the_folder_is_named_after_the_run() {
    let at = folder();
    let words = format!("{TINY} --model gin --hints --seed 7 --convention release");
    assert_eq!(salsa(at.path(), &words).code, Some(0));
    assert_eq!(names(&at.path().join("salsa-runs")), ["bfs-gin-release-hints-7"]);
}

#[test]
fn the_written_run_file_gives_the_same_run() {
    let at = folder();
    assert_eq!(salsa(at.path(), &format!("{TINY} --out run")).code, Some(0));
    assert_eq!(salsa(at.path(), "train run/run.toml --out again -j2").code, Some(0));
    let [first, again] = ["run", "again"].map(|name| checkpoints(&at.path().join(name)));
    assert!(first == again);
}

#[test]
fn wrong_options_are_told() {
    for (words, line) in [
        ("-a dijstra", "--algorithm: unknown algorithm \"dijstra\", did you mean \"dijkstra\"?"),
        (
            "-m pgm",
            "--model: unknown processor \"pgm\", there is gin, pgn, recgnn, did you mean \"pgn\"?",
        ),
        (
            "--aggregation men",
            "--aggregation: unknown aggregation \"men\", expected \"max\", \"sum\" or \"mean\", \
             did you mean \"mean\"?",
        ),
        (
            "--convention papr",
            "--convention: unknown convention \"papr\", expected \"paper\" or \"release\"",
        ),
        (
            "--suite papr",
            "unknown suite \"papr\", did you mean \"paper\"? (for a file of your own, give its path)",
        ),
        ("--hidden 0", "--hidden: expected a whole number from 1 to 4294967295, found 0"),
        ("--learning-rate -1", "--learning-rate: expected a number above 0, found -1.0"),
        ("-j0", "--threads: expected 1 to 1024 threads, found 0"),
        (
            "--set training.train_samples=10001",
            "split train has 10000 samples, 10001 were asked for",
        ),
        ("--set clip", "--set: expected FIELD=VALUE, found \"clip\""),
        (
            "--set model.hidden_=3",
            "--set: model.hidden_: unknown field, there is processor, hidden, aggregation, \
             steps_per_hint, did you mean \"hidden\"?",
        ),
        (
            "--set training.batch=x",
            "--set: training.batch: expected a whole number of at least 0, found string",
        ),
        (
            "--resume a --hidden 3",
            "the argument '--resume <FOLDER>...' cannot be used with '--hidden <N>' (see salsa \
             train --help)",
        ),
        ("mine.toml", "mine.toml: No such file or directory (os error 2)"),
    ] {
        mistake(&format!("train {words}"), line);
    }
}

#[test]
fn a_wrong_run_file_is_told_by_its_line() {
    let at = folder();
    for (text, line) in [
        (
            "algorithm = \"bfs\"\n\n[training]\nepochs = \"three\"\n",
            "mine.toml:4: training.epochs: expected a whole number of at least 0, found string",
        ),
        (
            "algorithm = \"bfs\"\n[model]\nhidden_ = 3\n",
            "mine.toml:3: model.hidden_: unknown field, there is processor, hidden, aggregation, \
             steps_per_hint, did you mean \"hidden\"?",
        ),
        (
            "algorithm = \"bfz\"\n",
            "mine.toml:1: algorithm: unknown algorithm \"bfz\", did you mean \"bfs\"?",
        ),
    ] {
        std::fs::write(at.path().join("mine.toml"), text).unwrap();
        mistake_at(at.path(), "train mine.toml", line);
    }
    assert_eq!(names(at.path()), ["mine.toml"]);
}

#[test]
fn folders_that_cannot_be_used_are_told() {
    let at = folder();
    std::fs::create_dir(at.path().join("empty")).unwrap();
    mistake_at(
        at.path(),
        "train --resume empty",
        "empty/last.safetensors: cannot read the checkpoint: No such file or directory (os error \
         2); is there a run to resume?",
    );
    std::fs::write(at.path().join("plain"), "").unwrap();
    mistake_at(
        at.path(),
        "train --out plain/run",
        "plain/run: Not a directory (os error 20); choose a place you can write to with --out",
    );
    assert_eq!(salsa(at.path(), &format!("{TINY} --out run")).code, Some(0));
    let before = checkpoints(&at.path().join("run"));
    mistake_at(
        at.path(),
        "train --out run",
        "run holds a run already; go on with --resume run, or choose another --out",
    );
    assert!(checkpoints(&at.path().join("run")) == before);
    let path = at.path().join("run/last.safetensors");
    std::fs::write(&path, &before[1][..before[1].len() - 3]).unwrap();
    let found = salsa(at.path(), "train --resume run");
    assert_eq!(found.code, Some(2));
    assert!(found.err.starts_with("error: run/last.safetensors: the file is truncated: "));
}
