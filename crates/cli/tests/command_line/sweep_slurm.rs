//! `salsa sweep submit --slurm` on a real Slurm: workers die and are preempted, others are
//! submitted, and the records are those of a sweep that nobody disturbed.

use std::fs::DirEntry;
use std::path::Path;

use serde_json::Value;

use crate::cluster::{Cluster, cluster, until};
use crate::mistakes::mistake_at;
use crate::salsa::{Run, command, folder, run, succeeds};
use crate::sweep::{CELLS, TINY, assert_same, left, undisturbed};

fn on(cluster: &Cluster, at: &Path, words: &str) -> Run {
    let mut command = command(at);
    command.env("SLURM_CONF", cluster.configuration()).args(words.split_whitespace());
    run(&mut command)
}

fn status(cluster: &Cluster, at: &Path) -> Value {
    let status = on(cluster, at, "sweep status s --format json");
    assert_eq!(status.code, Some(0), "{}", status.err);
    serde_json::from_str(&status.out).unwrap()
}

/// Cells that take long enough to be caught at work.
fn longer() -> String {
    TINY.replace("epochs = 4", "epochs = 40")
}

/// Claims that somebody holds, as they are in the folder: whoever asked Slurm too would be slow.
fn held(sweep: &Path) -> Vec<Value> {
    let cells = std::fs::read_dir(sweep.join("claims")).into_iter().flatten().flatten();
    let files = cells.flat_map(|cell| std::fs::read_dir(cell.path()).into_iter().flatten());
    // One that has no number yet is nobody's.
    let is_named = |file: &DirEntry| file.file_name().to_string_lossy().parse::<u64>().is_ok();
    let files = files.flatten().filter(is_named);
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let claims = texts.filter_map(|text| serde_json::from_str::<Value>(&text).ok());
    claims.filter(|claim| claim["state"] == "held").collect()
}

/// The process and the job of a worker that holds a cell, stopped in its tracks.
fn caught(at: &Path) -> (String, String) {
    let mut found = None;
    until("a worker is caught at work", || {
        let Some(claim) = held(&at.join("s")).pop() else { return false };
        let process = claim["holder"]["process"].to_string();
        if !succeeds("kill", &["-STOP".as_ref(), process.as_ref()]) {
            return false;
        }
        let is_same = |now: &Value| now["holder"] == claim["holder"];
        if !held(&at.join("s")).iter().any(is_same) {
            succeeds("kill", &["-CONT".as_ref(), process.as_ref()]);
            return false;
        }
        found = Some((process, claim["holder"]["job"].as_str().unwrap().to_owned()));
        true
    });
    found.unwrap()
}

#[test]
fn workers_on_slurm_may_die_and_be_preempted() {
    let Some(cluster) = cluster() else { return };
    let expected = undisturbed(&longer());
    let at = folder();
    // A name that scripts must quote.
    let at = &at.path().join("a b");
    std::fs::create_dir(at).unwrap();
    std::fs::write(at.join("tiny.toml"), longer()).unwrap();
    let submitted = on(&cluster, at, "sweep submit tiny.toml --slurm --out s --workers 1 --cpus 1");
    assert_eq!(
        (submitted.out.as_str(), submitted.err.as_str()),
        ("job 1 with 1 more workers, 0 were under way; 8 cells to do\nsalsa sweep status s\n", "")
    );

    // A worker dies: its job fails, its cell is lost, and Slurm's view says so.
    let (process, job) = caught(at);
    assert_eq!(job, "1_0");
    assert!(succeeds("kill", &["-KILL".as_ref(), process.as_ref()]));
    until("the job has failed", || {
        status(&cluster, at)["slurm"]["tasks"]["1_0"]["state"] == "FAILED"
    });
    let told = on(&cluster, at, "sweep status s").out;
    assert!(told.contains("Slurm jobs 1: 1 failed; nobody is at work, submit again"), "{told}");
    assert!(told.contains("  lost  "), "{told}");

    // Submitted again, as before but more of them; the lost cell is taken back.
    let again = on(&cluster, at, "sweep submit s --slurm --workers 2");
    assert!(
        again.out.starts_with("job 2 with 2 more workers, 0 were under way; "),
        "{}",
        again.out
    );
    assert!(again.out.contains(", 1 taken back from workers that are gone"), "{}", again.out);

    // One is preempted: Slurm ends it and starts it again.
    let (process, job) = caught(at);
    cluster.asked("scontrol", &format!("requeue {job}"));
    succeeds("kill", &["-CONT".as_ref(), process.as_ref()]);

    until("all cells are finished", || {
        // Slurm would let a requeued job wait for two minutes.
        cluster.asked("scontrol", &format!("update jobid={job} starttime=now"));
        status(&cluster, at)["finished"] == CELLS.len()
    });
    assert_same(&left(&at.join("s")), &expected);
    let done = on(&cluster, at, "sweep submit s --slurm");
    assert_eq!(done.out, "nothing is left to do; 0 cells to do\nsalsa sweep status s\n");
}

#[test]
fn what_workers_are_found_by_is_not_for_the_user_to_choose() {
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    for option in ["--job-name=mine", "-Jmine", "--array=0-3"] {
        mistake_at(
            at.path(),
            &format!("sweep submit tiny.toml --slurm --print --sbatch={option}"),
            &format!("--sbatch={option}: that is chosen here"),
        );
    }
}

#[test]
fn without_slurm_submitting_is_told_to_be_impossible() {
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let mut command = command(at.path());
    command.env("PATH", "/nowhere").args(["sweep", "submit", "tiny.toml", "--slurm"]);
    let failed = run(&mut command);
    assert_eq!(failed.code, Some(1));
    let expected = "error: cannot run sbatch: No such file or directory (os error 2); is this a \
                    machine that submits Slurm jobs?\n";
    assert_eq!(failed.err, expected);
    let printed = crate::salsa::salsa(at.path(), "sweep submit tiny.toml --slurm --print --cpus 2");
    assert!(printed.out.contains("\n#SBATCH --cpus-per-task=2\n"), "{}", printed.out);
}
