//! `salsa sweep`: cells are done and recorded once, stopped and continued, and told of.

use std::collections::BTreeMap;
use std::path::Path;

use insta::{assert_snapshot, with_settings};
use salsa_report::formats::markdown::markdown;
use salsa_report::study::{Entry, Study};
use salsa_report::tables as kinds;
use serde_json::Value;

use crate::mistakes::{mistake, mistake_at};
use crate::salsa::{folder, names, salsa};

/// Eight cells of a few steps each.
pub const TINY: &str = r#"
summary = "a few steps"
[[cells]]
algorithms = ["bfs", "mis"]
models = ["pgn", "gin"]
seeds = [1, 2]
[model]
hidden = 8
[training]
epochs = 4
batch = 4
train_samples = 24
validation_samples = 12
[[evaluation.sets]]
splits = ["er_16", "ws_16"]
graphs = 5
[[evaluation.sets]]
splits = ["er_80"]
graphs = 3
"#;

/// The names of the cells.
pub const CELLS: [&str; 8] = [
    "bfs-gin-paper-1",
    "bfs-gin-paper-2",
    "bfs-pgn-paper-1",
    "bfs-pgn-paper-2",
    "mis-gin-paper-1",
    "mis-gin-paper-2",
    "mis-pgn-paper-1",
    "mis-pgn-paper-2",
];

/// What a finished sweep left of each cell: its record without circumstances, and its weights.
pub type Left = BTreeMap<String, (Value, Vec<u8>)>;

/// What is left in the folder of a finished sweep, which must have one record a cell.
pub fn left(sweep: &Path) -> Left {
    let records = sweep.join("records");
    let expected = CELLS.map(|cell| format!("{cell}.jsonl"));
    let mut found = names(&records);
    // What a killed process was writing.
    found.retain(|name| !name.starts_with('.'));
    assert_eq!(found, expected);
    let cells = CELLS.iter().map(|cell| {
        let text = std::fs::read_to_string(records.join(format!("{cell}.jsonl"))).unwrap();
        assert_eq!(text.lines().count(), 1, "{cell}");
        let mut record: Value = serde_json::from_str(&text).unwrap();
        record.as_object_mut().unwrap().remove("circumstances").unwrap();
        let weights = sweep.join(record["checkpoint"]["path"].as_str().unwrap());
        ((*cell).to_owned(), (record, std::fs::read(weights).unwrap()))
    });
    cells.collect()
}

/// The same of a sweep that nobody disturbed.
pub fn undisturbed(sweep: &str) -> Left {
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), sweep).unwrap();
    let run = salsa(at.path(), "sweep run tiny.toml --jobs 1");
    assert_eq!(run.code, Some(0), "{}", run.err);
    left(&at.path().join("salsa-sweeps/tiny"))
}

/// Makes a sweep that nobody has begun.
pub fn make(at: &Path, out: &str) {
    std::fs::write(at.join("tiny.toml"), TINY).unwrap();
    let made = salsa(at, &format!("sweep submit tiny.toml --slurm --print --out {out}"));
    assert_eq!(made.code, Some(0), "{}", made.err);
}

/// The tables of what is left, as `salsa report --table all --format markdown` prints them.
pub fn tables(left: &Left) -> String {
    let entry = |(record, _): &(Value, _)| Entry {
        record: serde_json::from_value(record.clone()).unwrap(),
        from: String::new(),
    };
    let study = Study::new(left.values().map(entry).collect()).unwrap();
    let tables = kinds::ALL.iter().map(|kind| (kind.of)(&study));
    let texts: Vec<String> =
        tables.filter(|table| !table.rows.is_empty()).map(|table| markdown(&table)).collect();
    texts.join("\n")
}

/// One cell after the other is not worth telling twice: compares without printing everything.
#[track_caller]
pub fn assert_same(found: &Left, expected: &Left) {
    assert!(found.keys().eq(expected.keys()));
    for (cell, (record, weights)) in expected {
        assert_eq!(found[cell].0, *record, "{cell}");
        assert!(found[cell].1 == *weights, "{cell}: other weights");
    }
    assert_eq!(tables(found), tables(expected));
}

