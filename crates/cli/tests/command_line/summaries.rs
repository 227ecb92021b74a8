//! What `generate`, `verify` and `stats` print.

use insta::{Settings, assert_snapshot};
use serde_json::Value;

use crate::salsa::{folder, names, printed};

/// Sizes of files may change with the formats; what is around them stays.
fn without_sizes() -> Settings {
    let mut settings = Settings::clone_current();
    settings.add_filter(r" +[0-9.]+ [KM]?i?B", " [size]");
    settings
}

#[test]
fn generate_and_verify_list_the_files() {
    let at = folder();
    let words = "generate --algorithm bfs,mis --split er_16,ws_16 --samples 5 --hints";
    let written = printed(at.path(), words);
    without_sizes().bind(|| assert_snapshot!("generate", written));
    assert_snapshot!("verify", printed(at.path(), "verify data"));
}

#[test]
fn generate_and_verify_for_programs() {
    let at = folder();
    let words = "generate --algorithm bfs --samples 5 --format json";
    let written: Value = serde_json::from_str(&printed(at.path(), words)).unwrap();
    let file = at.path().join("data/paper-bfs-train.arrow/00000.arrow");
    assert_eq!(written[0]["file"], "data/paper-bfs-train.arrow");
    assert_eq!(written[0]["bytes"], std::fs::metadata(file).unwrap().len());
    assert_eq!(written[0]["samples"], 5);
    assert_eq!(written[0]["hints"], false);

    let verified = printed(at.path(), "verify data --format json");
    let verified: Value = serde_json::from_str(&verified).unwrap();
    for field in ["file", "samples", "content_hash"] {
        assert_eq!(verified[0][field], written[0][field]);
    }
}

#[test]
fn what_is_named_twice_is_written_once() {
    let at = folder();
    let words = "generate -a bfs,bfs --split er_16,test,er_16 --samples 1 --out .";
    let lines = printed(at.path(), words).lines().count();
    assert_eq!((lines, names(at.path()).len()), (2 + 15, 2 * 15));
}

#[test]
fn stats_of_small_splits() {
    let at = folder();
    let words = "stats --algorithm bfs --split train,er_16,ws_80 --samples 20";
    assert_snapshot!("stats", printed(at.path(), words));
    let json = printed(at.path(), &format!("{words} --format json"));
    let stats: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(stats[1]["split"], "er_16");
    assert_eq!(stats[1]["nodes"]["max"], 16.0);
}

#[test]
fn overlap_of_a_suite() {
    let at = folder();
    let suite = "\
name = \"mine\"
version = 1
convention = \"paper\"
seed = 7
[[split]]
name = \"train\"
samples = 20
generator = \"path\"
nodes = 4
[[split]]
name = \"er_9\"
samples = 10
generator = \"er\"
nodes = 9
";
    std::fs::write(at.path().join("mine.toml"), suite).unwrap();
    let words = "stats --algorithm dfs --suite mine.toml --overlap";
    assert_snapshot!("overlap", printed(at.path(), words));
}
