//! All cases of `tests/parity`: outputs, hidden states, loss terms, gradients, running statistics.

use std::path::PathBuf;

use salsa_learn::parity;

use crate::cases::tested;

fn cases() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "safetensors"));
    paths.sort();
    paths
}

#[test]
fn every_case_agrees_with_the_reference() {
    let cases = cases();
    assert_eq!(cases.len(), 54);
    let mut wrong = Vec::new();
    for path in &cases {
        for group in parity::check(path, tested()).unwrap() {
            if !group.agrees() {
                wrong.push(format!("{}: {group:?}", path.file_name().unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
