//! Whoever reads or started a run may go away.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::salsa::{command, folder, names, succeeds};

#[test]
fn a_closed_output_ends_the_run_without_a_word() {
    let at = folder();
    // More than a pipe holds.
    let words = "inspect -a dfs --split er_80 --format json";
    let mut child = command(at.path())
        .args(words.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_list_may_be_read_in_part() {
    let at = folder();
    let mut child = command(at.path()).arg("list").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "Algorithms\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_interrupted_generate_leaves_nothing_under_its_name() {
    let at = folder();
    let words = "generate -a dfs --split er_1600 --hints --out .";
    let mut child = command(at.path()).args(words.split(' ')).spawn().unwrap();
    let start = Instant::now();
    while names(at.path()).is_empty() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(succeeds("kill", &["-INT".as_ref(), child.id().to_string().as_ref()]));
    assert!(!child.wait().unwrap().success());
    let visible: Vec<String> =
        names(at.path()).into_iter().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(visible, [""; 0]);
}