#[test]
fn a_sweep_gives_what_training_and_evaluating_by_hand_gives() {
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let run = salsa(at.path(), "sweep run tiny.toml");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let expected = "tiny: 8 of 8 cells finished\nrecords: salsa-sweeps/tiny/records\n";
    assert_eq!(run.out, expected);
    let sweep = left(&at.path().join("salsa-sweeps/tiny"));
    let train = "train -a mis -m gin --seed 2 --hidden 8 --epochs 4 --batch 4 --out by-hand \
        --set training.train_samples=24 --set training.validation_samples=12";
    assert_eq!(salsa(at.path(), train).code, Some(0));
    let weights = std::fs::read(at.path().join("by-hand/best.safetensors")).unwrap();
    let (record, kept) = &sweep["mis-gin-paper-2"];
    assert!(weights == *kept);
    let evaluate = "evaluate by-hand --split er_16,ws_16 --samples 5 --format json";
    let evaluated: Value = serde_json::from_str(&salsa(at.path(), evaluate).out).unwrap();
    assert_eq!(record["run"], evaluated["run"]);
    for place in 0..2 {
        let (ours, theirs) = (&record["evaluation"][place], &evaluated["splits"][place]);
        for field in ["split", "graphs", "metrics", "valid", "violations", "mean_steps"] {
            assert_eq!(ours[field], theirs[field], "{field}");
        }
    }
    assert_eq!(record["training"]["curve"].as_array().unwrap().len(), 4);
    // As types, which tables are made from.
    let typed = salsa_records::store::read(&at.path().join("salsa-sweeps/tiny")).unwrap();
    for (record, cell) in typed.iter().zip(CELLS) {
        let file = at.path().join(format!("salsa-sweeps/tiny/records/{cell}.jsonl"));
        let line = std::fs::read_to_string(file).unwrap();
        assert_eq!(serde_json::to_string(record).unwrap(), line.trim_end());
        assert!(record.mean("er_80", "node_accuracy").is_some());
    }
    // Done once more, nothing is done.
    let again = salsa(at.path(), "sweep run tiny.toml");
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (Some(0), expected, ""));
    // Nothing but results is left.
    assert_eq!(names(&at.path().join("salsa-sweeps/tiny/work")), [""; 0]);
}

