//! Whoever reads or started a run may go away.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::salsa::{command, folder, names, printed, succeeds};

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

#[test]
fn a_killed_generate_goes_on_and_ends_with_the_same_bytes() {
    let [at, whole] = [folder(), folder()];
    let words = "generate -a dfs --split er_1600 --samples 150 --hints --out .";
    let name = "paper-dfs-er_1600.arrow";
    let partial = at.path().join(format!(".{name}.partial"));
    let first = partial.join("00000.arrow");
    let mut child = command(at.path()).args(words.split(' ')).spawn().unwrap();
    let start = Instant::now();
    // The note of a shard comes after it and says that it can be kept.
    while !partial.join("00000.arrow.note").exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!at.path().join(name).exists(), "it was killed before its end");
    let time = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let finished = time(&first);

    let told = printed(at.path(), words);
    assert_eq!(told, printed(whole.path(), words));
    assert_eq!(names(at.path()), [name.to_owned(), format!("{name}.manifest.json")]);
    assert_eq!(time(&at.path().join(name).join("00000.arrow")), finished);
    let shards = names(&whole.path().join(name));
    assert!(shards.len() >= 2);
    assert_eq!(names(&at.path().join(name)), shards);
    for shard in shards {
        let read = |at: &Path| std::fs::read(at.join(name).join(&shard)).unwrap();
        assert!(read(at.path()) == read(whole.path()), "{shard}");
    }
}
