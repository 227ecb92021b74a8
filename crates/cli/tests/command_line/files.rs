//! Files of samples: the same bytes for any number of threads, and no change goes unseen.

use std::path::Path;

use crate::mistakes::mistake_at;
use crate::salsa::{folder, names, printed, salsa};

const FORMATS: [&str; 6] = ["arrow", "parquet", "npz", "jsonl", "graphml", "bin"];

#[test]
fn the_number_of_threads_changes_no_byte() {
    for format in FORMATS {
        let [one, four] = [1, 4].map(|jobs| {
            let at = folder();
            let words = format!(
                "generate -a all --split train,er_80 --samples 40 --hints --out . \
                 --file-format {format} --jobs {jobs}"
            );
            let printed = printed(at.path(), &words);
            (at, printed)
        });
        assert_eq!(one.1, four.1);
        let files = names(one.0.path());
        let n_files = if format == "parquet" { 25 } else { 24 };
        assert_eq!((files.len(), &files), (n_files, &names(four.0.path())));
        for file in files {
            let read = |at: &Path| {
                let (file, folder) = (at.join(&file), at.join(&file));
                let shard = folder.join(format!("00000.{format}"));
                std::fs::read(file).or_else(|_| std::fs::read(shard)).unwrap()
            };
            assert!(read(one.0.path()) == read(four.0.path()), "{file}");
        }
    }
}

#[test]
fn what_was_generated_verifies() {
    for format in FORMATS {
        for hints in ["", "--hints"] {
            let at = folder();
            let words = format!("-a mst --samples 30 --out . {hints} --file-format {format}");
            for data in ["--suite release --seed 5", "--generator ws --nodes 6..9 --param k=2,4"] {
                printed(at.path(), &format!("generate {words} {data}"));
            }
            printed(at.path(), &format!("verify custom-mst-custom.{format}"));
            printed(at.path(), "verify . --jobs 2");
        }
    }
}

#[test]
fn one_changed_byte_is_found_in_its_sample() {
    let at = folder();
    for format in ["jsonl", "bin"] {
        printed(at.path(), &format!("generate -a bfs --samples 9 --out . --file-format {format}"));
        let file = format!("paper-bfs-train.{format}");
        let path = at.path().join(&file);
        let good = std::fs::read(&path).unwrap();
        let told = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let run = salsa(at.path(), &format!("verify {file}"));
            assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
            run.err
        };
        let differs = |index| {
            format!("error: {file}: sample {index} differs from what suite and seed give\n")
        };
        let mut changed = good.clone();
        changed[20] ^= 1;
        assert_eq!(told(&changed), differs(0));
        changed.clone_from(&good);
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(told(&changed), differs(8));
        let cut = format!("error: {file}: cut off within sample 8 of 9\n");
        assert_eq!(told(&good[..good.len() - 1]), cut);
        let more = format!("error: {file}: there is more after the last of 9 samples\n");
        assert_eq!(told(&[&good[..], b"\n"].concat()), more);
        std::fs::write(&path, good).unwrap();
        printed(at.path(), &format!("verify {file}"));
    }
}

#[test]
fn damaged_and_missing_shards_are_named() {
    let at = folder();
    let name = "paper-bfs-train.arrow";
    printed(at.path(), "generate -a bfs --samples 9 --out .");
    let file = format!("{name}/00000.arrow");
    let path = at.path().join(&file);
    let good = std::fs::read(&path).unwrap();
    let told = |words: &str, code: i32, line: &str| {
        let run = salsa(at.path(), words);
        assert_eq!((run.err, run.code), (format!("error: {file}: {line}\n"), Some(code)));
    };
    let mut changed = good.clone();
    changed[good.len() / 3] ^= 1;
    std::fs::write(&path, &changed).unwrap();
    let line = "samples 0 to 8 are damaged: their checksum does not match";
    told(&format!("verify {name}"), 1, line);
    told(&format!("inspect -a bfs --file {name}"), 2, line);
    std::fs::write(&path, &good[..good.len() - 1]).unwrap();
    let line = "it is cut off: the end of an Arrow IPC file is missing";
    told(&format!("verify {name}/"), 1, line);
    told(&format!("inspect -a bfs --file {name}"), 2, line);
    std::fs::remove_file(&path).unwrap();
    let line = "No such file or directory (os error 2)";
    told(&format!("verify {name}"), 2, line);
    told(&format!("inspect -a bfs --file {name}"), 2, line);
}

#[test]
fn one_damaged_data_set_does_not_hide_the_others() {
    let at = folder();
    printed(at.path(), "generate -a bfs,mis,dfs --samples 50 --out .");
    let damage = |name: &str| {
        let path = at.path().join(name).join("00000.arrow");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 3;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).unwrap();
    };
    damage("paper-bfs-train.arrow");
    let run = salsa(at.path(), "verify .");
    assert_eq!(run.code, Some(1));
    let problem = "samples 0 to 49 are damaged: their checksum does not match";
    assert_eq!(run.err, format!("error: ./paper-bfs-train.arrow/00000.arrow: {problem}\n"));
    assert!(run.out.contains("paper-dfs-train.arrow") && run.out.contains("paper-mis-train.arrow"));
    damage("paper-dfs-train.arrow");
    let run = salsa(at.path(), "verify .");
    let expected = format!(
        "error: 2 of 3 data sets are not as written: ./paper-bfs-train.arrow/00000.arrow: \
         {problem}; ./paper-dfs-train.arrow/00000.arrow: {problem}\n"
    );
    assert_eq!((run.err, run.code), (expected, Some(1)));
}