#[test]
fn results_do_not_depend_on_how_many_run_at_once() {
    let expected = undisturbed(TINY);
    for jobs in ["--jobs 3 -j2", "--jobs 8 -j1", "-j 5"] {
        let at = folder();
        std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
        let run = salsa(at.path(), &format!("sweep run tiny.toml --out s {jobs}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_same(&left(&at.path().join("s")), &expected);
    }
}

#[test]
fn some_cells_may_be_done_alone_and_the_others_later() {
    let expected = undisturbed(TINY);
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let some = salsa(at.path(), "sweep run tiny.toml --out s --only mis-gin,bfs-pgn-paper-2");
    assert_eq!(some.code, Some(0), "{}", some.err);
    assert_eq!(
        names(&at.path().join("s/records")),
        ["bfs-pgn-paper-2.jsonl", "mis-gin-paper-1.jsonl", "mis-gin-paper-2.jsonl"]
    );
    mistake_at(
        at.path(),
        "sweep run s --only mis,dfs",
        "--only dfs: no cell of tiny is called so; salsa sweep status lists them",
    );
    let rest = salsa(at.path(), "sweep run s");
    assert_eq!(rest.code, Some(0), "{}", rest.err);
    assert_same(&left(&at.path().join("s")), &expected);
}

#[test]
fn a_time_limit_stops_cleanly_and_the_folder_can_be_moved() {
    let expected = undisturbed(TINY);
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let started = salsa(at.path(), "sweep run tiny.toml --out 0 --time-limit 1ms");
    assert_eq!(started.code, Some(0), "{}", started.err);
    assert!(started.out.ends_with("cells finished\nsalsa sweep run 0\n"), "{}", started.out);
    let (mut limit, mut moves) = (50.0, 0);
    loop {
        let (from, to) = (moves.to_string(), (moves + 1).to_string());
        std::fs::rename(at.path().join(&from), at.path().join(&to)).unwrap();
        moves += 1;
        let run = salsa(at.path(), &format!("sweep run {to} --time-limit {}ms", limit as u64));
        assert_eq!(run.code, Some(0), "{}", run.err);
        if run.out.contains("8 of 8") {
            break;
        }
        assert!(run.out.ends_with(&format!("salsa sweep run {to}\n")), "{}", run.out);
        limit *= 1.3;
    }
    assert_same(&left(&at.path().join(moves.to_string())), &expected);
}

#[test]
fn a_cell_that_cannot_be_done_leaves_the_others_be() {
    let at = folder();
    let bad = TINY.replace("[training]\n", "[training]\nlearning_rate = 1e30\n");
    std::fs::write(at.path().join("bad.toml"), bad).unwrap();
    let run = salsa(at.path(), "sweep run bad.toml");
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.ends_with("error: 8 cells failed\n"), "{}", run.err);
    assert_eq!(
        run.out,
        "bad: 0 of 8 cells finished, 8 failed (salsa sweep status salsa-sweeps/bad)\n\
         salsa sweep run salsa-sweeps/bad --retry\n"
    );
    let status = salsa(at.path(), "sweep status salsa-sweeps/bad");
    assert!(status.out.starts_with("bad: 0 of 8 cells finished, 8 failed\n"), "{}", status.out);
    assert!(status.out.contains("the last checkpoint is from before it"), "{}", status.out);
    // Nobody tries again in vain.
    let again = salsa(at.path(), "sweep worker salsa-sweeps/bad");
    assert_eq!(again.code, Some(1));
    assert!(!again.err.contains("begins") && !again.err.contains("goes on"), "{}", again.err);
    let again = salsa(at.path(), "sweep run salsa-sweeps/bad --retry");
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("goes on, attempt 2"), "{}", again.err);
}

#[test]
fn a_worker_that_is_stopped_says_so_whatever_failed_before() {
    let at = folder();
    let bad = TINY.replace("[training]\n", "[training]\nlearning_rate = 1e30\n");
    std::fs::write(at.path().join("bad.toml"), bad).unwrap();
    let one = salsa(at.path(), "sweep worker bad.toml --out s --only bfs-pgn-paper-1");
    assert_eq!(one.code, Some(1), "{}", one.err);
    // The others are still to be tried: a scheduler must start a worker again.
    let stopped = salsa(at.path(), "sweep worker s --time-limit 1ms");
    assert_eq!(stopped.code, Some(75), "{}", stopped.err);
    // The one that failed is not among its cells.
    let other = salsa(at.path(), "sweep worker s --only bfs-pgn-paper-2 --time-limit 1ms");
    assert_eq!(other.code, Some(75), "{}", other.err);
}

#[test]
fn a_record_that_says_nothing_is_not_taken_for_one() {
    let at = folder();
    make(at.path(), "s");
    assert_eq!(salsa(at.path(), "sweep run s").code, Some(0));
    let record = at.path().join("s/records/bfs-pgn-paper-1.jsonl");
    for (text, problem) in [("", "0 records are in it"), ("{\n", "not a record")] {
        std::fs::write(&record, text).unwrap();
        for command in ["run", "worker", "status"] {
            let told = salsa(at.path(), &format!("sweep {command} s"));
            assert_eq!(told.code, Some(2), "{}", told.err);
            assert!(told.err.contains(problem), "{}", told.err);
            assert!(told.err.ends_with("without the file, the cell is done again\n"));
        }
    }
    std::fs::remove_file(&record).unwrap();
    assert_eq!(salsa(at.path(), "sweep run s").code, Some(0));
    assert_same(&left(&at.path().join("s")), &undisturbed(TINY));
}

