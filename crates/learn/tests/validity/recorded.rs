//! What the algorithms record is correct, and stays so under the rules' own tolerance.

use proptest::prelude::*;
use salsa_learn::validity::{Instance, check};
use salsa_traces::algorithms::ALL;
use salsa_traces::convention::Convention;
use salsa_traces::graph::Graph;
use salsa_traces::sample::sample;
use salsa_traces::suite::Suite;
use salsa_traces::trajectory::Values;

use crate::problems::{Problem, problems};

proptest! {
    #[test]
    fn every_recorded_output_is_correct(problem in problems()) {
        for algorithm in ALL {
            let name = &*algorithm.spec().algorithm;
            for convention in Convention::ALL {
                let outputs = problem.outputs(name, convention);
                let verdict = problem.check(name, convention, &outputs).unwrap_or(Ok(()));
                prop_assert_eq!(verdict, Ok(()), "{} {}", name, convention);
            }
        }
    }

    #[test]
    fn dijkstra_and_bellman_ford_accept_each_other(problem in problems()) {
        for (of, by) in [("dijkstra", "bellman_ford"), ("bellman_ford", "dijkstra")] {
            let pi = problem.pointers(of, Convention::Paper);
            prop_assert_eq!(problem.verdict_on(by, &pi), Ok(()));
        }
    }

    #[test]
    fn numbers_near_the_recorded_ones_round_to_them(problem in problems(), off in -0.49..0.49) {
        for name in ["eccentricity", "components"] {
            let outputs = problem.outputs(name, Convention::Paper);
            let Values::Scalar(numbers) = &outputs[0] else { unreachable!() };
            let near = numbers.iter().map(|number| number + off).collect();
            prop_assert_eq!(problem.verdict(name, Values::Scalar(near)), Ok(()), "{}", name);
        }
    }
}

#[test]
fn samples_of_the_suites_are_correct() {
    for suite in ["paper", "release"].map(|name| Suite::named(name).unwrap()) {
        for algorithm in ALL {
            for split in ["train", "er_160", "ws_160", "delaunay_160"] {
                let sample = sample(&suite, suite.seed, *algorithm, split, 0).unwrap();
                let instance = Instance::of(&sample, suite.convention);
                let spec = &sample.trajectory.spec;
                let verdict = check(spec, &instance, &sample.trajectory.outputs);
                assert_eq!(verdict.unwrap_or(Ok(())), Ok(()), "{} {split}", spec.algorithm);
            }
        }
    }
}

#[test]
fn a_path_of_a_million_nodes_is_judged_at_once() {
    let n_nodes = 1_000_000;
    let edges: Vec<(u32, u32)> = (1..n_nodes).map(|v| (v - 1, v)).collect();
    let weights: Vec<f64> = (1..n_nodes).map(|v| 0.1 + f64::from(v % 7)).collect();
    let graph = Graph::from_weighted_edges(n_nodes as usize, &edges, &weights).unwrap();
    let problem = Problem { graph, source: 0, stream: 0 };
    let pi: Vec<u32> = (0..n_nodes).map(|v| v.saturating_sub(1)).collect();
    for algorithm in ["bfs", "dfs", "dijkstra", "mst"] {
        assert_eq!(problem.verdict_on(algorithm, &pi), Ok(()), "{algorithm}");
    }
}
