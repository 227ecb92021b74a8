//! What a user can do wrong: one line that says what to do, and exit code 2.

use std::path::Path;

use crate::salsa::{folder, is_root, names, salsa, salsa_with_input};

/// `salsa words` fails with exactly this line and leaves no file.
pub fn mistake(words: &str, line: &str) {
    let at = folder();
    mistake_at(at.path(), words, line);
    assert_eq!(names(at.path()), [""; 0], "salsa {words}");
}

/// The same in the folder `at`, whatever is in it.
pub fn mistake_at(at: &Path, words: &str, line: &str) {
    let run = salsa(at, words);
    assert_eq!(run.err, format!("error: {line}\n"), "salsa {words}");
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "salsa {words}");
}

/// A case on the standard input fails with exactly this line.
fn case_mistake(algorithm: &str, case: &str, line: &str) {
    let at = folder();
    let run = salsa_with_input(at.path(), &format!("execute -a {algorithm}"), case.as_bytes());
    assert_eq!(run.err, format!("error: <stdin>:1: {line}\n"), "{case}");
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{case}");
}

#[test]
fn unknown_names_suggest_the_nearest() {
    mistake(
        "generate -a dijstra",
        "unknown algorithm \"dijstra\", did you mean \"dijkstra\"? (see salsa list algorithms)",
    );
    mistake("inspect -a sort", "unknown algorithm \"sort\" (see salsa list algorithms)");
    mistake(
        "generate -a bfs --split tarin",
        "suite paper has no split \"tarin\", did you mean \"train\"?",
    );
    mistake(
        "stats -a bfs --suite papr",
        "unknown suite \"papr\", did you mean \"paper\"? (for a file of your own, give its path)",
    );
    mistake(
        "inspect -a bfs --generator delauney",
        "unknown graph generator \"delauney\", did you mean \"delaunay\"? (see salsa list generators)",
    );
    mistake(
        "inspect -a bfs --generator er --param q=1",
        "--param q: unknown parameter, there is c, c_nodes, p",
    );
    mistake(
        "inspect -a bfs --generator path --param p=1",
        "--param p: unknown parameter, there are none",
    );
    mistake(
        "execute -a bfs --convention papr",
        "invalid value 'papr' for '--convention <NAME>': unknown convention \"papr\", expected \
         \"paper\" or \"release\" (see salsa execute --help)",
    );
    mistake(
        "execute -a bfs --graph-format metys g",
        "unknown graph format \"metys\", there is edge-list, dimacs, matrix-market, metis, \
         graphml, did you mean \"metis\"?",
    );
    mistake(
        "generate -a bfs --file-format bni",
        "unknown format \"bni\", expected one of arrow, parquet, npz, jsonl, graphml, bin, did you mean \"bin\"?",
    );
}

#[test]
fn graphs_that_cannot_be_sampled_are_refused() {
    let sampled = |words: &str, line: &str| {
        for command in ["inspect", "generate", "stats"] {
            mistake(&format!("{command} -a bfs --generator {words}"), line);
        }
    };
    sampled("er --nodes 0", "--nodes: a sampled graph needs at least 2 nodes, found 0");
    sampled("er --nodes 1", "--nodes: a sampled graph needs at least 2 nodes, found 1");
    sampled("er --nodes 1..5", "--nodes: a sampled graph needs at least 2 nodes, found 1");
    sampled("er --nodes -3", "--nodes: expected a whole number, found -3");
    sampled("er --nodes 3.5", "--nodes: expected a whole number, found 3.5");
    sampled("er --nodes many", "--nodes: expected a number, found \"many\"");
    sampled("er --nodes 5..3", "--nodes: the range 5..3 is empty");
    sampled(
        "ws --nodes 6 --param k=6",
        "--param k: expected less than the 6 nodes of the ring, found 6",
    );
    sampled("er --param p=1.5", "--param p: expected from 0 to 1, found 1.5");
    sampled("er --param p=-0.1", "--param p: expected from 0 to 1, found -0.1");
    sampled("er --param p=nan", "--param p: NaN is not a finite number");
    sampled("er --param p=0.2 --param p=0.3", "--param p: given more than once");
    sampled("er --param p", "--param p: expected name=value, for example k=4,6,8 or p=0.1..0.3");
    sampled("complete --nodes 100000", "--nodes: a complete graph has at most 65535, found 100000");
}

#[test]
fn wrong_options_are_told_in_one_line() {
    mistake(
        "gen",
        "unrecognized subcommand 'gen'; a similar subcommand exists: 'generate' (see salsa --help)",
    );
    mistake(
        "list --frmat json",
        "unexpected argument '--frmat' found; a similar argument exists: '--format' (see salsa \
         list --help)",
    );
    mistake(
        "list algorithm",
        "invalid value 'algorithm' for '[WHAT]'; [possible values: algorithms, generators, \
         suites]; a similar value exists: 'algorithms' (see salsa list --help)",
    );
    mistake(
        "inspect",
        "the following required arguments were not provided: --algorithm <NAME> (see salsa \
         inspect --help)",
    );
    mistake(
        "bench",
        "'salsa bench' requires a subcommand but one was not provided; [subcommands: generate, \
         execution, scale, train, infer, scaling, help] (see salsa bench --help)",
    );
    mistake(
        "inspect -a bfs --nodes 4",
        "the following required arguments were not provided: --generator <NAME> (see salsa \
         inspect --help)",
    );
    mistake(
        "generate -a bfs --generator er --split train",
        "the argument '--generator <NAME>' cannot be used with '--split <NAMES>' (see salsa \
         generate --help)",
    );
    mistake("generate -a bfs --jobs 0", "--jobs: expected 1 to 1024 threads, found 0");
    mistake("generate -a bfs -j 8000", "--jobs: expected 1 to 1024 threads, found 8000");
    mistake(
        "verify --jobs x data",
        "invalid value 'x' for '--jobs <N>': expected a whole number (see salsa verify --help)",
    );
    mistake(
        "inspect -a bfs --seed -1",
        "invalid value '-1' for '--seed <SEED>': expected a whole number (see salsa inspect \
         --help)",
    );
    mistake("generate -a bfs --samples 0", "--samples: expected at least 1, found 0");
    mistake("stats -a bfs --samples 0", "--samples: expected at least 1, found 0");
    mistake("bench generate -a bfs --seconds 0", "--seconds: expected more than 0, found 0");
    mistake(
        "generate -a bfs --samples 10001",
        "--samples: split train has 10000 samples, 10001 were asked for",
    );
    mistake(
        "inspect -a bfs --index 10000",
        "split train has 10000 samples, there is no index 10000",
    );
}