#[test]
fn data_without_a_manifest_are_not_passed_over() {
    let at = folder();
    printed(at.path(), "generate -a bfs,mis --samples 2 --out .");
    std::fs::remove_file(at.path().join("paper-mis-train.arrow.manifest.json")).unwrap();
    for words in ["verify .", "convert . --to npz --out npz"] {
        mistake_at(
            at.path(),
            words,
            "./paper-mis-train.arrow: there is no ./paper-mis-train.arrow.manifest.json beside \
             it, which says what it must hold",
        );
    }
}

#[test]
fn converted_hints_are_those_that_generate_writes() {
    let at = folder();
    for algorithm in ["bfs", "dfs", "mis", "eccentricity"] {
        let words = format!("generate -a {algorithm} --samples 5 --hints");
        printed(at.path(), &format!("{words} --out stored"));
        printed(at.path(), &format!("{words} --out made --file-format bin"));
        let name = format!("paper-{algorithm}-train");
        printed(at.path(), &format!("convert stored/{name}.arrow --to bin --out converted"));
        printed(at.path(), &format!("verify converted/{name}.bin"));
        let read = |folder: &str| std::fs::read(at.path().join(folder).join(format!("{name}.bin")));
        assert!(read("made").unwrap() == read("converted").unwrap(), "{algorithm}");
    }
}

#[test]
fn data_of_other_settings_are_not_replaced() {
    let at = folder();
    for format in ["arrow", "jsonl"] {
        let words = format!("generate -a bfs --out . --file-format {format}");
        printed(at.path(), &format!("{words} --samples 9"));
        for other in ["--samples 2", "--samples 9 --seed 1", "--samples 9 --hints"] {
            mistake_at(
                at.path(),
                &format!("{words} {other}"),
                &format!(
                    "./paper-bfs-train.{format}: other data are there already, 9 samples without \
                     hints, seed 0, version 1; remove them or choose another folder"
                ),
            );
        }
        printed(at.path(), &format!("{words} --samples 9"));
        printed(at.path(), &format!("{words} --samples 10"));
    }
    printed(at.path(), "verify .");
    let files = ["arrow", "jsonl"].map(|format| format!("paper-bfs-train.{format}"));
    let [arrow, lines] = files.each_ref().map(|file| format!("{file}.manifest.json"));
    assert_eq!(names(at.path()), [files[0].clone(), arrow, files[1].clone(), lines]);
    assert_eq!(names(&at.path().join("paper-bfs-train.arrow")), ["00000.arrow"]);
}

#[test]
fn converted_files_are_those_that_generate_writes() {
    let at = folder();
    let words = "generate -a mst --split train,delaunay_16 --samples 7 --out .";
    printed(at.path(), words);
    for format in FORMATS {
        printed(at.path(), &format!("convert . --to {format} --hints --out {format}"));
        printed(at.path(), &format!("{words}/made --hints --file-format {format}"));
        printed(at.path(), &format!("verify {format}"));
        if format != "graphml" {
            // And back, without the hints.
            printed(
                at.path(),
                &format!("export {format} --to arrow --no-hints --out {format}/back"),
            );
            let shard = "paper-mst-delaunay_16.arrow/00000.arrow";
            let read = |folder: &str| std::fs::read(at.path().join(folder).join(shard)).unwrap();
            assert!(read(&format!("{format}/back")) == read("."), "{format}");
            std::fs::remove_dir_all(at.path().join(format).join("back")).unwrap();
        }
        for name in names(&at.path().join(format)) {
            let read = |folder: &str| {
                let file = at.path().join(folder).join(&name);
                let shard = file.join(format!("00000.{format}"));
                std::fs::read(&file).or_else(|_| std::fs::read(shard)).unwrap()
            };
            // The card of all that was made lies in one folder.
            assert!(name == "README.md" || read(format) == read("made"), "{name}");
        }
    }
}

#[test]
fn what_cannot_be_converted_is_told() {
    let at = folder();
    printed(at.path(), "generate -a bfs --samples 2 --out . --file-format graphml");
    let told = |words: &str, code: i32, line: &str| {
        let run = salsa(at.path(), words);
        assert_eq!((run.err, run.code), (format!("error: {line}\n"), Some(code)));
    };
    let name = "./paper-bfs-train.graphml";
    let line = format!("{name}: samples are not read from files of format graphml");
    told("convert . --to npz", 2, &line);
    told(
        "convert nowhere --to npz",
        2,
        "nowhere.manifest.json: No such file or directory (os error 2)",
    );
    printed(at.path(), "generate -a bfs --samples 2 --out npz --file-format npz");
    let file = "npz/paper-bfs-train.npz/00000.npz";
    let mut bytes = std::fs::read(at.path().join(file)).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(at.path().join(file), bytes).unwrap();
    let line = format!("{file}: it is damaged: its checksum does not match");
    told("convert npz --to arrow --out made", 2, &line);
    assert_eq!(names(&at.path().join("made")), [""; 0]);
}
