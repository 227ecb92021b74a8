//! The list of rules: complete, decided for every algorithm, with names that agree.

use salsa_learn::validity::{ALL, Violation};
use salsa_traces::algorithms;
use salsa_traces::convention::Convention;

use crate::listed::assert_all_listed;
use crate::problems::Problem;

/// Algorithms with one correct answer, which need no rule.
const UNIQUE: [&str; 3] = ["articulation_points", "bridges", "k_core"];

#[test]
fn every_algorithm_has_a_rule_or_one_answer_only() {
    let mut decided: Vec<&str> = ALL.iter().map(|rule| rule.algorithm).chain(UNIQUE).collect();
    decided.sort();
    let mut all: Vec<&str> =
        algorithms::ALL.iter().map(|algorithm| &*algorithm.spec().algorithm).collect();
    all.sort();
    assert_eq!(decided, all);
}

#[test]
fn there_is_no_verdict_without_a_rule() {
    let problem = Problem::unweighted(2, &[(0, 1)]);
    for algorithm in UNIQUE {
        let outputs = problem.outputs(algorithm, Convention::Paper);
        assert_eq!(problem.check(algorithm, Convention::Paper, &outputs), None, "{algorithm}");
    }
}

#[test]
fn every_file_of_the_folder_is_a_rule_of_the_list() {
    assert_all_listed("src/validity/rules", ALL.iter().map(|rule| rule.algorithm));
}

#[test]
fn a_reason_is_written_under_its_name() {
    let (u, v, node, target, label) = (0, 1, 2, 3, 0.5);
    let output = || "pi".to_owned();
    let all = [
        Violation::OutputCount { expected: 1, found: 2 },
        Violation::Kind { output: output(), expected: "pointer".to_owned(), found: "mask" },
        Violation::ValueCount { output: output(), expected: 1, found: 2 },
        Violation::NoSource { n_nodes: 1, found: None },
        Violation::NotANeighbour { node, target },
        Violation::SourcePointsAway { node, target },
        Violation::NoParent { node },
        Violation::UnreachableHasParent { node, target },
        Violation::Cycle { node, length: 2 },
        Violation::WrongLevel { node, level: 2, parent: 3, parent_level: 2 },
        Violation::Detour { node, parent: 3, length: 1.5, shortest: 1.0 },
        Violation::BetterEdge { edge: [u, v], weight: 1.0, tree_edge: [v, 2], tree_weight: 0.5 },
        Violation::CrossEdge { u, v },
        Violation::TwoTrees { u, v, root_u: 0, root_v: 1 },
        Violation::Adjacent { u, v },
        Violation::NotMaximal { node },
        Violation::WrongEccentricity { expected: 2, found: 3.0 },
        Violation::LabelsDiffer { u, v, label_u: 0.0, label_v: 1.0 },
        Violation::LabelShared { u, v, label },
        Violation::NoLabel { node, label },
    ];
    for violation in all {
        let written = serde_json::to_value(&violation).unwrap();
        assert_eq!(written["reason"], violation.reason());
        let message = violation.to_string();
        assert!(message.starts_with(char::is_lowercase) && !message.ends_with('.'), "{message}");
    }
}
