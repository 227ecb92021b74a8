//! Answers of other searches than the recorded ones: other parents, orders, roots and names.

use proptest::prelude::*;
use salsa_traces::convention::Convention;
use salsa_traces::graph::{Components, Graph};
use salsa_traces::random;
use salsa_traces::trajectory::Values;

use crate::problems::{Problem, problems};

proptest! {
    #[test]
    fn the_highest_parent_one_level_closer_is_as_good_as_the_lowest(problem in problems()) {
        let hops = &problem.all_distances(|_| 1.0)[problem.source as usize];
        let hops = |u: u32| Some(hops[u as usize]).filter(|hops| hops.is_finite());
        let closer = |u, v| hops(v).is_some_and(|closer| hops(u) == Some(closer + 1.0));
        let highest = |u| problem.graph.neighbours(u).iter().copied().rfind(|&v| closer(u, v));
        let pi: Vec<u32> = problem.graph.nodes().map(|u| highest(u).unwrap_or(u)).collect();
        prop_assert_eq!(problem.verdict_on("bfs", &pi), Ok(()));
    }

    #[test]
    fn a_depth_first_search_in_any_order_is_as_good(problem in problems(), stream in any::<u64>()) {
        let pi = depth_first(&problem.graph, &shuffled(problem.graph.n_nodes(), stream));
        prop_assert_eq!(problem.verdict_on("dfs", &pi), Ok(()));
        let reversed: Vec<u32> = problem.graph.nodes().rev().collect();
        let pi = depth_first(&problem.graph, &reversed);
        prop_assert_eq!(problem.verdict_on("dfs", &pi), Ok(()));
    }

    #[test]
    fn a_spanning_tree_by_kruskal_is_as_good_as_one_by_prim(problem in problems()) {
        for convention in Convention::ALL {
            let pi = Values::Pointer(kruskal(&problem, convention));
            prop_assert_eq!(problem.check("mst", convention, &[pi]), Some(Ok(())));
        }
    }

    #[test]
    fn a_set_by_greed_in_any_order_is_as_good(problem in problems(), stream in any::<u64>()) {
        let mut in_set = vec![false; problem.graph.n_nodes()];
        for u in shuffled(problem.graph.n_nodes(), stream) {
            let blocked = problem.graph.neighbours(u).iter().any(|&v| in_set[v as usize]);
            in_set[u as usize] = !blocked;
        }
        prop_assert_eq!(problem.verdict("mis", Values::Mask(in_set)), Ok(()));
    }

    #[test]
    fn other_names_of_components_are_as_good(problem in problems(), stream in any::<u64>()) {
        let outputs = problem.outputs("components", Convention::Paper);
        let Values::Scalar(labels) = &outputs[0] else { unreachable!() };
        let names = shuffled(problem.graph.n_nodes(), stream);
        let renamed = labels.iter().map(|&label| -f64::from(names[label as usize])).collect();
        prop_assert_eq!(problem.verdict("components", Values::Scalar(renamed)), Ok(()));
    }
}

#[test]
fn equal_paths_that_round_differently_are_equal() {
    // 0.1 + 0.2 + 0.3 is 0.6000000000000001 from one end and 0.6 from the other.
    //
    // 0 -0.1- 1 -0.2- 2 -0.3- 5
    //  \-0.3- 3 -0.2- 4 -0.1-/
    let edges = [(0, 1), (1, 2), (2, 5), (0, 3), (3, 4), (4, 5)];
    let problem = Problem::of(6, &edges, &[0.1, 0.2, 0.3, 0.3, 0.2, 0.1]);
    assert_ne!(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
    assert_eq!(problem.verdict_on("dijkstra", &[0, 0, 1, 0, 3, 2]), Ok(()));
    assert_eq!(problem.verdict_on("dijkstra", &[0, 0, 1, 0, 3, 4]), Ok(()));
}

#[test]
fn any_edge_of_a_cycle_of_equal_weights_may_be_left_out() {
    // 0 - 1
    //  \ /
    //   2
    let problem = Problem::of(3, &[(0, 1), (0, 2), (1, 2)], &[0.5; 3]);
    for pi in [[0, 0, 0], [0, 0, 1], [0, 2, 0]] {
        assert_eq!(problem.verdict_on("mst", &pi), Ok(()), "{pi:?}");
    }
}

/// The nodes in an order drawn from a stream.
fn shuffled(n_nodes: usize, stream: u64) -> Vec<u32> {
    let mut rng = random::stream([8; 32], stream);
    let mut order: Vec<u32> = (0..n_nodes as u32).collect();
    for last in (1..n_nodes).rev() {
        order.swap(last, random::below(&mut rng, last as u32 + 1) as usize);
    }
    order
}

/// A depth-first forest with roots and neighbours in this order.
fn depth_first(graph: &Graph, order: &[u32]) -> Vec<u32> {
    fn visit(graph: &Graph, order: &[u32], u: u32, is_done: &mut [bool], pi: &mut [u32]) {
        is_done[u as usize] = true;
        for &v in order.iter().filter(|&&v| graph.has_edge(u, v)) {
            if !is_done[v as usize] {
                pi[v as usize] = u;
                visit(graph, order, v, is_done, pi);
            }
        }
    }
    let mut is_done = vec![false; graph.n_nodes()];
    let mut pi: Vec<u32> = graph.nodes().collect();
    for &root in order {
        if !is_done[root as usize] {
            visit(graph, order, root, &mut is_done, &mut pi);
        }
    }
    pi
}

/// A best spanning tree of what the source reaches, of equal edges the highest first.
fn kruskal(problem: &Problem, convention: Convention) -> Vec<u32> {
    let mut edges: Vec<(u32, u32)> = problem.graph.edges().collect();
    edges.reverse();
    edges.sort_by(|a, b| {
        let order = problem.weight(a.0, a.1).partial_cmp(&problem.weight(b.0, b.1)).unwrap();
        if convention == Convention::Paper { order.reverse() } else { order }
    });
    let mut joined = Components::new(problem.graph.n_nodes());
    edges.retain(|&(u, v)| joined.join(u, v));
    let mut pi: Vec<u32> = problem.graph.nodes().collect();
    let mut reached = vec![problem.source];
    while let Some(u) = reached.pop() {
        for &(a, b) in edges.iter().filter(|&&(a, b)| a == u || b == u) {
            let v = if a == u { b } else { a };
            if v != pi[u as usize] {
                pi[v as usize] = u;
                reached.push(v);
            }
        }
    }
    pi
}
