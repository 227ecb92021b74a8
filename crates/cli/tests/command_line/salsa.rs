//! Running the binary.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run gave.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// `salsa` with these words, separated by spaces, in the folder `at`.
pub fn salsa(at: &Path, words: &str) -> Run {
    run(command(at).args(words.split_whitespace()))
}

/// `salsa` with these words and `input` on its standard input.
pub fn salsa_with_input(at: &Path, words: &str, input: &[u8]) -> Run {
    let mut child = command(at)
        .args(words.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A run that fails early leaves its input unread; that is no failure of the test.
    let writer = std::thread::spawn(move || drop(to.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.into()
}

/// What a run that must succeed without a word on the standard error prints.
pub fn printed(at: &Path, words: &str) -> String {
    let run = salsa(at, words);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "salsa {words}");
    run.out
}

/// The binary, with nothing of the terminal or the environment in its output.
pub fn command(at: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_salsa"));
    command.current_dir(at).env("COLUMNS", "80").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

pub fn run(command: &mut Command) -> Run {
    command.output().unwrap().into()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A folder that goes away with the test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The names in a folder, sorted, hidden ones too.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Whether this process may write anywhere.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Whether `program` with these arguments succeeds.
pub fn succeeds(program: &str, arguments: &[&OsStr]) -> bool {
    let done = Command::new(program).args(arguments).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}
