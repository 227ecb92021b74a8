//! Files of samples: the same bytes for any number of threads, and no change goes unseen.

use std::path::Path;

use crate::salsa::{folder, names, printed, salsa};

#[test]
fn the_number_of_threads_changes_no_byte() {
    for format in ["arrow", "jsonl", "bin"] {
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
        assert_eq!((files.len(), &files), (24, &names(four.0.path())));
        for file in files {
            let read = |at: &Path| {
                let (file, folder) = (at.join(&file), at.join(&file));
                std::fs::read(file).or_else(|_| std::fs::read(folder.join("00000.arrow"))).unwrap()
            };
            assert!(read(one.0.path()) == read(four.0.path()), "{file}");
        }
    }
}

#[test]
fn what_was_generated_verifies() {
    let at = folder();
    for format in ["arrow", "jsonl", "bin"] {
        for hints in ["", "--hints"] {
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
fn a_file_is_replaced_as_a_whole() {
    let at = folder();
    for format in ["arrow", "jsonl"] {
        let words = format!("generate -a bfs --out . --file-format {format}");
        printed(at.path(), &format!("{words} --samples 9"));
        printed(at.path(), &format!("{words} --samples 2"));
    }
    printed(at.path(), "verify .");
    let files = ["arrow", "jsonl"].map(|format| format!("paper-bfs-train.{format}"));
    let [arrow, lines] = files.each_ref().map(|file| format!("{file}.manifest.json"));
    assert_eq!(names(at.path()), [files[0].clone(), arrow, files[1].clone(), lines]);
    assert_eq!(names(&at.path().join("paper-bfs-train.arrow")), ["00000.arrow"]);
}
