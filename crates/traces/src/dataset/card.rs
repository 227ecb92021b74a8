//! The dataset card of a folder with Parquet data sets: a README.md whose header tells
//! `datasets.load_dataset` which files are which split.
//!
//! A configuration is a suite and an algorithm; its splits are those that are there. The card is
//! made from the manifests, so it can always be made again.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::atomically::{Safety, paths_in, write_whole};
use super::{Manifest, manifest_path};
use crate::export::Format;

/// The line by which a card of ours is known; another README is not replaced.
const MARK: &str = "<!-- written by salsa; made again from the manifests -->";

/// Writes the card of `folder`.
pub(super) fn write_card(folder: &Path) -> io::Result<()> {
    let path = folder.join("README.md");
    match std::fs::read_to_string(&path) {
        Ok(found) if !found.contains(MARK) => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut sets: Vec<(String, Manifest)> = Vec::new();
    for file in paths_in(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(&format!(".{}", Format::Parquet)) && manifest_path(&file).exists() {
            // Another set's broken manifest is for `verify` to name.
            sets.extend(Manifest::read(&file).ok().map(|manifest| (name.to_owned(), manifest)));
        }
    }
    write_whole(folder, &path, card(&sets).as_bytes(), Safety::Synced)
}

fn card(sets: &[(String, Manifest)]) -> String {
    let mut configurations: BTreeMap<String, Vec<&(String, Manifest)>> = BTreeMap::new();
    for set in sets {
        let name = format!("{}-{}", set.1.suite, set.1.algorithm);
        configurations.entry(name).or_default().push(set);
    }
    let mut text = String::from("---\ntags:\n- graphs\n- algorithmic-reasoning\nconfigs:\n");
    for (number, (name, sets)) in configurations.iter().enumerate() {
        text += &format!("- config_name: {}\n", quoted(name));
        if number == 0 {
            text += "  default: true\n";
        }
        text += "  data_files:\n";
        for (file, manifest) in sets {
            let split = split_name(&manifest.split);
            let path = quoted(&format!("{file}/*.parquet"));
            text += &format!("  - split: {split}\n    path: {path}\n");
        }
    }
    text += &format!("---\n{MARK}\n\n# Executions of algorithms on graphs\n\n");
    text += "Samples of the SALSA-CLRS benchmark: each row is a graph, the inputs of an algorithm \
             and what it computes, with hints as changes where they are stored. The columns and \
             how to expand them are described in `docs/format.md` of the project that wrote them.\n\n";
    text += "| data set | split | suite | seed | convention | samples | hints | content hash |\n";
    text += "| --- | --- | --- | ---: | --- | ---: | --- | --- |\n";
    for (file, manifest) in sets {
        let Manifest { split, suite, suite_version, seed, convention, samples, .. } = manifest;
        let (hints, hash) = (
            if manifest.hints { "yes" } else { "no" },
            manifest.content_hash.get(..16).unwrap_or_default(),
        );
        text += &format!(
            "| {file} | {split} | {suite} {suite_version} | {seed} | {convention} | {samples} | \
             {hints} | {hash} |\n"
        );
    }
    text
}

/// A split's name with what `datasets` allows in one.
fn split_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A text that YAML takes as it is; JSON strings are such texts.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
