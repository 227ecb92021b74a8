//! Each way to be wrong, on graphs small enough to see it.

use proptest::prelude::*;
use salsa_learn::validity::{Instance, Violation, check};
use salsa_traces::algorithms::find;
use salsa_traces::convention::Convention;
use salsa_traces::execution::Inputs;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::Values;

use crate::problems::{Problem, problems};

const TREES: [&str; 4] = ["bfs", "dijkstra", "bellman_ford", "mst"];

/// 0 - 1 - 2 - 3   4 - 5
fn two_paths() -> Problem {
    Problem::unweighted(6, &[(0, 1), (1, 2), (2, 3), (4, 5)])
}

/// ```text
/// 0 - 1
/// |   |
/// 3 - 2
/// ```
fn square() -> Problem {
    Problem::unweighted(4, &[(0, 1), (1, 2), (2, 3), (0, 3)])
}

#[test]
fn a_pointer_to_a_stranger_is_no_edge() {
    for algorithm in TREES.into_iter().chain(["dfs"]) {
        for target in [3, 9] {
            let verdict = two_paths().verdict_on(algorithm, &[0, 0, 1, 2, 4, target]);
            assert_eq!(verdict, Err(Violation::NotANeighbour { node: 5, target }), "{algorithm}");
        }
    }
}

#[test]
fn the_source_must_point_to_itself() {
    for algorithm in TREES {
        let verdict = two_paths().verdict_on(algorithm, &[1, 1, 1, 2, 4, 5]);
        assert_eq!(verdict, Err(Violation::SourcePointsAway { node: 0, target: 1 }), "{algorithm}");
    }
}

#[test]
fn a_node_that_is_reached_must_point_on() {
    for algorithm in TREES {
        let verdict = two_paths().verdict_on(algorithm, &[0, 0, 2, 2, 4, 5]);
        assert_eq!(verdict, Err(Violation::NoParent { node: 2 }), "{algorithm}");
    }
}

#[test]
fn a_node_that_is_not_reached_must_not_point_on() {
    for algorithm in TREES {
        let verdict = two_paths().verdict_on(algorithm, &[0, 0, 1, 2, 4, 4]);
        let expected = Violation::UnreachableHasParent { node: 5, target: 4 };
        assert_eq!(verdict, Err(expected), "{algorithm}");
    }
}

#[test]
fn pointers_must_not_go_round() {
    for algorithm in TREES.into_iter().chain(["dfs"]) {
        let verdict = two_paths().verdict_on(algorithm, &[0, 0, 3, 2, 4, 5]);
        assert_eq!(verdict, Err(Violation::Cycle { node: 2, length: 2 }), "{algorithm}");
    }
    let verdict = square().verdict_on("dfs", &[1, 2, 3, 0]);
    assert_eq!(verdict, Err(Violation::Cycle { node: 0, length: 4 }));
}

#[test]
fn edges_of_weight_0_are_no_excuse_to_go_round() {
    // 0 -1- 1 -0- 2
    let problem = Problem::of(3, &[(0, 1), (1, 2)], &[1.0, 0.0]);
    let verdict = problem.verdict_on("dijkstra", &[0, 2, 1]);
    assert_eq!(verdict, Err(Violation::Cycle { node: 1, length: 2 }));
}

#[test]
fn a_parent_one_level_off_is_no_breadth_first_tree() {
    // A square with 2 and 3 joined to 4: 4 is two edges away over 3, and 2 points to it.
    let problem = Problem::unweighted(5, &[(0, 1), (1, 2), (0, 3), (3, 4), (2, 4)]);
    assert_eq!(problem.verdict_on("bfs", &[0, 0, 1, 0, 3]), Ok(()));
    let expected = Violation::WrongLevel { node: 2, level: 2, parent: 4, parent_level: 2 };
    assert_eq!(problem.verdict_on("bfs", &[0, 0, 4, 0, 3]), Err(expected));
}

