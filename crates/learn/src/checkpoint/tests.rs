//! Checkpoints: round trips, equal bytes for equal states, and a name for every damage.

use std::path::Path;

use proptest::prelude::*;
use safetensors::SafeTensors;

use super::*;
use crate::run::Run;
use crate::training::early_stopping::EarlyStoppingState;
use crate::training::running_loss::{LossTerms, RunningLoss};
use crate::training::schedule::PlateauState;

const PROCESSORS: &[&str] = &["pgn"];

fn small() -> Checkpoint {
    let run = Run::default();
    let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
    checkpoint.insert(Group::Parameter, "w", Tensor::new(&[2, 3], vec![1.0; 6]));
    checkpoint.insert(Group::Parameter, "b", Tensor::new(&[3], vec![-0.0, f32::MIN, 1e-45]));
    checkpoint.insert(Group::Buffer, "eps", Tensor::new(&[], vec![0.5]));
    checkpoint.insert(Group::FirstMoment, "w", Tensor::new(&[0, 3], vec![]));
    checkpoint
}

fn told(bytes: &[u8]) -> String {
    Checkpoint::from_bytes(bytes, PROCESSORS).unwrap_err().to_string()
}

/// The bytes with another text in the header, which keeps its length.
fn with_header(bytes: &[u8], change: impl Fn(String) -> String) -> Vec<u8> {
    let length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let header = change(String::from_utf8(bytes[8..8 + length].to_vec()).unwrap());
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes[8 + length..]].concat()
}

#[test]
fn any_reader_of_safetensors_opens_it() {
    let bytes = small().to_bytes().unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let mut names = tensors.names();
    names.sort();
    assert_eq!(names, ["adam_m/w", "buffer/eps", "param/b", "param/w"]);
    assert_eq!(tensors.tensor("param/w").unwrap().shape(), [2, 3]);
    assert_eq!(tensors.tensor("buffer/eps").unwrap().data(), 0.5_f32.to_le_bytes());
}

#[test]
fn the_bytes_are_pinned() {
    let run = Run::default();
    let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
    checkpoint.insert(Group::Parameter, "b", Tensor::new(&[1], vec![1.0]));
    let bytes = checkpoint.to_bytes().unwrap();
    let length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    assert_eq!((8 + length) % 8, 0);
    assert_eq!(bytes[8 + length..], 1.0_f32.to_le_bytes());
    let header = std::str::from_utf8(&bytes[8..8 + length]).unwrap();
    assert!(header.starts_with(r#"{"__metadata__":{"checksum":""#), "{header}");
    let progress = r#""progress":"{\"epoch\":0,\"batch\":0,\"step\":0,\"epoch_loss\":{\"sums\":{\"total\":0.0,\"output\":0.0,\"hints\":0.0,\"hidden\":0.0},\"graphs\":0},\"plateau\":{\"learning_rate\":0.0004239,\"best\":null,\"bad_epochs\":0},\"early_stopping\":{\"best\":null,\"best_epoch\":null,\"waited\":0},\"log_records\":0}","run":"algorithm = \"bfs\"\n"#;
    assert!(header.contains(progress), "{header}");
    let end =
        r#""salsa_checkpoint":"1"},"param/b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    assert!(header.trim_end().ends_with(end), "{header}");
}

#[test]
fn the_order_of_insertion_leaves_no_trace() {
    let mut other = Checkpoint::new(&Run::default(), Progress::start(&Run::default()));
    let all: Vec<(String, Tensor)> =
        small().tensors.iter().map(|(name, tensor)| (name.clone(), tensor.clone())).collect();
    for (name, tensor) in all.into_iter().rev() {
        other.tensors.insert(name, tensor);
    }
    assert_eq!(other.to_bytes().unwrap(), small().to_bytes().unwrap());
}

#[test]
fn tensors_are_found_by_group_name_and_shape() {
    let checkpoint = small();
    assert_eq!(checkpoint.values(Group::Parameter, "w", &[2, 3]).unwrap(), [1.0; 6]);
    let names: Vec<&str> = checkpoint.tensors(Group::Parameter).map(|(name, _)| name).collect();
    assert_eq!(names, ["b", "w"]);
    let missing = checkpoint.values(Group::SecondMoment, "w", &[2, 3]).unwrap_err();
    assert_eq!(missing.to_string(), "tensor \"adam_v/w\" is missing");
    let shape = checkpoint.values(Group::Parameter, "w", &[3, 2]).unwrap_err();
    assert_eq!(shape.to_string(), "tensor \"param/w\": expected shape [3, 2], found [2, 3]");
}

#[test]
fn every_truncation_is_told() {
    let bytes = small().to_bytes().unwrap();
    for length in 0..bytes.len() {
        let malformation = Checkpoint::from_bytes(&bytes[..length], PROCESSORS).unwrap_err();
        assert!(matches!(malformation, Malformation::Truncated { .. }), "{malformation}");
    }
    let (all, cut) = (bytes.len(), bytes.len() - 1);
    assert_eq!(
        told(&bytes[..cut]),
        format!("the file is truncated: expected {all} bytes, found {cut}")
    );
}

#[test]
fn every_flipped_bit_is_told() {
    let bytes = small().to_bytes().unwrap();
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            let read = Checkpoint::from_bytes(&damaged, PROCESSORS);
            // What stands between the values of JSON may change without harm.
            assert!(read.is_err() || read.unwrap() == small(), "byte {place}, bit {bit}");
        }
    }
}

