//! Every command in the guide runs, from the first to the last, as a reader would type them.

use std::path::Path;

use crate::salsa::salsa;

#[test]
fn the_commands_of_the_training_guide_run() {
    let at = tempfile::tempdir().unwrap();
    run_blocks(include_str!("../../../../docs/guide/training.md"), at.path());
}

/// Files of blocks of TOML, which say their name in their first line, and commands of blocks of sh.
fn run_blocks(page: &str, at: &Path) {
    let mut n_commands = 0;
    // Between fences, every other part is a block.
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "toml" => {
                let name = text.split_whitespace().nth(1).unwrap();
                std::fs::write(at.join(name), text).unwrap();
            }
            "sh" => {
                for line in text.lines() {
                    let words = line.strip_prefix("salsa ").unwrap();
                    let run = salsa(at, words);
                    assert_eq!(run.code, Some(0), "{line}\n{}", run.err);
                    n_commands += 1;
                }
            }
            _ => {}
        }
    }
    assert!(n_commands > 0);
}
