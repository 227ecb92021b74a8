//! Algorithms on given graphs: every file format, one node, missing inputs drawn.

use serde_json::{Value, json};

use crate::mistakes::mistake_at;
use crate::salsa::{Run, folder, printed, salsa, salsa_with_input};

/// The path 0 - 1 - 2 with weights 2 and 3 in every format, by the file's ending.
const PATHS: [(&str, &str); 5] = [
    ("txt", "0 1 2\n1 2 3\n"),
    ("gr", "p sp 3 4\na 1 2 2\na 2 1 2\na 2 3 3\na 3 2 3\n"),
    ("mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 2.0\n3 2 3.0\n"),
    ("graph", "3 2 001\n2 2\n1 2 3 3\n2 3\n"),
    (
        "graphml",
        "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\
         <graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/>\
         <edge source=\"a\" target=\"b\"><data key=\"w\">2</data></edge>\
         <edge source=\"b\" target=\"c\"><data key=\"w\">3</data></edge></graph></graphml>",
    ),
];

fn given(words: &str, case: &Value) -> Run {
    salsa_with_input(folder().path(), words, case.to_string().as_bytes())
}

fn found(words: &str, case: &Value) -> Value {
    let run = given(words, case);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{words}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn every_file_format_gives_the_same_execution() {
    let at = folder();
    let case = json!({"n": 3, "edges": [[0, 1], [1, 2]], "weights": [2.0, 3.0], "source": 2,
        "generator": "file"});
    let expected = found("execute -a dijkstra", &case);
    assert_eq!(expected["outputs"]["pi"]["data"], json!([1, 2, 2]));
    // Every file calls the last node by another name.
    for ((ending, text), source) in PATHS.into_iter().zip(["2", "3", "3", "3", "c"]) {
        std::fs::write(at.path().join(format!("path.{ending}")), text).unwrap();
        let words = format!("execute -a dijkstra --source {source} path.{ending}");
        let line: Value = serde_json::from_str(&printed(at.path(), &words)).unwrap();
        assert_eq!(line, expected, "{ending}");
    }
}

#[test]
fn a_source_has_its_name_in_the_file() {
    let at = folder();
    std::fs::write(at.path().join("gaps.txt"), "0 5\n5 100\n").unwrap();
    let line = printed(at.path(), "execute -a bfs --source 100 gaps.txt");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["source"], json!(2));
    let first = printed(at.path(), "execute -a bfs gaps.txt");
    assert_eq!(serde_json::from_str::<Value>(&first).unwrap()["source"], json!(0));
    for absent in ["1", "101", "-5", "x"] {
        mistake_at(
            at.path(),
            &format!("execute -a bfs --source={absent} gaps.txt"),
            &format!("--source: gaps.txt has no node {absent}"),
        );
    }
    std::fs::write(at.path().join("cases.jsonl"), "{\"n\": 1, \"edges\": []}\n").unwrap();
    mistake_at(
        at.path(),
        "execute -a bfs --source first cases.jsonl",
        "--source: expected a node, found \"first\"",
    );
}

#[test]
fn a_format_can_be_named_and_files_mixed() {
    let at = folder();
    std::fs::write(at.path().join("path"), PATHS[1].1).unwrap();
    let lines = printed(at.path(), "execute -a bfs --graph-format dimacs path path");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn one_node_is_enough() {
    let all: Value =
        serde_json::from_str(&printed(folder().path(), "list algorithms --format json")).unwrap();
    for algorithm in all["algorithms"].as_array().unwrap() {
        let name = algorithm["name"].as_str().unwrap();
        let case = json!({"n": 1, "edges": [], "weights": [], "source": 0});
        let line = found(&format!("execute -a {name}"), &case);
        assert_eq!((&line["n"], &line["edge_index"]), (&json!(1), &json!([[0], [0]])), "{name}");
        assert!(line["length"].as_u64() >= Some(1), "{name}");
    }
}

#[test]
fn what_is_not_given_is_drawn_from_the_seed() {
    let case = json!({"n": 4, "edges": [[0, 1], [1, 2], [2, 3]]});
    let drawn = |words: &str| given(words, &case).out;
    for words in ["execute -a mis", "execute -a mst --source 0 --random-weights"] {
        let first = drawn(words);
        assert!(!first.is_empty());
        assert_eq!(first, drawn(&format!("{words} --seed 0")));
        assert_ne!(first, drawn(&format!("{words} --seed 1")));
    }
}

#[test]
fn the_convention_turns_the_spanning_tree() {
    // A triangle; the heaviest two edges or the lightest two.
    let case =
        json!({"n": 3, "edges": [[0, 1], [0, 2], [1, 2]], "weights": [1.0, 2.0, 3.0], "source": 0});
    let tree = |words| found(words, &case)["outputs"]["pi"]["data"].clone();
    assert_eq!(tree("execute -a mst"), json!([0, 2, 0]));
    assert_eq!(tree("execute -a mst --convention release"), json!([0, 0, 0]));
}

#[test]
fn blank_lines_are_skipped_and_cases_before_a_mistake_are_printed() {
    let input = b"\n{\"n\": 1, \"edges\": []}\n\n{\"n\": 0, \"edges\": []}\n";
    let run = salsa_with_input(folder().path(), "execute -a dfs", input);
    assert_eq!(run.out.lines().count(), 1);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err, "error: <stdin>:4: a graph needs at least one node, found 0\n");
}

#[test]
fn a_given_source_is_not_overruled() {
    let case = json!({"n": 2, "edges": [[0, 1]], "source": 1});
    assert_eq!(found("execute -a bfs --source 0", &case)["source"], json!(1));
    let run = salsa(folder().path(), "execute -a bfs missing.jsonl");
    assert_eq!(run.err, "error: missing.jsonl: No such file or directory (os error 2)\n");
}
