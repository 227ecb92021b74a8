//! A split on disk: what is written verifies, and whatever is altered afterwards is named.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use salsa_traces::algorithms::{self, ALL};
use salsa_traces::dataset::{Manifest, Request, VerifyError, manifest_path, verify, write};
use salsa_traces::export::Format;
use salsa_traces::export::binary::Records;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

#[test]
fn what_is_written_verifies() {
    for algorithm in ALL {
        for format in Format::ALL {
            for hints in [true, false] {
                let name = &algorithm.spec().algorithm;
                let (_folder, file, manifest) = written(&Wanted { name, format, hints, ..SMALL });
                assert_eq!(verify(&file, &|_| ()).unwrap(), manifest, "{name} {format}");
            }
        }
    }
}

#[test]
fn a_file_and_its_manifest_are_all_that_is_left() {
    let (folder, file, _) = written(&SMALL);
    let mut expected = vec![file.clone(), manifest_path(&file)];
    expected.sort();
    assert_eq!(files_in(folder.path()), expected);
    assert_eq!(file.file_name().unwrap(), "paper-bfs-train.bin");
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    for format in RECORDS {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (_folder, file, manifest) = written(&Wanted { format, samples: 40, ..SMALL });
                (fs::read(file).unwrap(), manifest)
            })
        };
        assert_eq!(with(1), with(2), "{format}");
    }
}

#[test]
fn a_file_of_several_batches_holds_every_sample_once() {
    // 4096 small graphs are made at a time.
    let (_folder, file, _) = written(&Wanted { samples: 4100, hints: false, ..SMALL });
    let suite = Suite::named("paper").unwrap();
    let bfs = algorithms::find("bfs").unwrap();
    let sampler = Sampler::new(&suite, suite.seed, bfs, "train").unwrap();
    let read = Records::new(BufReader::new(File::open(file).unwrap())).unwrap();
    let read: Vec<Sample> = read.map(Result::unwrap).collect();
    let expected = (0..4100).map(|index| sampler.sample(index, false).unwrap());
    assert!(read.into_iter().eq(expected));
}

#[test]
#[cfg(unix)]
fn whoever_may_read_other_files_may_read_these() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, file, _) = written(&SMALL);
    let other = folder.path().join("other");
    fs::write(&other, b"").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!([mode(&file), mode(&manifest_path(&file))], [mode(&other); 2]);
}

#[test]
fn the_content_hash_is_the_same_for_every_format() {
    let manifests = Format::ALL.map(|format| written(&Wanted { format, ..SMALL }).2);
    let contents: HashSet<&str> = manifests.iter().map(|m| m.content_hash.as_str()).collect();
    let files: HashSet<&str> = manifests.iter().map(|m| m.file_hash.as_str()).collect();
    assert_eq!((contents.len(), files.len()), (1, Format::ALL.len()));
}

#[test]
fn the_content_hash_is_the_same_without_hints() {
    let [with, without] = [true, false].map(|hints| written(&Wanted { hints, ..SMALL }).2);
    assert_eq!(with.content_hash, without.content_hash);
}

#[test]
fn writing_again_gives_the_same_file_and_replaces_it() {
    let (folder, file, manifest) = written(&SMALL);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, b"something else").unwrap();
    assert_eq!(write_into(folder.path(), &SMALL).unwrap(), (file.clone(), manifest));
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_flipped_bit_is_named_with_its_sample() {
    for format in RECORDS {
        let (_folder, file, _) = written(&Wanted { format, ..SMALL });
        let bytes = fs::read(&file).unwrap();
        // Verifying makes all samples again, so not every place is tried.
        for place in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            fs::write(&file, &damaged).unwrap();
            let error = verify(&file, &|_| ()).unwrap_err();
            let expected = match record_at(format, &bytes, place) {
                None => "the header is damaged".to_owned(),
                Some(index) => format!("sample {index} differs from what suite and seed give"),
            };
            assert_eq!(error.to_string(), format!("{}: {expected}", file.display()), "{place}");
        }
    }
}

#[test]
fn a_cut_is_named_with_its_sample() {
    for format in RECORDS {
        let (_folder, file, _) = written(&Wanted { format, ..SMALL });
        let bytes = fs::read(&file).unwrap();
        for len in (0..bytes.len()).step_by(11).chain([bytes.len() - 1]) {
            fs::write(&file, &bytes[..len]).unwrap();
            let error = verify(&file, &|_| ()).unwrap_err();
            let expected = match record_at(format, &bytes, len) {
                None => "the header is damaged".to_owned(),
                Some(index) => format!("cut off within sample {index} of 3"),
            };
            assert_eq!(error.to_string(), format!("{}: {expected}", file.display()), "{len}");
        }
    }
}

#[test]
fn anything_after_the_last_sample_is_named() {
    for format in RECORDS {
        let (_folder, file, _) = written(&Wanted { format, ..SMALL });
        let mut bytes = fs::read(&file).unwrap();
        bytes.push(b'\n');
        fs::write(&file, bytes).unwrap();
        let error = verify(&file, &|_| ()).unwrap_err();
        assert!(matches!(error, VerifyError::Trailing { samples: 3, .. }), "{error}");
    }
}

