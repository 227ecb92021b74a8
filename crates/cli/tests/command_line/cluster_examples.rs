//! The files in `examples/cluster` start workers that finish a sweep.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::salsa::{folder, repository, run, salsa, succeeds};
use crate::sweep::{TINY, assert_same, left, make, undisturbed};

/// A sweep `s` that nobody has begun, and a program `bin/salsa` that is stopped at its first call.
fn prepared() -> tempfile::TempDir {
    let at = folder();
    make(at.path(), "s");
    let bin = at.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let program = env!("CARGO_BIN_EXE_salsa");
    let script =
        format!("#!/bin/sh\nmkdir called 2>/dev/null && exit 75\nexec '{program}' \"$@\"\n");
    std::fs::write(bin.join("salsa"), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bin.join("salsa"), mode).unwrap();
    at
}

fn with_path(command: &mut Command, at: &Path) {
    let path = std::env::var("PATH").unwrap();
    command.current_dir(at).env("PATH", format!("{}/bin:{path}", at.display()));
}

#[test]
fn a_pbs_job_is_a_worker() {
    let at = prepared();
    let script = repository("examples/cluster/pbs.sh");
    let mut job = Command::new("sh");
    with_path(job.arg(&script), at.path());
    assert_ne!(run(&mut job).code, Some(0), "without a folder");
    job.env("FOLDER", "s").env("NCPUS", "2");
    assert_eq!(run(&mut job).code, Some(75));
    let done = run(&mut job);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_same(&left(&at.path().join("s")), &undisturbed(TINY));
}

#[test]
fn what_kubernetes_starts_is_a_command() {
    let text = std::fs::read_to_string(repository("examples/cluster/kubernetes.yaml")).unwrap();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("command: ")).unwrap();
    let words: Vec<String> = serde_json::from_str(line).unwrap();
    let told = salsa(folder().path(), &words[1..].join(" "));
    assert_eq!((words[0].as_str(), told.code), ("salsa", Some(2)));
    assert!(told.err.starts_with("error: /sweeps/paper-table1: "), "{}", told.err);
}

/// As much of Ray as the example uses: tasks that run when they are asked for.
pub const RAY: &str = "
def init(**_):
    pass

def remote(**_):
    class Task:
        def __init__(self, function):
            self.remote = lambda *words: lambda: function(*words)
    return Task

def wait(tasks):
    return tasks[:1], tasks[1:]

def get(tasks):
    return [task() for task in tasks]
";

#[test]
fn a_ray_task_is_a_worker_that_is_started_again() {
    if !succeeds("python3", &["--version".as_ref()]) {
        return;
    }
    let at = prepared();
    std::fs::write(at.path().join("ray.py"), RAY).unwrap();
    let mut driver = Command::new("python3");
    driver.arg(repository("examples/cluster/ray_sweep.py")).args([
        "s",
        "--workers",
        "1",
        "--",
        "--lease",
        "1m",
    ]);
    with_path(driver.env("PYTHONPATH", at.path()), at.path());
    let done = run(&mut driver);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(at.path().join("called").exists());
    assert_same(&left(&at.path().join("s")), &undisturbed(TINY));
}
