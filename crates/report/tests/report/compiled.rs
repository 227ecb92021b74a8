//! LaTeX that LaTeX understands. It needs `pdflatex` with booktabs, so it runs where
//! `SALSA_TEST_LATEX` is set.

use std::path::Path;
use std::process::Command;

use salsa_report::formats::latex::{document, fragment, input};
use salsa_report::study::Study;
use salsa_report::{Table, tables};

use crate::fixture::{elsewhere, entries, entry, large};

const NAMES: [&str; 3] =
    ["my_model|v2 & more", "50% {of} #1 \\ ~x^2 $y$ <z>", "``naïve\" ß Ø ð --- β, ±²?"];

fn all() -> Vec<Table> {
    let mut entries = entries();
    for name in NAMES {
        let record = elsewhere(name, 1, "node_accuracy", &[("er_16", 0.5), ("a_b & c", 0.25)]);
        entries.push(entry(record));
    }
    let study = Study::new(entries).unwrap();
    let mut tables: Vec<Table> = tables::ALL.iter().map(|kind| (kind.of)(&study)).collect();
    for kind in ["main", "paper"] {
        let mut table = (tables::Kind::named(kind).unwrap().of)(&large());
        table.name = format!("large-{kind}");
        tables.push(table);
    }
    tables
}

fn compile(folder: &Path, text: &str) {
    std::fs::write(folder.join("document.tex"), text).unwrap();
    let done = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "document.tex"])
        .current_dir(folder)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{log}");
    assert!(!log.contains("Overfull \\hbox") && !log.contains("Float too large"), "{log}");
    assert!(folder.join("document.pdf").is_file());
}

#[test]
fn documents_and_fragments_compile() {
    if std::env::var_os("SALSA_TEST_LATEX").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tables = all();
    let fragments: Vec<String> = tables.iter().map(fragment).collect();
    compile(folder.path(), &document(&fragments.concat()));
    for (table, text) in tables.iter().zip(&fragments) {
        std::fs::write(folder.path().join(format!("{}.tex", table.name)), text).unwrap();
    }
    compile(folder.path(), &document(&tables.iter().map(input).collect::<String>()));
}
