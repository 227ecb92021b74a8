//! Every answer there is on tiny graphs, against its definition spelled out naively.
//!
//! All ways to point and all ways to mark, correct or not. What is correct is said here by walking
//! along pointers, by trying every search, and by comparing with the best of all trees.

use std::collections::BTreeSet;

use proptest::prelude::*;
use salsa_learn::validity::Violation;
use salsa_traces::convention::Convention;
use salsa_traces::graph::Graph;
use salsa_traces::trajectory::Values;

use crate::problems::Problem;

/// Graphs of 1 to 5 nodes with any edges and small whole weights, zero among them.
fn tiny_problems() -> impl Strategy<Value = Problem> {
    let weights = |n: u32| prop::collection::vec(prop::option::of(0u8..4), (n * n) as usize);
    let with_weights = move |n: u32| (Just(n), 0..n, weights(n));
    (1u32..=5).prop_flat_map(with_weights).prop_map(|(n_nodes, source, drawn)| {
        let pairs = (0..n_nodes).flat_map(|u| (u + 1..n_nodes).map(move |v| (u, v)));
        let weighted = pairs.zip(drawn).filter_map(|(pair, weight)| Some((pair, weight?)));
        let (edges, weights): (Vec<_>, Vec<f64>) =
            weighted.map(|(pair, weight)| (pair, f64::from(weight))).unzip();
        let graph = Graph::from_weighted_edges(n_nodes as usize, &edges, &weights).unwrap();
        Problem { graph, source, stream: 0 }
    })
}

/// All ways to point along edges or to oneself.
fn all_pointers(graph: &Graph) -> Vec<Vec<u32>> {
    graph.nodes().fold(vec![Vec::new()], |so_far, u| {
        let targets = || graph.neighbours(u).iter().copied().chain([u]);
        let longer = |pi: Vec<u32>| targets().map(move |v| [&pi[..], &[v]].concat());
        so_far.into_iter().flat_map(longer).collect()
    })
}

/// The length of the walk along the pointers from `node` to the source, if it comes there.
fn walk(problem: &Problem, pi: &[u32], node: u32, weight: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut at, mut length) = (node, 0.0);
    for _ in pi {
        if at == problem.source {
            break;
        }
        let next = pi[at as usize];
        if next == at {
            return None;
        }
        length += weight(problem.weight(at, next));
        at = next;
    }
    (at == problem.source).then_some(length)
}

/// Whether the source and what it does not reach point to themselves, and all others walk to the
/// source, on shortest paths if that is asked for.
fn is_tree(
    problem: &Problem,
    pi: &[u32],
    weight: impl Fn(f64) -> f64 + Copy,
    is_shortest: bool,
) -> bool {
    let distances = &problem.all_distances(weight)[problem.source as usize];
    problem.graph.nodes().all(|u| {
        let distance = distances[u as usize];
        if u == problem.source || distance.is_infinite() {
            return pi[u as usize] == u;
        }
        let length = walk(problem, pi, u, weight);
        length.is_some_and(|length| !is_shortest || length == distance)
    })
}

/// The parents of every depth-first search, whatever its roots and orders.
fn all_depth_first(graph: &Graph) -> BTreeSet<Vec<u32>> {
    fn extend(
        graph: &Graph,
        done: &mut Vec<u32>,
        stack: &[u32],
        pi: &mut [u32],
        found: &mut BTreeSet<Vec<u32>>,
    ) {
        let mut stack = stack.to_vec();
        let new = |done: &[u32], u: u32| -> Vec<u32> {
            graph.neighbours(u).iter().copied().filter(|v| !done.contains(v)).collect()
        };
        while stack.last().is_some_and(|&u| new(done, u).is_empty()) {
            stack.pop();
        }
        let next = match stack.last() {
            Some(&u) => new(done, u),
            None => graph.nodes().filter(|u| !done.contains(u)).collect(),
        };
        if next.is_empty() {
            found.insert(pi.to_vec());
        }
        for v in next {
            pi[v as usize] = stack.last().copied().unwrap_or(v);
            done.push(v);
            stack.push(v);
            extend(graph, done, &stack, pi, found);
            stack.pop();
            done.pop();
            pi[v as usize] = v;
        }
    }
    let mut found = BTreeSet::new();
    let mut pi: Vec<u32> = graph.nodes().collect();
    extend(graph, &mut Vec::new(), &[], &mut pi, &mut found);
    found
}

