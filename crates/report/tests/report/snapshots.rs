//! Every table in every format.

use insta::assert_snapshot;
use salsa_report::formats::terminal::{Terminal, terminal};
use salsa_report::formats::{csv, latex, markdown};
use salsa_report::study::Study;
use salsa_report::tables;

use crate::fixture::{elsewhere, entries, entry, large, study};

/// The fixture and a model whose name means something in every format.
fn with_another() -> Study {
    let mut entries = entries();
    let figures = [("er_16", 0.95), ("er_80", 0.5), ("my_roads", 0.25)];
    entries.push(entry(elsewhere("my_model|v2 & more", 1, "node_accuracy", &figures)));
    Study::new(entries).unwrap()
}

#[test]
fn on_a_terminal() {
    let study = with_another();
    let plain = Terminal { width: 80, colours: false };
    for kind in tables::ALL {
        assert_snapshot!(format!("terminal_{}", kind.name), terminal(&(kind.of)(&study), plain));
    }
}

#[test]
fn colours_on_a_terminal() {
    let table = (tables::Kind::named("paper").unwrap().of)(&study());
    let text = terminal(&table, Terminal { width: 120, colours: true });
    assert_snapshot!(text.replace('\u{1b}', "ESC"));
    // Without its codes it is the same text.
    let plain = terminal(&table, Terminal { width: 120, colours: false });
    let mut bare = String::new();
    for (place, part) in text.split('\u{1b}').enumerate() {
        bare += if place == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    let lines =
        |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&bare), lines(&plain));
}

#[test]
fn in_markdown() {
    let study = with_another();
    for kind in tables::ALL {
        assert_snapshot!(format!("markdown_{}", kind.name), markdown::markdown(&(kind.of)(&study)));
    }
}

#[test]
fn in_latex() {
    let study = with_another();
    for kind in tables::ALL {
        assert_snapshot!(format!("latex_{}", kind.name), latex::fragment(&(kind.of)(&study)));
    }
}

#[test]
fn as_csv() {
    let study = with_another();
    assert_snapshot!("csv_all", csv::figures(&study, None).unwrap());
    let kind = tables::Kind::named("paper").unwrap();
    assert_snapshot!("csv_paper", csv::figures(&study, Some(kind)).unwrap());
}

#[test]
fn wide_tables_fit_every_terminal() {
    for study in [with_another(), large()] {
        for (width, kind) in
            [80, 100, 120, 200].iter().flat_map(|w| tables::ALL.iter().map(move |k| (*w, k)))
        {
            let text = terminal(&(kind.of)(&study), Terminal { width, colours: false });
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{}: {widest} of {width}", kind.name);
        }
    }
}

#[test]
fn a_large_table_has_a_block_for_each_family() {
    let table = (tables::Kind::named("main").unwrap().of)(&large());
    assert_snapshot!(terminal(&table, Terminal { width: 100, colours: false }));
}
