//! Breadth-first search against hops counted level by level.

use proptest::prelude::*;
use salsa_traces::trajectory::Values;

use crate::problems::{Problem, problems};
use crate::shown::{check_hints, masks, pi, pointers};

proptest! {
    #[test]
    fn it_takes_one_step_more_than_the_eccentricity(problem in problems()) {
        prop_assert_eq!(problem.run("bfs").length, problem.eccentricity() + 1);
    }

    #[test]
    fn step_t_shows_the_nodes_within_t_hops(problem in problems()) {
        let hops = problem.hops();
        for (step, reached) in masks(&problem.run("bfs"), "reach_h").into_iter().enumerate() {
            let within = |hops: &Option<u32>| hops.is_some_and(|hops| hops as usize <= step);
            prop_assert_eq!(reached, hops.iter().map(within).collect::<Vec<bool>>());
        }
    }

    #[test]
    fn a_node_points_to_its_lowest_neighbour_one_level_closer(problem in problems()) {
        prop_assert_eq!(pi(&problem.run("bfs")), parents(&problem));
    }

    #[test]
    fn a_node_points_to_itself_until_it_is_reached(problem in problems()) {
        let trajectory = problem.run("bfs");
        let (reached, last) = (masks(&trajectory, "reach_h"), parents(&problem));
        for (reached, pi) in reached.iter().zip(pointers(&trajectory, "pi_h")) {
            let expected = problem.graph.nodes().map(|v| {
                if reached[v as usize] { last[v as usize] } else { v }
            });
            prop_assert_eq!(pi, expected.collect::<Vec<u32>>());
        }
    }

    #[test]
    fn the_hints_are_those_of_asking_every_node_at_every_step(problem in problems()) {
        let graph = &problem.graph;
        let mut reached = vec![false; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        reached[problem.source as usize] = true;
        let mut shown = Vec::new();
        loop {
            shown.push(vec![
                ("reach_h", Values::Mask(reached.clone())),
                ("pi_h", Values::Pointer(pi.clone())),
            ]);
            let before = reached.clone();
            for v in graph.nodes().filter(|&v| !before[v as usize]) {
                let lowest = graph.nodes().find(|&u| before[u as usize] && graph.has_edge(u, v));
                if let Some(u) = lowest {
                    (reached[v as usize], pi[v as usize]) = (true, u);
                }
            }
            if reached == before {
                break;
            }
        }
        check_hints(&problem.run("bfs"), &shown)?;
    }
}

/// The lowest neighbour one hop closer to the source, for every node that has one.
fn parents(problem: &Problem) -> Vec<u32> {
    let hops = problem.hops();
    let closer = |u: u32, v: u32| hops[v as usize].is_some_and(|h| hops[u as usize] == Some(h - 1));
    let graph = &problem.graph;
    let parent = |v: u32| match hops[v as usize] {
        None | Some(0) => v,
        Some(_) => graph.neighbours(v).iter().copied().filter(|&u| closer(u, v)).min().unwrap(),
    };
    graph.nodes().map(parent).collect()
}