proptest! {
    #[test]
    fn breadth_first_trees(problem in tiny_problems()) {
        for pi in all_pointers(&problem.graph) {
            let is_valid = problem.verdict_on("bfs", &pi).is_ok();
            prop_assert_eq!(is_valid, is_tree(&problem, &pi, |_| 1.0, true), "{:?}", pi);
        }
    }

    #[test]
    fn depth_first_forests(problem in tiny_problems()) {
        let found = all_depth_first(&problem.graph);
        for pi in all_pointers(&problem.graph) {
            let is_valid = problem.verdict_on("dfs", &pi).is_ok();
            prop_assert_eq!(is_valid, found.contains(&pi), "{:?}", pi);
        }
    }

    #[test]
    fn shortest_path_trees(problem in tiny_problems()) {
        for pi in all_pointers(&problem.graph) {
            let verdict = problem.verdict_on("dijkstra", &pi);
            prop_assert_eq!(verdict.is_ok(), is_tree(&problem, &pi, |w| w, true), "{:?}", pi);
            if let Err(Violation::Detour { node, parent, length, shortest }) = verdict {
                prop_assert_eq!(parent, pi[node as usize]);
                prop_assert_eq!(Some(length), walk(&problem, &pi, node, |w| w));
                let distances = problem.all_distances(|w| w);
                prop_assert_eq!(shortest, distances[problem.source as usize][node as usize]);
            }
        }
    }

    #[test]
    fn spanning_trees(problem in tiny_problems()) {
        let weight = |pi: &[u32]| -> f64 {
            let edges = (0..).zip(pi).filter(|&(u, &v)| u != v);
            edges.map(|(u, &v)| problem.weight(u, v)).sum()
        };
        let trees: BTreeSet<Vec<u32>> = all_pointers(&problem.graph)
            .into_iter()
            .filter(|pi| is_tree(&problem, pi, |_| 1.0, false))
            .collect();
        let weights = || trees.iter().map(|pi| weight(pi));
        let largest = weights().fold(f64::NEG_INFINITY, f64::max);
        let smallest = weights().fold(f64::INFINITY, f64::min);
        for (convention, best) in [(Convention::Paper, largest), (Convention::Release, smallest)] {
            for pi in all_pointers(&problem.graph) {
                let is_best = trees.contains(&pi) && weight(&pi) == best;
                let answer = Values::Pointer(pi.clone());
                let verdict = problem.check("mst", convention, &[answer]).unwrap();
                prop_assert_eq!(verdict.is_ok(), is_best, "{} {:?}", convention, pi);
                if let Err(Violation::BetterEdge { edge, weight, tree_edge, tree_weight }) = verdict {
                    let [(u, v), (a, b)] = [edge, tree_edge].map(|ends| (ends[0], ends[1]));
                    prop_assert_eq!(weight, problem.weight(u, v));
                    prop_assert_eq!(tree_weight, problem.weight(a, b));
                    prop_assert!(pi[a as usize] == b || pi[b as usize] == a);
                    let is_larger = weight > tree_weight;
                    prop_assert!(weight != tree_weight && is_larger == (convention == Convention::Paper));
                }
            }
        }
    }

    #[test]
    fn maximal_independent_sets(problem in tiny_problems()) {
        let graph = &problem.graph;
        for marks in 0u32..1 << graph.n_nodes() {
            let is_in = |u: u32| marks >> u & 1 == 1;
            let near = |u: u32| graph.neighbours(u).iter().any(|&v| is_in(v));
            let is_right = graph.nodes().all(|u| is_in(u) != near(u));
            let answer = Values::Mask(graph.nodes().map(is_in).collect());
            prop_assert_eq!(problem.verdict("mis", answer).is_ok(), is_right, "{:b}", marks);
        }
    }

    #[test]
    fn labels_of_components(problem in tiny_problems()) {
        let distances = problem.all_distances(|_| 1.0);
        let n_nodes = problem.graph.n_nodes();
        for code in 0..n_nodes.pow(n_nodes as u32) {
            let label = |u: usize| code / n_nodes.pow(u as u32) % n_nodes;
            let is_right = (0..n_nodes).all(|u| {
                (0..n_nodes).all(|v| (label(u) == label(v)) == distances[u][v].is_finite())
            });
            let answer = Values::Scalar((0..n_nodes).map(|u| label(u) as f64).collect());
            prop_assert_eq!(problem.verdict("components", answer).is_ok(), is_right);
        }
    }
}