#[test]
fn a_longer_way_is_a_detour_where_it_leaves_the_shortest_one() {
    // 0 --5-- 2 -1- 3
    //  \     /
    //   1   1
    //    \ /
    //     1
    let problem = Problem::of(4, &[(0, 1), (0, 2), (1, 2), (2, 3)], &[1.0, 5.0, 1.0, 1.0]);
    for algorithm in ["dijkstra", "bellman_ford"] {
        assert_eq!(problem.verdict_on(algorithm, &[0, 0, 1, 2]), Ok(()));
        let expected = Violation::Detour { node: 2, parent: 0, length: 5.0, shortest: 2.0 };
        assert_eq!(problem.verdict_on(algorithm, &[0, 0, 0, 2]), Err(expected));
    }
}

#[test]
fn a_way_longer_by_less_than_32_bits_show_is_still_a_detour() {
    let problem = Problem::of(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], &[0.5, 0.5, 0.5, 0.5 + 1e-9]);
    assert_eq!(problem.verdict_on("dijkstra", &[0, 0, 0, 1]), Ok(()));
    assert_eq!(problem.verdict_on("dijkstra", &[0, 0, 0, 2]).unwrap_err().reason(), "detour");
}

#[test]
fn an_edge_swapped_for_a_worse_one_is_named_with_the_better_one() {
    // 0 -1- 1
    // |     |
    // 4     2
    // |     |
    // 3 -3- 2
    let problem = Problem::of(4, &[(0, 1), (1, 2), (2, 3), (0, 3)], &[1.0, 2.0, 3.0, 4.0]);
    let verdict = |convention, pi: [u32; 4]| {
        problem.check("mst", convention, &[Values::Pointer(pi.to_vec())]).unwrap()
    };
    // Without the edge of weight 1, 2, 3, 4.
    let [without_1, without_2, without_3, without_4] =
        [[0, 2, 3, 0], [0, 0, 3, 0], [0, 0, 1, 0], [0, 0, 1, 2]];
    assert_eq!(verdict(Convention::Paper, without_1), Ok(()));
    assert_eq!(verdict(Convention::Release, without_4), Ok(()));
    let better = |edge, weight, tree_edge, tree_weight| {
        Err(Violation::BetterEdge { edge, weight, tree_edge, tree_weight })
    };
    assert_eq!(verdict(Convention::Release, without_3), better([2, 3], 3.0, [0, 3], 4.0));
    assert_eq!(verdict(Convention::Release, without_1), better([0, 1], 1.0, [0, 3], 4.0));
    assert_eq!(verdict(Convention::Paper, without_2), better([1, 2], 2.0, [0, 1], 1.0));
    assert_eq!(verdict(Convention::Paper, without_4), better([0, 3], 4.0, [0, 1], 1.0));
}

#[test]
fn a_depth_first_search_leaves_no_edge_between_branches() {
    assert_eq!(square().verdict_on("dfs", &[0, 0, 1, 2]), Ok(()));
    let verdict = square().verdict_on("dfs", &[0, 0, 1, 0]);
    assert_eq!(verdict, Err(Violation::CrossEdge { u: 2, v: 3 }));
}

#[test]
fn a_depth_first_search_leaves_a_component_in_one_tree() {
    assert_eq!(two_paths().verdict_on("dfs", &[1, 2, 3, 3, 5, 5]), Ok(()));
    let verdict = two_paths().verdict_on("dfs", &[0, 0, 3, 3, 4, 4]);
    assert_eq!(verdict, Err(Violation::TwoTrees { u: 1, v: 2, root_u: 0, root_v: 3 }));
}

#[test]
fn neighbours_are_not_independent_and_a_gap_is_not_maximal() {
    let verdict = |marked: [bool; 6]| two_paths().verdict("mis", Values::Mask(marked.to_vec()));
    assert_eq!(verdict([true, false, false, true, false, true]), Ok(()));
    let both = verdict([false, true, true, false, true, false]);
    assert_eq!(both, Err(Violation::Adjacent { u: 1, v: 2 }));
    let gap = verdict([true, false, false, false, true, false]);
    assert_eq!(gap, Err(Violation::NotMaximal { node: 2 }));
}

