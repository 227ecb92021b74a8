//! A disk that fills up while writing: exit code 1, and nothing is left.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::salsa::{command, folder, names, run, succeeds};

const WORDS: [&str; 3] = [
    "generate -a bfs --samples 2000 --hints --out out",
    "generate -a bfs --samples 2000 --hints --out out --file-format jsonl",
    "generate -a bfs --samples 2000 --hints --out out --file-format bin",
];

fn path_of(words: &str) -> &'static str {
    match words.rsplit(' ').next() {
        Some("bin") => "out/paper-bfs-train.bin",
        Some("jsonl") => "out/paper-bfs-train.jsonl",
        _ => "out/paper-bfs-train.arrow/00000.arrow",
    }
}

/// `salsa` in a shell that lets no file grow beyond `blocks` of 512 or 1024 bytes.
fn with_small_files(at: &Path, words: &str, blocks: u32) -> Command {
    let salsa = command(at);
    let mut shell = Command::new("sh");
    let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" {words}");
    shell.current_dir(at).arg("-c").arg(script).arg(salsa.get_program());
    shell
}

#[test]
fn files_that_may_not_grow_leave_nothing() {
    for words in WORDS {
        let at = folder();
        let failed = run(&mut with_small_files(at.path(), words, 40));
        let expected = format!(
            "error: {}: File too large (os error 27); free some space or choose another --out\n",
            path_of(words)
        );
        assert_eq!(failed.err, expected);
        assert_eq!((failed.code, failed.out.as_str()), (Some(1), ""));
        assert_eq!(names(&at.path().join("out")), [""; 0]);
    }
}

#[test]
fn a_picture_that_does_not_fit_leaves_nothing() {
    let at = folder();
    let words = "draw -a dfs --split er_80 --show strip --out out/a.svg";
    let failed = run(&mut with_small_files(at.path(), words, 1));
    let expected = "error: out/a.svg: File too large (os error 27); free some space or choose \
                    another --out\n";
    assert_eq!((failed.err.as_str(), failed.code), (expected, Some(1)));
    assert_eq!(names(&at.path().join("out")), [""; 0]);
}

/// Needs the right to mount; without it there is nothing to see here.
#[test]
fn a_really_full_disk_leaves_nothing() {
    let at = folder();
    let disk = at.path().join("out");
    std::fs::create_dir(&disk).unwrap();
    let options = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"].map(OsStr::new);
    if !succeeds("mount", &[&options[..], &[disk.as_os_str()]].concat()) {
        return;
    }
    let runs = WORDS.map(|words| (words, run(command(at.path()).args(words.split(' ')))));
    let left = names(&disk);
    assert!(succeeds("umount", &[disk.as_os_str()]));
    for (words, failed) in runs {
        let expected = format!(
            "error: {}: No space left on device (os error 28); free some space or choose another \
             --out\n",
            path_of(words)
        );
        assert_eq!((failed.err, failed.code), (expected, Some(1)));
    }
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_full_standard_output_is_told() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let at = folder();
    let failed = run(command(at.path()).arg("list").stdout(full));
    let expected = "error: standard output: No space left on device (os error 28)\n";
    assert_eq!((failed.err.as_str(), failed.code), (expected, Some(1)));
}
