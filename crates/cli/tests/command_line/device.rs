//! `--device` and `--precision`: what they refuse, and that results say what computed them.

use serde_json::Value;

use crate::mistakes::mistake;
use crate::salsa::{folder, names, printed, repository, salsa};

const TINY: &str = "train --hidden 8 --epochs 1 --out run --set training.train_samples=16 \
    --set training.validation_samples=8";

#[test]
fn wrong_devices_are_told() {
    for command in ["train", "evaluate run", "predict run", "bench train", "bench infer"] {
        let name = command.trim_end_matches(" run");
        for device in ["gpu", "cuda:", "cuda:one", "cuda:-1"] {
            mistake(
                &format!("{command} --device {device}"),
                &format!(
                    "invalid value '{device}' for '--device <DEVICE>': expected cpu, cuda or \
                     cuda:N, found \"{device}\" (see salsa {name} --help)"
                ),
            );
        }
    }
    mistake(
        "train --device cuda --precision f16",
        "invalid value 'f16' for '--precision <NAME>': expected f32, tf32 or bf16, found \"f16\" \
         (see salsa train --help)",
    );
    mistake(
        "train --precision tf32",
        "--precision: the CPU computes in f32; others need --device cuda",
    );
    mistake("train --device cuda -j2", "--threads: only for --device cpu");
    mistake("bench scaling --device cuda,cuda:1 -j2", "--threads: only for --device cpu");
    mistake(
        "bench scaling --device cpu,gpu",
        "invalid value 'gpu' for '--device <DEVICES>': expected cpu, cuda or cuda:N, found \"gpu\" \
         (see salsa bench scaling --help)",
    );
}

#[test]
fn a_gpu_that_is_not_there_is_told_before_anything_is_written() {
    let at = folder();
    assert_eq!(salsa(at.path(), TINY).code, Some(0));
    let before = std::fs::read(at.path().join("run/run.toml")).unwrap();
    let case = repository("crates/learn/tests/parity/bfs-gin-paper.safetensors");
    // No machine has so many.
    for words in [
        "train --out other".to_owned(),
        "train --resume run --epochs 2".to_owned(),
        "evaluate run".to_owned(),
        "predict run --out made/p.jsonl".to_owned(),
        "bench train -a bfs -m gin --hints no".to_owned(),
        "bench infer --nodes 16".to_owned(),
        "bench scaling --plots plots".to_owned(),
        format!("dev parity {}", case.display()),
    ] {
        let run = salsa(at.path(), &format!("{words} --device cuda:999"));
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "salsa {words}");
        assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}", run.err);
        assert_eq!(names(at.path()), ["run"], "salsa {words}");
    }
    assert_eq!(std::fs::read(at.path().join("run/run.toml")).unwrap(), before);
}

#[test]
fn results_say_what_computed_them() {
    let at = folder();
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    assert_eq!(salsa(at.path(), TINY).code, Some(0));
    let log = std::fs::read_to_string(at.path().join("run/log.jsonl")).unwrap();
    assert_eq!(json(log.lines().next().unwrap())["device"], "cpu");
    let case = repository("crates/learn/tests/parity/bfs-gin-paper.safetensors");
    let listed = [
        "bench train -a bfs -m gin --hints no --batches 1 --seconds 0.01".to_owned(),
        "bench infer --nodes 16".to_owned(),
        "bench scaling --nodes 16".to_owned(),
        format!("dev parity {}", case.display()),
    ];
    for words in listed {
        let told = json(&printed(at.path(), &format!("{words} --format json")));
        assert_eq!(told[0]["device"], "cpu", "salsa {words}");
    }
    let words = "evaluate run --split er_16 --samples 2 --format json";
    let record = json(&printed(at.path(), words));
    assert_eq!((&record["device"], record.get("precision")), (&"cpu".into(), None));
}