#[test]
fn an_altered_manifest_is_noticed() {
    let (_folder, file, _) = written(&SMALL);
    let text = fs::read_to_string(manifest_path(&file)).unwrap();
    let alterations = [
        ("suite", json!("release")),
        ("suite_version", json!(2)),
        ("convention", json!("release")),
        ("seed", json!(1)),
        ("algorithm", json!("dfs")),
        ("algorithm", json!("bsf")),
        ("split", json!("val")),
        ("split", json!("nowhere")),
        ("samples", json!(2)),
        ("samples", json!(4)),
        ("samples", json!(10_001)),
        ("hints", json!(false)),
        ("format", json!("jsonl")),
        ("format", json!("text")),
        ("content_hash", json!("00")),
        ("file_hash", json!("00")),
        ("suite_text", json!("name = 1")),
        ("suite_text", json!(Suite::named("release").unwrap().text)),
    ];
    for (field, other) in alterations {
        let mut manifest: Value = serde_json::from_str(&text).unwrap();
        assert_ne!(manifest[field], other);
        manifest[field] = other.clone();
        fs::write(manifest_path(&file), manifest.to_string()).unwrap();
        let error = verify(&file, &|_| ()).expect_err(field).to_string();
        assert!(error.starts_with(&file.display().to_string()), "{error}");
    }
}

#[test]
fn a_manifest_that_is_missing_or_no_manifest_is_named() {
    let (_folder, file, _) = written(&SMALL);
    let path = manifest_path(&file);
    let named = |error: VerifyError| error.to_string().starts_with(&path.display().to_string());
    fs::write(&path, "{}").unwrap();
    assert!(named(verify(&file, &|_| ()).unwrap_err()));
    fs::remove_file(&path).unwrap();
    assert!(named(verify(&file, &|_| ()).unwrap_err()));
}

#[test]
fn a_file_that_is_missing_is_named() {
    let (_folder, file, _) = written(&SMALL);
    fs::remove_file(&file).unwrap();
    let error = verify(&file, &|_| ()).unwrap_err();
    assert!(
        matches!(&error, VerifyError::Read { path, .. } if *path == file.display().to_string())
    );
}

#[test]
fn a_folder_that_is_a_file_is_refused() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("out");
    fs::write(&file, b"mine").unwrap();
    let error = write_into(&file, &SMALL).unwrap_err();
    assert!(error.starts_with(&file.display().to_string()), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[test]
fn a_write_that_fails_leaves_nothing_behind() {
    let folder = tempdir().unwrap();
    let error = write_into(folder.path(), &Wanted { samples: 10_001, ..SMALL }).unwrap_err();
    assert_eq!(error, "split train has 10000 samples, there is no index 10000");
    assert!(files_in(folder.path()).is_empty());
}

#[test]
fn a_name_that_is_taken_by_a_folder_is_refused() {
    let folder = tempdir().unwrap();
    let taken = folder.path().join("paper-bfs-train.bin");
    fs::create_dir(&taken).unwrap();
    let error = write_into(folder.path(), &SMALL).unwrap_err();
    assert!(error.starts_with(&taken.display().to_string()), "{error}");
    assert_eq!(files_in(folder.path()), [taken]);
}

/// What to write of the suite `paper`.
struct Wanted<'a> {
    name: &'a str,
    samples: u64,
    hints: bool,
    format: Format,
}

/// The formats that are one file of records; `shards.rs` has the other.
const RECORDS: [Format; 2] = [Format::JsonLines, Format::Binary];

const SMALL: Wanted = Wanted { name: "bfs", samples: 3, hints: true, format: Format::Binary };

/// Writes into a folder that lives as long as the first value.
fn written(wanted: &Wanted) -> (TempDir, PathBuf, Manifest) {
    let folder = tempdir().unwrap();
    let (file, manifest) = write_into(folder.path(), wanted).unwrap();
    (folder, file, manifest)
}

fn write_into(folder: &Path, wanted: &Wanted) -> Result<(PathBuf, Manifest), String> {
    let suite = Suite::named("paper").unwrap();
    let algorithm = algorithms::find(wanted.name).unwrap();
    let sampler = Sampler::new(&suite, suite.seed, algorithm, "train").unwrap();
    let Wanted { samples, hints, format, .. } = *wanted;
    let request = Request { suite: &suite, seed: suite.seed, sampler, samples, hints, format };
    write(&request, folder, &|_| ()).map_err(|error| error.to_string())
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Which record a byte belongs to; `None` in the header.
fn record_at(format: Format, bytes: &[u8], place: usize) -> Option<usize> {
    match format {
        Format::JsonLines => Some(bytes[..place].iter().filter(|&&byte| byte == b'\n').count()),
        Format::Binary => {
            let mut end = 8;
            let mut index = None;
            while place >= end {
                let len = u32::from_le_bytes(*bytes[end..].first_chunk().unwrap());
                end += 4 + len as usize + 32;
                index = Some(index.map_or(0, |index| index + 1));
            }
            index
        }
        other => unreachable!("{other} is not one file of records"),
    }
}