#[test]
fn each_malformation_has_its_message() {
    let bytes = small().to_bytes().unwrap();
    assert!(told(b"algorithm = \"bfs\"").starts_with("not a safetensors file: a header of "));
    assert!(
        told(&[&[2, 0, 0, 0, 0, 0, 0, 0][..], b"{]"].concat()).starts_with("not a safetensors")
    );
    assert!(told(&[&bytes[..], b"!"].concat()).ends_with("something follows the last tensor"));
    let replaced = |from: &'static str, to: &'static str| {
        told(&with_header(&bytes, move |header| {
            assert!(header.contains(from));
            header.replacen(from, to, 1)
        }))
    };
    assert_eq!(
        replaced("salsa_checkpoint", "other"),
        "a safetensors file but no checkpoint: its metadata has no \"salsa_checkpoint\""
    );
    assert_eq!(
        replaced("salsa_checkpoint\":\"1", "salsa_checkpoint\":\"9"),
        "checkpoint format \"9\", expected \"1\""
    );
    assert!(replaced("epochs = 100", "epochs = 200").starts_with("the file is damaged: expected"));
    assert_eq!(
        replaced("param/w", "weight/w"),
        "tensor \"weight/w\": expected a name under param/, buffer/, adam_m/ or adam_v/"
    );
    assert_eq!(
        replaced("\"F32\",\"shape\":[3]", "\"I32\",\"shape\":[3]"),
        "tensor \"param/b\": expected F32, found I32"
    );
    assert!(replaced("[3],\"data", "[4],\"data").starts_with("not a safetensors file: "));
    let run = Checkpoint::from_bytes(&bytes, &["gin"]).unwrap_err().to_string();
    assert!(run.starts_with("run:8: model.processor: unknown processor \"pgn\""), "{run}");
}

