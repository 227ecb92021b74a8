//! `salsa dev parity`: what agrees, what does not, and what cannot be read.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::mistakes::mistake_at;
use crate::salsa::{folder, printed, repository, salsa};

fn case(name: &str) -> Vec<u8> {
    let path = repository("crates/learn/tests/parity").join(format!("{name}.safetensors"));
    std::fs::read(path).unwrap()
}

fn write(at: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(at.join(format!("{name}.safetensors")), bytes).unwrap();
}

/// Where the values of a tensor begin.
fn place(bytes: &[u8], tensor: &str) -> usize {
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let names: Value = serde_json::from_slice(&bytes[8..header]).unwrap();
    header + names[tensor]["data_offsets"][0].as_u64().unwrap() as usize
}

/// Deviations differ from processor to processor; limits and verdicts do not.
fn without_deviations(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.len() == 7 && words[0] != "file" {
            words[2] = "[worst]";
            words[4] = "[deviation]";
        }
        let line = words.join(" ");
        if line.starts_with("---") { "---".to_owned() } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn cases_that_agree() {
    let at = folder();
    write(at.path(), "bfs", &case("bfs-gin-paper"));
    write(at.path(), "dfs", &case("dfs-gin-release"));
    let words = "dev parity bfs.safetensors dfs.safetensors --threads 1";
    assert_snapshot!("parity", without_deviations(&printed(at.path(), words)));
    let json: Value =
        serde_json::from_str(&printed(at.path(), &format!("{words} --format json"))).unwrap();
    let rows = json.as_array().unwrap();
    assert!(rows.iter().all(|row| row["ok"] == true && row["deviation"].is_f64()), "{json}");
    assert_eq!(rows[0]["file"], "bfs.safetensors");
}

#[test]
fn one_changed_number_of_a_gradient_is_found() {
    let at = folder();
    let mut bytes = case("bfs-pgn-release");
    let place = place(&bytes, "grad/processor.core.o2.weight");
    let values = bytes[place..place + 4].try_into().unwrap();
    let changed = f32::from_le_bytes(values) + 1.0;
    bytes[place..place + 4].copy_from_slice(&changed.to_le_bytes());
    write(at.path(), "bfs", &bytes);
    let run = salsa(at.path(), "dev parity bfs.safetensors");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.err, "error: beyond the limit: grad of bfs.safetensors\n");
    let failed: Vec<&str> = run.out.lines().filter(|line| line.ends_with("FAIL")).collect();
    assert_eq!(failed.len(), 1, "{}", run.out);
    assert!(failed[0].contains("grad/processor.core.o2.weight"), "{}", run.out);
    assert_snapshot!("parity_beyond_the_limit", without_deviations(&run.out));
}

#[test]
fn files_that_are_no_cases_are_told() {
    let at = folder();
    let told = |line: &str| mistake_at(at.path(), "dev parity x.safetensors", line);
    told("x.safetensors: No such file or directory (os error 2)");
    write(at.path(), "x", b"");
    told("x.safetensors: header too small");
    let bytes = case("bfs-pgn-release");
    write(at.path(), "x", &bytes[..bytes.len() - 1]);
    told("x.safetensors: incomplete metadata, file not fully covered");

    let edited = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        [&bytes[..at], to.as_bytes(), &bytes[at + to.len()..]].concat()
    };
    write(at.path(), "x", &edited("\"algorithm\"", "\"algoritm_\""));
    told("x.safetensors: no metadata field algorithm");
    write(at.path(), "x", &edited("\"PGN\"", "\"PNG\""));
    told(
        "x.safetensors: no model is called png, did you mean \"pgn\"?; there are gin, pgn, recgnn",
    );
    write(at.path(), "x", &edited("batch/graph", "batch/giraf"));
    told("x.safetensors: no tensor batch/graph");
    write(at.path(), "x", &edited("\"hidden_dim\":\"16\"", "\"hidden_dim\":\"99\""));
    told("x.safetensors: hidden_dim is 99, param/encoder.encoder.pos.lin.bias has 16 values");
    let mut long = bytes.clone();
    let place = place(&long, "batch/length");
    long[place..place + 8].copy_from_slice(&0i64.to_le_bytes());
    write(at.path(), "x", &long);
    told("x.safetensors: batch/length: expected at least one step for each graph");
}
