//! Records on disk: they come back as they were, and a cell has one.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::path::{Path, PathBuf};

use salsa_records::store::{Published, path_of, publish, read, read_file};
use salsa_records::{Circumstances, Record};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture")
}

fn one() -> Record {
    read(&fixture()).unwrap().remove(0)
}

#[test]
fn the_fixture_reads_in_order_and_is_written_as_it_was() {
    let records = read(&fixture()).unwrap();
    assert!(records.len() >= 12);
    assert!(records.is_sorted_by(|a, b| a.cell < b.cell));
    for record in records {
        let text = std::fs::read_to_string(path_of(&fixture().join("records"), &record.cell));
        let written = serde_json::to_string(&record).unwrap();
        assert!(text.unwrap().trim_end() == written, "{}", record.cell);
    }
}

#[test]
fn figures_are_found_by_set_and_metric() {
    let record = one();
    let set = &record.evaluation[0].result;
    assert_eq!(
        record.mean(&set.split, "graph_accuracy"),
        Some(set.all.metrics["graph_accuracy"].mean)
    );
    assert_eq!(record.mean(&set.split, "valid"), set.all.valid.map(|valid| valid.mean));
    assert_eq!(record.mean("nowhere", "node_accuracy"), None);
}

#[test]
fn the_first_record_of_a_cell_stays() {
    let folder = tempfile::tempdir().unwrap();
    let first = one();
    let second = Record { circumstances: Circumstances::default(), ..first.clone() };
    assert_eq!(publish(folder.path(), &first).unwrap(), Published::Now);
    assert_eq!(publish(folder.path(), &second).unwrap(), Published::Before);
    assert_eq!(first.without_circumstances(), second);
    assert_eq!(read(folder.path()).unwrap(), [first]);
    // Nothing else is left.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn of_many_who_publish_at_once_one_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let record = one();
    let now = std::thread::scope(|scope| {
        let publish = || publish(folder.path(), &record).unwrap();
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(publish)).collect();
        let done = threads.into_iter().map(|thread| thread.join().unwrap());
        done.filter(|published| *published == Published::Now).count()
    });
    assert_eq!(now, 1);
    assert_eq!(read(folder.path()).unwrap(), [record]);
}

#[test]
fn results_from_elsewhere_need_little() {
    let line = r#"{"schema":1,"algorithm":"bfs","model":"mine","seed":1,"evaluation":[
        {"split":"er_16","graphs":10,"metrics":{"node_accuracy":
        {"count":10,"mean":0.9,"deviation":null,"interval":null}}}]}"#;
    let record: Record = serde_json::from_str(line).unwrap();
    assert_eq!(record.mean("er_16", "node_accuracy"), Some(0.9));
    assert_eq!((record.training, record.steps.as_str()), (None, "recorded"));
}

#[test]
fn what_is_no_record_is_told_by_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    let good = serde_json::to_string(&one()).unwrap();
    std::fs::write(&file, format!("{good}\n\n{{}}\n")).unwrap();
    let told = read_file(&file).unwrap_err().to_string();
    assert!(
        told.ends_with("a.jsonl:3: not a record: missing field `schema` at line 1 column 2"),
        "{told}"
    );
    std::fs::write(&file, good.replacen("\"schema\":1", "\"schema\":9", 1)).unwrap();
    let told = read_file(&file).unwrap_err().to_string();
    assert!(
        told.ends_with("a.jsonl:1: a record of schema 9, this program knows up to 1"),
        "{told}"
    );
}