#[test]
fn progress_of_another_kind_is_told() {
    let header = |checksum: &str, progress: &str| {
        let run = Run::default().to_toml();
        let mut metadata = std::collections::BTreeMap::from([
            ("salsa_checkpoint".to_owned(), VERSION.to_owned()),
            ("run".to_owned(), run),
            ("progress".to_owned(), progress.to_owned()),
        ]);
        let found = super::encode::checksum(&metadata, &Default::default(), &[]).unwrap();
        metadata.insert(checksum.to_owned(), found);
        let header = serde_json::json!({ "__metadata__": metadata }).to_string();
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()
    };
    let missing = told(&header("checksum", r#"{"epoch":1}"#));
    assert!(missing.starts_with("progress: missing field `batch`"), "{missing}");
    let unknown = told(&header("checksum", r#"{"epochs":1}"#));
    assert!(unknown.starts_with("progress: unknown field `epochs`"), "{unknown}");
    let broken = told(&header("checksum", r#"{"a\nb":1}"#));
    assert!(broken.starts_with("progress: unknown field `a b`"), "{broken}");
    let unchecked = told(&header("sum", "{}"));
    assert!(unchecked.ends_with("its metadata has no \"checksum\""), "{unchecked}");
}

#[test]
fn lengths_beyond_all_numbers_are_told() {
    let huge = |name: &str, start: u64, end: u64| {
        format!(
            r#""{name}":{{"dtype":"U8","shape":[{}],"data_offsets":[{start},{end}]}}"#,
            end - start
        )
    };
    let most = u64::MAX / 8;
    let tensors: Vec<String> =
        (0..8).map(|i| huge(&format!("t{i}"), i * most, (i + 1) * most)).collect();
    let header = format!("{{{}}}", tensors.join(","));
    let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    assert!(told(&bytes).starts_with("the file is truncated: expected"), "{}", told(&bytes));
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/last.safetensors");
    small().write(&path).unwrap();
    let mut later = small();
    later.progress.step = 7;
    later.write(&path).unwrap();
    assert_eq!(Checkpoint::read(&path, PROCESSORS).unwrap(), later);
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing temporary is left");
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taken");
    std::fs::create_dir_all(path.join("by a folder")).unwrap();
    let told = small().write(&path).unwrap_err().to_string();
    assert!(told.contains("taken: cannot write the checkpoint: "), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn errors_name_the_file() {
    let absent = Checkpoint::read(Path::new("absent.safetensors"), PROCESSORS).unwrap_err();
    assert!(absent.to_string().starts_with("absent.safetensors: cannot read"), "{absent}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.safetensors");
    std::fs::write(&path, [1, 2, 3]).unwrap();
    let half = Checkpoint::read(&path, PROCESSORS).unwrap_err().to_string();
    let expected = "half.safetensors: the file is truncated: expected 8 bytes, found 3";
    assert!(half.ends_with(expected), "{half}");
}

fn any_progress() -> impl Strategy<Value = Progress> {
    // Not NaN, which equals nothing; that it comes back is tested beside the JSON of floats.
    let float = || any::<f64>().prop_filter("a number", |value| !value.is_nan());
    let numbers = proptest::collection::vec(any::<u64>(), 7);
    let floats = proptest::collection::vec(float(), 5);
    let maybe = (proptest::option::of(float()), proptest::option::of(float()));
    (numbers, floats, maybe, any::<Option<u64>>()).prop_map(|(n, f, maybe, best_epoch)| {
        let mut epoch_loss = RunningLoss::default();
        epoch_loss.add(LossTerms { total: f[0], output: f[1], hints: f[2], hidden: f[3] }, 1);
        Progress {
            epoch: n[0],
            batch: n[1],
            step: n[2],
            epoch_loss,
            plateau: PlateauState { learning_rate: f[4], best: maybe.0, bad_epochs: n[3] },
            early_stopping: EarlyStoppingState { best: maybe.1, best_epoch, waited: n[4] },
            log_records: n[5],
        }
    })
}

fn any_tensors() -> impl Strategy<Value = Vec<(Group, String, Vec<usize>, u32)>> {
    let tensor = (
        proptest::sample::select(&Group::ALL[..]),
        any::<String>(),
        proptest::collection::vec(0..4_usize, 0..4),
        any::<u32>(),
    );
    proptest::collection::vec(tensor, 0..6)
}

proptest! {
    #[test]
    fn a_checkpoint_comes_back_bit_for_bit(progress in any_progress(), tensors in any_tensors()) {
        let mut checkpoint = Checkpoint::new(&Run::default(), progress);
        for (group, name, shape, bits) in tensors {
            let count: usize = shape.iter().product();
            let values = (0..count as u32).map(|i| f32::from_bits(bits.wrapping_mul(2 * i + 1)));
            checkpoint.insert(group, &name, Tensor::new(&shape, values.collect()));
        }
        let bytes = checkpoint.to_bytes().unwrap();
        let back = Checkpoint::from_bytes(&bytes, PROCESSORS).unwrap();
        prop_assert_eq!(&back.progress, &checkpoint.progress);
        prop_assert_eq!(back.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in any::<Vec<u8>>(), header in "\\PC*") {
        let _ = Checkpoint::from_bytes(&bytes, PROCESSORS);
        let framed = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
        let _ = Checkpoint::from_bytes(&framed, PROCESSORS);
    }
}