#[test]
fn pictures_that_cannot_be_drawn_are_refused() {
    mistake("draw -a bfs -o a.gif", "--out: expected a file ending in .svg or .png");
    mistake(
        "draw -a bfs -o a.png --show animation",
        "--out: an animation is drawn as .svg, not as .png",
    );
    mistake("draw -a bfs -o a.svg --width 0", "--width: expected 64 to 16384, found 0");
    for seconds in ["0", "-1", "NaN"] {
        mistake(
            &format!("draw -a bfs -o a.svg --seconds {seconds}"),
            &format!("--seconds: expected more than 0 and at most 3600, found {seconds}"),
        );
    }
}

#[test]
fn cases_that_cannot_be_run_are_refused() {
    case_mistake(
        "dijkstra",
        r#"{"n": 2, "edges": [[0, 1]], "weights": [-1], "source": 0}"#,
        "dijkstra needs weights of at least 0, edge (0, 1) has -1",
    );
    case_mistake(
        "dijkstra",
        r#"{"n": 2, "edges": [[0, 1]], "weights": [NaN], "source": 0}"#,
        "not a case: expected value at line 1 column 41",
    );
    case_mistake(
        "dijkstra",
        r#"{"n": 2, "edges": [[0, 1]], "source": 0}"#,
        "dijkstra needs edge weights; give them, or draw them with --random-weights",
    );
    case_mistake(
        "bfs",
        r#"{"n": 2, "edges": [[0, 1]]}"#,
        "bfs needs a source node; give one with --source",
    );
    case_mistake(
        "bfs",
        r#"{"n": 2, "edges": [[0, 1]], "source": 2}"#,
        "the source 2 is outside 0..2",
    );
    case_mistake("dfs", r#"{"n": 0, "edges": []}"#, "a graph needs at least one node, found 0");
    case_mistake(
        "dfs",
        r#"{"n": 2, "edges": [[0, 2]]}"#,
        "edge 0 (0, 2) names a node outside 0..2",
    );
    case_mistake("dfs", r#"{"n": 2, "edges": [[1, 1]]}"#, "edge 0 is a self-loop on node 1");
    case_mistake(
        "dfs",
        r#"{"n": 2, "edges": [[0, 1], [1, 0]]}"#,
        "edge (0, 1) is given more than once",
    );
    case_mistake(
        "dfs",
        r#"{"n": 4000000000, "edges": []}"#,
        "n: 4000000000 nodes are too many for 0 edges",
    );
    case_mistake(
        "dfs",
        r#"{"n": 2, "edges": [[0, 1]"#,
        "not a case: EOF while parsing a list at line 1 column 25",
    );
    case_mistake("dfs", r#"{"edges": []}"#, "not a case: missing field `n` at line 1 column 13");
    case_mistake(
        "mis",
        r#"{"n": 2, "edges": [[0, 1]], "randomness": [[0.5, 0.5]]}"#,
        "randomness: expected 2 rows, found 1",
    );
}

#[test]
fn places_that_cannot_be_written_to_are_told() {
    let at = folder();
    std::fs::write(at.path().join("plain"), "").unwrap();
    let advice = "choose a place you can write to with --out";
    for (words, place, problem) in [
        ("generate -a bfs --samples 1 --out plain", "plain", "File exists (os error 17)"),
        ("generate -a bfs --samples 1 --out plain/a", "plain/a", "Not a directory (os error 20)"),
        ("draw -a bfs --out plain/a.svg", "plain/a.svg", "File exists (os error 17)"),
        ("demo --out plain", "plain", "File exists (os error 17)"),
        ("man --out plain", "plain/salsa.1", "File exists (os error 17)"),
    ] {
        mistake_at(at.path(), words, &format!("{place}: {problem}; {advice}"));
    }
    assert_eq!(names(at.path()), ["plain"]);
}

#[test]
fn a_read_only_folder_is_told() {
    use std::os::unix::fs::PermissionsExt;
    if is_root() {
        return;
    }
    let at = folder();
    std::fs::set_permissions(at.path(), PermissionsExt::from_mode(0o500)).unwrap();
    let run = salsa(at.path(), "generate -a bfs --samples 1 --out .");
    assert_eq!(run.code, Some(2));
    let expected =
        "error: .: Permission denied (os error 13); choose a place you can write to with --out\n";
    assert_eq!(run.err, expected);
    assert_eq!(names(at.path()), [""; 0]);
}
