//! `salsa report`: tables of records, printed and in files, ours and those of others.

use insta::assert_snapshot;

use crate::mistakes::mistake_at;
use crate::salsa::{command, folder, names, printed, repository, run};

/// A folder with a sweep's records as `fixture`.
pub fn prepared() -> tempfile::TempDir {
    let at = folder();
    let records = at.path().join("fixture/records");
    std::fs::create_dir_all(&records).unwrap();
    let from = repository("crates/records/tests/fixture/records");
    for name in names(&from) {
        std::fs::copy(from.join(&name), records.join(&name)).unwrap();
    }
    at
}

const MINE: &str = "\
algorithm,model,seed,split,metric,value,graphs
bfs,my_model,1,er_16,node_accuracy,0.91,50
bfs,my_model,2,er_16,node_accuracy,0.93,50
bfs,my_model,1,er_80,node_accuracy,0.88,50
";

#[test]
fn the_main_table_with_results_of_others() {
    let at = prepared();
    std::fs::write(at.path().join("mine.csv"), MINE).unwrap();
    assert_snapshot!(printed(at.path(), "report fixture --add mine.csv"));
}

#[test]
fn others_alone_are_enough() {
    let at = folder();
    std::fs::write(at.path().join("mine.csv"), MINE).unwrap();
    let table = printed(at.path(), "report --add mine.csv --format markdown");
    assert!(table.contains("| bfs | node acc. | my\\_model | 92.0 ± 1.4 | 88.0 |"), "{table}");
}

#[test]
fn a_file_each_table() {
    let at = prepared();
    let told = printed(at.path(), "report fixture --table all --format latex --out out/latex");
    let files = ["main", "node-accuracy", "graph-accuracy", "mis-f1", "eccentricity-error"];
    let files = files.into_iter().chain(["valid", "hints", "paper"]);
    let expected: String = files.map(|name| format!("out/latex/{name}.tex\n")).collect();
    assert_eq!(told, expected + "out/latex/tables.tex\n");
    let document = std::fs::read_to_string(at.path().join("out/latex/tables.tex")).unwrap();
    assert!(document.contains("\\input{main}\n\\input{node-accuracy}\n"), "{document}");
    // Printed, the same is one text.
    let printed_whole = printed(at.path(), "report fixture --format latex --document");
    let part = std::fs::read_to_string(at.path().join("out/latex/main.tex")).unwrap();
    assert!(printed_whole.contains(&part));

    printed(at.path(), "report fixture --table all --format csv --out out");
    printed(at.path(), "report fixture --table hints --format csv --out out");
    printed(at.path(), "report fixture --table hints --out out");
    printed(at.path(), "report fixture --table hints --format markdown --out out");
    let found = names(&at.path().join("out"));
    assert_eq!(found, ["figures.csv", "hints.csv", "hints.md", "hints.txt", "latex"]);
}

#[test]
fn the_newest_sweep_is_meant_where_none_is_named() {
    let at = prepared();
    let expected = printed(at.path(), "report fixture");
    std::fs::create_dir(at.path().join("salsa-sweeps")).unwrap();
    std::fs::rename(at.path().join("fixture"), at.path().join("salsa-sweeps/x")).unwrap();
    assert_eq!(printed(at.path(), "report"), expected);
}

#[test]
fn colours_are_for_terminals() {
    let at = prepared();
    let mut report = command(at.path());
    let plain = run(report.env_remove("NO_COLOR").args(["report", "fixture"]));
    assert!(!plain.out.contains('\u{1b}'));
}

#[test]
fn mistakes_are_told() {
    let at = prepared();
    let none = "there is no sweep with records in salsa-sweeps; name a folder or a file, or begin \
                with salsa sweep run runs/quick.toml";
    mistake_at(at.path(), "report", none);
    mistake_at(at.path(), "report nowhere", "nowhere: No such file or directory (os error 2)");
    std::fs::create_dir(at.path().join("empty")).unwrap();
    mistake_at(at.path(), "report empty", "empty: there are no records in it");
    std::fs::write(at.path().join("mine.csv"), MINE.replace("0.93", "93")).unwrap();
    mistake_at(
        at.path(),
        "report fixture --add mine.csv",
        "mine.csv:3: node_accuracy is 93, expected a share from 0 to 1",
    );
    std::fs::write(at.path().join("mine.csv"), MINE).unwrap();
    mistake_at(
        at.path(),
        "report --add mine.csv --table hints",
        "the records have nothing for the table hints; see --table in salsa report --help for \
         others",
    );
    let unknown = run(command(at.path()).args(["report", "fixture", "--table", "mine"]));
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("node-accuracy"), "{}", unknown.err);
    let needless = run(command(at.path()).args(["report", "fixture", "--document"]));
    assert_eq!(needless.code, Some(2));
    assert_eq!(needless.err, "error: --document goes with --format latex\n");
}