#[test]
fn an_eccentricity_must_round_to_the_true_one() {
    let verdict = |found| two_paths().verdict("eccentricity", Values::Scalar(vec![found]));
    assert_eq!(verdict(2.6), Ok(()));
    assert_eq!(verdict(2.4), Err(Violation::WrongEccentricity { expected: 3, found: 2.4 }));
    assert_eq!(verdict(f64::NAN).unwrap_err().reason(), "wrong_eccentricity");
}

#[test]
fn labels_must_hold_a_component_together_and_two_apart() {
    let verdict =
        |labels: [f64; 6]| two_paths().verdict("components", Values::Scalar(labels.to_vec()));
    assert_eq!(verdict([7.0, 7.0, 7.2, 6.9, -0.1, 0.1]), Ok(()));
    let split = Violation::LabelsDiffer { u: 1, v: 2, label_u: 0.0, label_v: 0.6 };
    assert_eq!(verdict([0.0, 0.0, 0.6, 0.6, 4.0, 4.0]), Err(split));
    let shared = Violation::LabelShared { u: 0, v: 4, label: 0.0 };
    assert_eq!(verdict([0.0, 0.0, 0.0, 0.0, 0.4, -0.4]), Err(shared));
    let verdict = verdict([0.0, 0.0, 0.0, 0.0, f64::INFINITY, f64::INFINITY]);
    assert_eq!(verdict, Err(Violation::NoLabel { node: 4, label: f64::INFINITY }));
}

#[test]
fn a_wrong_shape_is_refused_before_any_rule() {
    let problem = two_paths();
    let message = |predicted: &[Values]| {
        let verdict = problem.check("bfs", Convention::Paper, predicted).unwrap();
        verdict.unwrap_err().to_string()
    };
    assert_eq!(message(&[]), "expected 1 outputs, found 0");
    let short = Values::Pointer(vec![0, 0]);
    assert_eq!(message(&[short]), "output pi: expected 6 values, found 2");
    let marks = Values::Mask(vec![true; 6]);
    assert_eq!(message(&[marks]), "output pi: expected values of kind pointer, found mask");
}

#[test]
fn an_instance_without_its_source_is_named() {
    let problem = two_paths();
    let message = |source| {
        let inputs = Inputs { source, randomness: None };
        let convention = Convention::Paper;
        let instance = Instance { graph: &problem.graph, inputs: &inputs, convention };
        let pi = Values::Pointer(vec![0, 0, 1, 2, 4, 5]);
        let verdict = check(find("bfs").unwrap().spec(), &instance, &[pi]).unwrap();
        verdict.unwrap_err().to_string()
    };
    assert_eq!(message(None), "expected a source node below 6, found none");
    assert_eq!(message(Some(6)), "expected a source node below 6, found 6");
}

#[test]
fn an_algorithm_from_elsewhere_is_not_judged_by_its_name() {
    static FIELDS: &[Field] = &[Field::output("order", Location::Node, Kind::Scalar)];
    let problem = two_paths();
    let inputs = Inputs { source: Some(0), randomness: None };
    let convention = Convention::Paper;
    let instance = Instance { graph: &problem.graph, inputs: &inputs, convention };
    let predicted = [Values::Scalar(vec![0.0; 6])];
    assert_eq!(check(&Spec::new("bfs", FIELDS), &instance, &predicted), None);
}

proptest! {
    #[test]
    fn no_prediction_is_too_strange_for_a_verdict(
        problem in problems(),
        targets in prop::collection::vec(0u32..45, 0..45),
        numbers in prop::collection::vec(any::<f64>(), 0..45),
    ) {
        let n_nodes = problem.graph.n_nodes();
        let targets: Vec<u32> = targets.into_iter().cycle().take(n_nodes).collect();
        for algorithm in TREES.into_iter().chain(["dfs"]) {
            let _ = problem.verdict_on(algorithm, &targets);
        }
        for algorithm in ["eccentricity", "components"] {
            let _ = problem.verdict(algorithm, Values::Scalar(numbers.clone()));
        }
    }
}
