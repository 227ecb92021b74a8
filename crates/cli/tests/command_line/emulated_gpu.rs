//! `--device cuda` on a GPU that a CPU emulates (`crates/engine/emulator`): trainings end as they
//! should, and what goes wrong with a GPU loses nothing.
//!
//! `SALSA_TEST_EMULATOR` is the folder of its driver; `./test` builds it where there is a C++ compiler.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::salsa::{Run, command, folder, names, repository, run, salsa};
use crate::train::{checkpoints, log};

/// A few steps of a small network.
const TINY: &str = "train -a dijkstra -m pgn --hints --hidden 8 --epochs 3 --batch 4 \
    --set training.train_samples=24 --set training.validation_samples=12";

struct Gpu {
    driver: PathBuf,
    settings: Vec<(&'static str, String)>,
}

impl Gpu {
    /// `None` where none was built.
    fn new() -> Option<Self> {
        let driver = std::env::var_os("SALSA_TEST_EMULATOR");
        if driver.is_none() {
            eprintln!("not tested: SALSA_TEST_EMULATOR is not set");
        }
        Some(Self { driver: driver?.into(), settings: Vec::new() })
    }

    /// The same with another `SALSA_EMULATED_*`.
    fn with(&self, name: &'static str, value: u64) -> Self {
        let mut settings = self.settings.clone();
        settings.push((name, value.to_string()));
        Self { driver: self.driver.clone(), settings }
    }

    /// `salsa` with these words and `--device cuda`.
    fn salsa(&self, at: &Path, words: &str) -> Run {
        let mut command = command(at);
        command.args(words.split_whitespace()).args(["--device", "cuda"]);
        command.env("LD_LIBRARY_PATH", &self.driver).env("XDG_CACHE_HOME", at.join("cache"));
        run(command.envs(self.settings.clone()))
    }

    /// What it prints if nothing goes wrong.
    #[track_caller]
    fn printed(&self, at: &Path, words: &str) -> String {
        let run = self.salsa(at, words);
        assert_eq!(run.code, Some(0), "salsa {words}: {}", run.err);
        run.out
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A folder with a training by a GPU that nothing happened to.
fn undisturbed(gpu: &Gpu) -> tempfile::TempDir {
    let at = folder();
    gpu.printed(at.path(), &format!("{TINY} --out run"));
    at
}

/// What the log says of epochs.
fn epochs(run: &Path) -> Vec<Value> {
    log(run).into_iter().filter(|record| record["event"] == "epoch").collect()
}

#[track_caller]
fn left_the_same(found: &Path, expected: &Path) {
    assert!(checkpoints(found) == checkpoints(expected));
    assert_eq!(epochs(found), epochs(expected));
}

#[test]
fn a_gpu_learns_what_a_cpu_learns() {
    let Some(gpu) = Gpu::new() else { return };
    let at = undisturbed(&gpu);
    assert_eq!(salsa(at.path(), &format!("{TINY} --out cpu")).code, Some(0));
    assert_eq!(log(&at.path().join("run"))[0]["device"], "emulated GPU");
    let [here, there] = ["cpu", "run"].map(|name| epochs(&at.path().join(name)));
    assert_eq!((here.len(), there.len()), (3, 3));
    for (here, there) in here.iter().zip(&there) {
        let [here, there] = [here, there].map(|epoch| epoch["train"]["total"].as_f64().unwrap());
        assert!((here - there).abs() < 1e-3 * here, "{here} and {there}");
    }
    let evaluated = |words: &str, on_gpu: bool| {
        let words = format!("evaluate run --split er_16 --samples 40 --format json{words}");
        if on_gpu {
            json(&gpu.printed(at.path(), &words))
        } else {
            json(&salsa(at.path(), &words).out)
        }
    };
    let [here, there] = [false, true].map(|on_gpu| evaluated("", on_gpu));
    assert_eq!(there["device"], "emulated GPU");
    assert_eq!(there["splits"][0]["graphs"], 40);
    assert_eq!(here["splits"], there["splits"]);
    let steps = evaluated(" --steps auto", true);
    assert_eq!(evaluated(" --steps auto", false)["splits"], steps["splits"]);
}

#[test]
fn runs_side_by_side_on_a_gpu_end_as_they_do_alone() {
    let Some(gpu) = Gpu::new() else { return };
    let at = undisturbed(&gpu);
    gpu.printed(at.path(), &format!("{TINY} --seeds 42..44 --out many"));
    assert_eq!(names(&at.path().join("many")), ["seed-42", "seed-43", "seed-44"]);
    gpu.printed(at.path(), &format!("{TINY} --seed 44 --out other"));
    left_the_same(&at.path().join("many/seed-42"), &at.path().join("run"));
    left_the_same(&at.path().join("many/seed-44"), &at.path().join("other"));
}

#[test]
fn a_lost_gpu_keeps_the_last_checkpoint() {
    let Some(gpu) = Gpu::new() else { return };
    let expected = undisturbed(&gpu);
    let at = folder();
    let lost = gpu.with("SALSA_EMULATED_LAUNCHES", 60);
    let run = lost.salsa(at.path(), &format!("{TINY} --out run"));
    assert_eq!(run.code, Some(1));
    let told = run.err.lines().last().unwrap();
    assert_eq!(
        told,
        "error: the GPU failed: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED); the last \
         checkpoint is still there, go on with --resume"
    );
    let before = epochs(&at.path().join("run"));
    assert!((1..3).contains(&before.len()), "it was lost between the first epoch and the last");
    gpu.printed(at.path(), "train --resume run");
    left_the_same(&at.path().join("run"), &expected.path().join("run"));
}

#[test]
fn a_gpu_without_memory_says_how_to_go_on() {
    let Some(gpu) = Gpu::new() else { return };
    let at = folder();
    let small = gpu.with("SALSA_EMULATED_MEMORY", 70_000_000);
    let words = "train -a dfs -m gin --hints --hidden 32 --epochs 1 --out run \
        --set training.train_samples=16 --set training.validation_samples=2";
    let run = small.salsa(at.path(), words);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.err,
        "error: the GPU is out of memory: 32 MiB more were needed, 32 MiB are in use here and 27 MiB \
         of 67 MiB are free; go on from the last checkpoint with --resume and a lower --batch, or \
         begin again with a lower --hidden\n"
    );
    small.printed(at.path(), "train --resume run --batch 2");
    assert_eq!(log(&at.path().join("run")).last().unwrap()["event"], "finished");
}

#[test]
fn older_gpus_compute_the_same_or_are_refused() {
    let Some(gpu) = Gpu::new() else { return };
    let at = folder();
    let cases = ["bfs-gin-paper", "dijkstra-pgn-release-hints", "fast_mis-recgnn-paper"]
        .map(|case| repository(&format!("crates/learn/tests/parity/{case}.safetensors")));
    let cases = cases.map(|case| case.display().to_string()).join(" ");
    let words = format!("dev parity {cases} --format json");
    let groups = json(&gpu.with("SALSA_EMULATED_CAPABILITY", 80).printed(at.path(), &words));
    assert!(groups.as_array().unwrap().iter().all(|group| group["device"] == "emulated GPU"));
    let run = gpu.with("SALSA_EMULATED_CAPABILITY", 75).salsa(at.path(), &words);
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.err,
        "error: emulated GPU has compute capability 7.5; at least 8.0 (Ampere) is needed\n"
    );
}