#[test]
fn what_a_broken_disk_left_is_begun_again() {
    let expected = undisturbed(TINY);
    for damaged in ["last.safetensors", "best.safetensors", "log.jsonl"] {
        let at = folder();
        make(at.path(), "s");
        let mut limit = 50.0;
        let file = loop {
            let time = format!("sweep run s --jobs 1 --time-limit {}ms", limit as u64);
            assert_eq!(salsa(at.path(), &time).code, Some(0));
            let cells = CELLS.map(|cell| at.path().join("s/work").join(cell));
            let begun = cells
                .iter()
                .filter(|cell| cell.is_dir())
                .flat_map(|cell| names(cell).into_iter().map(move |number| cell.join(number)));
            let mut begun = begun.filter(|attempt| attempt.join("best.safetensors").exists());
            if let Some(attempt) = begun.next() {
                break attempt.join(damaged);
            }
            limit *= 1.3;
        };
        std::fs::write(&file, "no such thing\n").unwrap();
        let run = salsa(at.path(), "sweep run s");
        assert_eq!(run.code, Some(0), "{damaged}: {}", run.err);
        assert_same(&left(&at.path().join("s")), &expected);
    }
}

#[test]
fn what_is_told_of_a_sweep() {
    let at = folder();
    make(at.path(), "salsa-sweeps/tiny");
    let status = |words: &str| salsa(at.path(), &format!("sweep status {words}")).out;
    assert_snapshot!("status_of_a_sweep_to_be_done", status("salsa-sweeps/tiny"));
    let run = salsa(at.path(), "sweep run salsa-sweeps/tiny --jobs 1");
    with_settings!({filters => vec![(r"\d+\.\d+", "#")]}, {
        assert_snapshot!("lines_of_a_sweep", run.err);
    });
    assert_snapshot!("status_of_a_finished_sweep", status("salsa-sweeps/tiny"));
    let json: Value = serde_json::from_str(&status("salsa-sweeps/tiny --format json")).unwrap();
    assert_eq!((&json["finished"], &json["waiting"]), (&8.into(), &0.into()));
    assert_eq!(json["each"][0]["cell"], "bfs-pgn-paper-1");
    assert_eq!(json["each"][0]["state"], "finished");
}

#[test]
fn more_cells_may_be_asked_for_but_no_other_settings() {
    let at = folder();
    let few = TINY.replace("seeds = [1, 2]", "seeds = [1]");
    std::fs::write(at.path().join("tiny.toml"), few).unwrap();
    assert_eq!(salsa(at.path(), "sweep run tiny.toml --out s").code, Some(0));
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let more = salsa(at.path(), "sweep run tiny.toml --out s");
    assert_eq!(more.code, Some(0), "{}", more.err);
    assert_same(&left(&at.path().join("s")), &undisturbed(TINY));
    std::fs::write(at.path().join("tiny.toml"), TINY.replace("epochs = 4", "epochs = 5")).unwrap();
    mistake_at(
        at.path(),
        "sweep run tiny.toml --out s",
        "s holds bfs-pgn-paper-1 with other settings than the sweep file has now; choose another \
         --out",
    );
}

#[test]
fn mistakes_are_told() {
    mistake("sweep run absent.toml", "absent.toml: No such file or directory (os error 2)");
    let at = folder();
    std::fs::write(at.path().join("a.toml"), "[[cells]]\nalgorithms = [\"bsf\"]\n").unwrap();
    mistake_at(
        at.path(),
        "sweep run a.toml",
        "a.toml:2: cells.algorithms: unknown algorithm \"bsf\", did you mean \"bfs\"?",
    );
    mistake_at(
        at.path(),
        "sweep status .",
        ".: there is no sweep.toml in it; salsa sweep run makes the folder of a sweep",
    );
    mistake_at(
        at.path(),
        "sweep run a.toml --time-limit soon",
        "invalid value 'soon' for '--time-limit <TIME>': expected a time such as 90s, 9m or \
         1h30m, found \"soon\" (see salsa sweep run --help)",
    );
    assert_eq!(names(at.path()), ["a.toml"]);
}
