//! A sweep that is killed, paused and runs out of space ends as one that was left alone.
//!
//! Moments are drawn at random, from a fixed seed; where in its work they hit a process depends on
//! the machine. What must be true at the end does not.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::salsa::{command, folder, printed, run, salsa, succeeds};
use crate::sweep::{Left, TINY, assert_same, left, make, tables, undisturbed};

/// Numbers that look random (Knuth's linear congruence).
struct Dice(u64);

impl Dice {
    /// Below `limit`.
    fn roll(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn sleep(&mut self, limit: u64) {
        std::thread::sleep(Duration::from_millis(self.roll(limit)));
    }
}

/// A process that is gone when the test is.
struct Process(Child);

impl Process {
    fn start(at: &Path, words: &str) -> Self {
        let mut told = std::fs::OpenOptions::new();
        let told = told.append(true).create(true).open(at.join("told")).unwrap();
        let mut command = command(at);
        command.args(words.split_whitespace()).stdout(Stdio::null()).stderr(told);
        Self(command.spawn().unwrap())
    }

    fn signal(&self, signal: &str) {
        // It may have ended just before.
        succeeds("kill", &[signal.as_ref(), self.0.id().to_string().as_ref()]);
    }

    /// Its exit code, if it has ended by itself.
    fn ended(&mut self) -> Option<Option<i32>> {
        self.0.try_wait().unwrap().map(|status| status.code())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What went wrong, of all that the processes told.
fn told(at: &Path) -> String {
    let told = std::fs::read_to_string(at.join("told")).unwrap();
    let is_trouble =
        |line: &&str| ["error", "panicked", "failed"].iter().any(|word| line.contains(word));
    told.lines().filter(is_trouble).collect::<Vec<_>>().join("\n")
}

/// A folder with the sweep `s` that nobody has begun.
fn prepared() -> tempfile::TempDir {
    let at = folder();
    make(at.path(), "s");
    at
}

#[track_caller]
fn finished_as(at: &Path, expected: &Left) {
    let run = salsa(at, "sweep run s");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.starts_with("tiny: 8 of 8 cells finished\n"), "{}", run.out);
    assert_same(&left(&at.join("s")), expected);
    let reported = printed(at, "report s --table all --format markdown");
    assert_eq!(reported, tables(expected));
}

#[test]
fn killed_at_random_moments_a_sweep_ends_the_same() {
    let expected = undisturbed(TINY);
    for seed in 0..3 {
        let (at, mut dice, mut kills) = (prepared(), Dice(seed), 0);
        while kills < 60 {
            let mut sweep = Process::start(at.path(), "sweep run s --jobs 3 -j3 --lease 1s");
            dice.sleep(40 + 4 * kills);
            match sweep.ended() {
                Some(code) => {
                    assert_eq!(code, Some(0), "{}", told(at.path()));
                    break;
                }
                None => sweep.signal("-KILL"),
            }
            kills += 1;
        }
        finished_as(at.path(), &expected);
    }
}

#[test]
fn killed_stopped_and_paused_workers_end_the_same() {
    let expected = undisturbed(TINY);
    let (at, mut dice) = (prepared(), Dice(7));
    let words = "sweep worker s --jobs 2 -j2 --lease 300ms";
    let mut workers: Vec<Process> = (0..3).map(|_| Process::start(at.path(), words)).collect();
    for _ in 0..60 {
        dice.sleep(60);
        let place = dice.roll(3) as usize;
        match dice.roll(4) {
            0 => workers[place].signal("-KILL"),
            1 => workers[place].signal("-TERM"),
            // Longer than its lease: others take over, and then it goes on.
            2 => workers[place].signal("-STOP"),
            _ => workers[place].signal("-CONT"),
        }
        for worker in &mut workers {
            if let Some(code) = worker.ended() {
                // All done, stopped with work left, told to stop twice, or killed.
                assert!(matches!(code, Some(0 | 75 | 130) | None), "{code:?}: {}", told(at.path()));
                *worker = Process::start(at.path(), words);
            }
        }
    }
    for worker in &workers {
        worker.signal("-CONT");
    }
    for worker in &mut workers {
        let code = worker.0.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 75 | 130) | None), "{code:?}: {}", told(at.path()));
    }
    finished_as(at.path(), &expected);
}

#[test]
fn files_that_may_not_grow_lose_nothing() {
    let expected = undisturbed(TINY);
    let at = prepared();
    // In blocks of 512 or 1024 bytes: enough for claims, then for logs, then for checkpoints.
    for blocks in [2, 8, 24, 60] {
        let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" sweep run s");
        let mut shell = Command::new("sh");
        shell.current_dir(at.path()).args(["-c", &script]).arg(command(at.path()).get_program());
        let failed = run(&mut shell);
        if failed.code != Some(0) {
            assert_eq!(failed.code, Some(1), "{}", failed.err);
            assert!(failed.err.contains("File too large"), "{}", failed.err);
        }
    }
    finished_as(at.path(), &expected);
}

/// Needs the right to mount; without it there is nothing to see here.
#[test]
fn a_disk_that_fills_up_again_and_again_loses_nothing() {
    let at = folder();
    std::fs::write(at.path().join("tiny.toml"), TINY).unwrap();
    let disk = at.path().join("s");
    std::fs::create_dir(&disk).unwrap();
    let mount = |options: &str| {
        let words = ["-t", "tmpfs", "-o", options, "tmpfs"].map(OsStr::new);
        succeeds("mount", &[&words[..], &[disk.as_os_str()]].concat())
    };
    if !mount("size=64k") {
        return;
    }
    let (mut failures, mut left_behind) = (0, None);
    for size in (64..).step_by(24) {
        assert!(mount(&format!("remount,size={size}k")), "{size}");
        let run = salsa(at.path(), "sweep run tiny.toml --out s --jobs 2");
        match run.code {
            Some(0) => {
                left_behind = Some(left(&disk));
                break;
            }
            code => {
                failures += 1;
                assert!(code == Some(1) && run.err.contains("No space left"), "{}", run.err);
            }
        }
    }
    assert!(succeeds("umount", &[disk.as_os_str()]));
    assert!(failures > 2, "{failures}");
    assert_same(&left_behind.unwrap(), &undisturbed(TINY));
}
