//! Dijkstra's algorithm against relaxing every edge as often as there are nodes.

use proptest::prelude::*;

use crate::naive_priority_first::search;
use crate::problems::{Problem, problems};
use crate::shown::{check_hints, marked, masks, pi, scalars};

proptest! {
    #[test]
    fn it_takes_one_step_a_reachable_node_and_one_before(problem in problems()) {
        prop_assert_eq!(problem.run("dijkstra").length as usize, 1 + problem.n_reachable());
    }

    #[test]
    fn distances_are_those_of_relaxing_every_edge(problem in problems()) {
        let trajectory = problem.run("dijkstra");
        let found = scalars(&trajectory, "d").pop().unwrap();
        let reached = masks(&trajectory, "mark").pop().unwrap();
        for (v, expected) in distances(&problem).into_iter().enumerate() {
            prop_assert_eq!(reached[v], expected.is_finite());
            let expected = if expected.is_finite() { expected } else { 0.0 };
            prop_assert!((found[v] - expected).abs() <= 1e-9, "{}: {}", found[v], expected);
        }
    }

    #[test]
    fn the_way_to_a_node_goes_through_the_one_it_points_to(problem in problems()) {
        let trajectory = problem.run("dijkstra");
        let d = scalars(&trajectory, "d").pop().unwrap();
        for (v, u) in (0..).zip(pi(&trajectory)) {
            if u != v {
                prop_assert_eq!(d[v as usize], d[u as usize] + problem.weight(u, v));
            }
        }
    }

    #[test]
    fn every_reachable_node_but_the_source_points_towards_it(problem in problems()) {
        let pi = pi(&problem.run("dijkstra"));
        for (v, hops) in (0..).zip(problem.hops()) {
            let mut end = v;
            (0..pi.len()).for_each(|_| end = pi[end as usize]);
            prop_assert_eq!(end, if hops.is_some() { problem.source } else { v });
        }
    }

    #[test]
    fn nodes_are_taken_by_distance_and_once_each(problem in problems()) {
        let trajectory = problem.run("dijkstra");
        let d = scalars(&trajectory, "d").pop().unwrap();
        let mut taken = marked(&trajectory, "u").split_off(1);
        prop_assert!(taken.iter().map(|&u| d[u as usize]).is_sorted());
        taken.sort_unstable();
        taken.dedup();
        prop_assert_eq!(taken.len(), problem.n_reachable());
    }

    #[test]
    fn the_hints_are_those_of_scanning_the_whole_queue(problem in problems()) {
        let shown = search(&problem, "d", |d, weight| d + weight, |a, b| a < b);
        check_hints(&problem.run("dijkstra"), &shown)?;
    }
}

/// Bellman-Ford without any care.
fn distances(problem: &Problem) -> Vec<f64> {
    let mut d = vec![f64::INFINITY; problem.graph.n_nodes()];
    d[problem.source as usize] = 0.0;
    for _ in problem.graph.nodes() {
        for (u, v, weight) in problem.weighted_edges() {
            d[v as usize] = d[v as usize].min(d[u as usize] + weight);
            d[u as usize] = d[u as usize].min(d[v as usize] + weight);
        }
    }
    d
}
