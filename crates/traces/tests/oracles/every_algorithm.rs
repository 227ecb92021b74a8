//! What every algorithm of the list promises, whatever it computes.

use proptest::prelude::*;
use salsa_traces::algorithms::{ALL, find};
use salsa_traces::convention::Convention;
use salsa_traces::execution::Options;
use salsa_traces::graph::Graph;
use salsa_traces::sample::sample;
use salsa_traces::spec::Kind;
use salsa_traces::suite::Suite;

use crate::problems::{Problem, problems};
use crate::shown::pointers;

const WITH_HINTS: Options = Options { hints: true, convention: Convention::Paper };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn last_hint_equals_output(problem in problems()) {
        for name in names() {
            let trajectory = problem.run(name);
            let spec = &trajectory.spec;
            for output in spec.outputs() {
                let Some(hint) = spec.hint_of(output) else { continue };
                let last = trajectory.hint(&hint.name).unwrap().at(trajectory.length as usize - 1);
                prop_assert_eq!(Some(&last), trajectory.output(&output.name), "{}", name);
            }
        }
    }

    #[test]
    fn without_hints_all_else_is_the_same(problem in problems()) {
        for name in names() {
            let (inputs, with) = problem.run_with(name, WITH_HINTS);
            let (same_inputs, without) =
                problem.run_with(name, Options { hints: false, ..WITH_HINTS });
            prop_assert!(without.hints.is_none());
            prop_assert_eq!(same_inputs, inputs, "{}", name);
            prop_assert_eq!((without.length, without.outputs), (with.length, with.outputs));
        }
    }

    #[test]
    fn a_second_run_is_identical(problem in problems()) {
        for name in names() {
            let once = problem.run_with(name, WITH_HINTS);
            prop_assert_eq!(problem.run_with(name, WITH_HINTS), once, "{}", name);
        }
    }

    #[test]
    fn every_pointer_is_an_edge_or_a_loop_at_every_step(problem in problems()) {
        for name in names() {
            let trajectory = problem.run(name);
            for hint in trajectory.spec.hints().filter(|hint| hint.kind == Kind::Pointer) {
                for targets in pointers(&trajectory, &hint.name) {
                    let fits = |(u, v): (u32, u32)| u == v || problem.graph.has_edge(u, v);
                    prop_assert!((0..).zip(targets).all(fits), "{}: {}", name, hint.name);
                }
            }
        }
    }

    #[test]
    fn what_an_execution_records_fits_its_spec(problem in problems()) {
        for name in names() {
            prop_assert_eq!(problem.run(name).check(&problem.graph), Ok(()), "{}", name);
        }
    }
}

#[test]
fn every_algorithm_runs_on_a_single_node() {
    let graph = Graph::from_weighted_edges(1, &[], &[]).unwrap();
    let problem = Problem { graph, source: 0, stream: 0 };
    let lengths: Vec<(&str, u32)> = names().map(|name| (name, problem.run(name).length)).collect();
    let benchmark =
        [("bfs", 1), ("dfs", 3), ("dijkstra", 2), ("mst", 2), ("mis", 2), ("eccentricity", 2)];
    assert_eq!(lengths[..6], benchmark);
}

#[test]
fn every_file_of_the_folder_is_an_algorithm_of_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/algorithms");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|file| {
            file.unwrap().file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)
        })
        .filter(|module| module != "mod")
        .collect();
    files.sort();
    let mut listed: Vec<&str> = names().collect();
    listed.sort();
    assert_eq!(files, listed);
}

#[test]
fn dfs_with_hints_on_1600_nodes_stores_at_most_2_mib() {
    let suite = Suite::named("paper").unwrap();
    for split in ["er_1600", "ws_1600", "delaunay_1600"] {
        let sample = sample(&suite, suite.seed, find("dfs").unwrap(), split, 0).unwrap();
        assert!(sample.trajectory.hint_bytes() <= 2 << 20, "{split}");
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|algorithm| &*algorithm.spec().algorithm)
}
