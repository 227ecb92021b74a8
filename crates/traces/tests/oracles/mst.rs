//! Prim's algorithm in both directions against Kruskal's, and one direction against the other.

use petgraph::algo::min_spanning_tree;
use petgraph::data::Element;
use proptest::prelude::*;
use salsa_traces::convention::Convention;
use salsa_traces::execution::Options;
use salsa_traces::trajectory::{Trajectory, Values};

use crate::naive_priority_first::search;
use crate::problems::{Problem, problems};
use crate::shown::{check_hints, pi};

proptest! {
    #[test]
    fn it_takes_one_step_a_reachable_node_and_one_before(problem in problems()) {
        for convention in Convention::ALL {
            let length = run(&problem, convention).length as usize;
            prop_assert_eq!(length, 1 + problem.n_reachable());
        }
    }

    #[test]
    fn the_tree_of_the_release_is_as_light_as_that_of_kruskal(problem in problems()) {
        let found = tree_weight(&problem, &run(&problem, Convention::Release))?;
        let expected = kruskal(&problem, |weight| weight);
        prop_assert!((found - expected).abs() <= 1e-9, "{}, expected {}", found, expected);
    }

    #[test]
    fn the_tree_of_the_paper_is_as_heavy_as_that_of_kruskal(problem in problems()) {
        let found = tree_weight(&problem, &run(&problem, Convention::Paper))?;
        let expected = -kruskal(&problem, |weight| -weight);
        prop_assert!((found - expected).abs() <= 1e-9, "{}, expected {}", found, expected);
    }

    #[test]
    fn the_paper_is_the_release_on_negated_weights(problem in problems()) {
        let paper = run(&problem, Convention::Paper);
        let weights: Vec<f64> = problem.graph.edge_weights().unwrap().map(|w| -w).collect();
        let graph = problem.graph.clone().with_weights(&weights).unwrap();
        let release = run(&Problem { graph, ..problem }, Convention::Release);
        let with_sign_restored = |values| match values {
            Values::Scalar(key) => Values::Scalar(key.iter().map(|key| -key).collect()),
            _ => values,
        };
        prop_assert_eq!(paper.length, release.length);
        for field in paper.spec.hints() {
            let [paper, release] = [&paper, &release].map(|run| run.hint(&field.name).unwrap());
            let expected: Vec<Values> =
                release.all().into_iter().map(with_sign_restored).collect();
            prop_assert_eq!(paper.all(), expected, "{}", field.name);
        }
        prop_assert_eq!(paper.outputs, release.outputs);
    }

    #[test]
    fn the_hints_of_the_release_are_those_of_scanning_the_whole_queue(problem in problems()) {
        let shown = search(&problem, "key", |_, weight| weight, |a, b| a < b);
        check_hints(&run(&problem, Convention::Release), &shown)?;
    }

    #[test]
    fn the_hints_of_the_paper_are_those_of_scanning_the_whole_queue(problem in problems()) {
        let shown = search(&problem, "key", |_, weight| weight, |a, b| a > b);
        check_hints(&run(&problem, Convention::Paper), &shown)?;
    }
}

fn run(problem: &Problem, convention: Convention) -> Trajectory {
    problem.run_with("mst", Options { hints: true, convention }).1
}

/// The weight of the tree, which spans all that the source reaches.
fn tree_weight(problem: &Problem, trajectory: &Trajectory) -> Result<f64, TestCaseError> {
    let pi = pi(trajectory);
    let mut total = 0.0;
    for (v, hops) in (0..).zip(problem.hops()) {
        let mut end = v;
        (0..pi.len()).for_each(|_| end = pi[end as usize]);
        prop_assert_eq!(end, if hops.is_some() { problem.source } else { v });
        if pi[v as usize] != v {
            total += problem.weight(pi[v as usize], v);
        }
    }
    Ok(total)
}

/// The weight of Kruskal's tree on what the source reaches.
fn kruskal(problem: &Problem, weight: impl Fn(f64) -> f64) -> f64 {
    let hops = problem.hops();
    min_spanning_tree(&problem.to_petgraph(weight))
        .map(|element| match element {
            Element::Edge { source, weight, .. } if hops[source].is_some() => weight,
            _ => 0.0,
        })
        .sum()
}
