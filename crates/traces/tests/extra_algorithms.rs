//! The algorithms beyond the benchmark against oracles that share no code with them.
//!
//! Random graphs, often disconnected; weights from a small set, so that ties are common, and from
//! the reals. The synchronous algorithms are compared step by step with a naive version that
//! visits every edge in every round, the others with the removal of each node and edge in turn.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeSet;

use petgraph::algo::{connected_components, dijkstra};
use petgraph::graph::{NodeIndex, UnGraph};
use proptest::prelude::*;
use salsa_traces::algorithms::{Algorithm, find};
use salsa_traces::execution::{Inputs, Options, execute};
use salsa_traces::graph::{Components, Graph};
use salsa_traces::trajectory::{Trajectory, Values};

const EXTRA: [&str; 5] = ["bellman_ford", "articulation_points", "bridges", "components", "k_core"];

proptest! {
    #[test]
    fn last_hint_equals_output_and_hints_cost_nothing_else(graph in graphs(), s in 0u32..40) {
        let source = s % graph.n_nodes() as u32;
        for name in EXTRA {
            let algorithm = find(name).unwrap();
            let trajectory = run(algorithm, &graph, source, true);
            let length = trajectory.length as usize;
            for output in algorithm.spec().outputs() {
                let hint = algorithm.spec().hint_of(output).unwrap();
                let last = trajectory.hint(&hint.name).unwrap().at(length - 1);
                prop_assert_eq!(Some(&last), trajectory.output(&output.name), "{}", name);
            }
            for hint in algorithm.spec().hints() {
                prop_assert_eq!(trajectory.hint(&hint.name).unwrap().all().len(), length);
            }
            let without = run(algorithm, &graph, source, false);
            prop_assert!(without.hints.is_none());
            prop_assert_eq!(without.length, trajectory.length);
            prop_assert_eq!(without.outputs, trajectory.outputs);
        }
    }

    #[test]
    fn bellman_ford_distances_are_those_of_dijkstra(graph in graphs(), s in 0u32..40) {
        let source = s % graph.n_nodes() as u32;
        let trajectory = run(find("bellman_ford").unwrap(), &graph, source, true);
        let last = trajectory.length as usize - 1;
        let d = scalars(&trajectory.hint("d").unwrap().at(last));
        let reached = mask(&trajectory.hint("reach_h").unwrap().at(last));
        let pi = pointers(trajectory.output("pi").unwrap());
        let expected =
            dijkstra(&to_petgraph(&graph), NodeIndex::new(source as usize), None, |e| *e.weight());
        for v in 0..graph.n_nodes() {
            // Both add weights from the source outwards, so even the rounding is the same.
            let distance = expected.get(&NodeIndex::new(v)).copied();
            prop_assert_eq!(reached[v].then_some(d[v]), distance);
            let parent = pi[v] as usize;
            if !reached[v] || v == source as usize {
                prop_assert_eq!((parent, d[v]), (v, 0.0));
            } else {
                let weight = graph.weighted_neighbours(v as u32).find(|edge| edge.0 == pi[v]);
                prop_assert_eq!(d[v], d[parent] + weight.unwrap().1);
            }
        }
    }

    #[test]
    fn bellman_ford_rounds_are_those_of_relaxing_every_edge(graph in graphs(), s in 0u32..40) {
        let source = s % graph.n_nodes() as u32;
        let trajectory = run(find("bellman_ford").unwrap(), &graph, source, true);
        let (d_h, pi_h) = (trajectory.hint("d").unwrap(), trajectory.hint("pi_h").unwrap());
        let reach_h = trajectory.hint("reach_h").unwrap();
        let mut d = vec![f64::INFINITY; graph.n_nodes()];
        let mut pi: Vec<u32> = graph.nodes().collect();
        d[source as usize] = 0.0;
        for step in 0..trajectory.length as usize {
            let shown = d.iter().map(|&d| if d.is_finite() { d } else { 0.0 }).collect();
            prop_assert_eq!(d_h.at(step), Values::Scalar(shown));
            prop_assert_eq!(pi_h.at(step), Values::Pointer(pi.clone()));
            let reached = d.iter().map(|d| d.is_finite()).collect();
            prop_assert_eq!(reach_h.at(step), Values::Mask(reached));
            let before = d.clone();
            for u in graph.nodes() {
                for (v, w) in graph.weighted_neighbours(u) {
                    // u ascends, so the first of equal candidates is the lowest.
                    if before[u as usize] + w < d[v as usize] {
                        (d[v as usize], pi[v as usize]) = (before[u as usize] + w, u);
                    }
                }
            }
            prop_assert_eq!(d != before, step + 1 < trajectory.length as usize);
        }
    }

    #[test]
    fn articulation_points_are_the_nodes_whose_removal_adds_components(graph in graphs()) {
        let trajectory = run(find("articulation_points").unwrap(), &graph, 0, true);
        prop_assert_eq!(trajectory.length as usize, 2 * graph.n_nodes());
        let whole = count_components(&graph, |_, _| true);
        let expected = graph.nodes().map(|cut| {
            // The removed node stays behind, a component of its own.
            count_components(&graph, |u, v| u != cut && v != cut) > whole + 1
        });
        let expected: Vec<bool> = expected.collect();
        prop_assert_eq!(mask(trajectory.output("is_cut").unwrap()), expected);
    }

    #[test]
    fn bridges_are_the_edges_whose_removal_adds_a_component(graph in graphs()) {
        let trajectory = run(find("bridges").unwrap(), &graph, 0, true);
        prop_assert_eq!(trajectory.length as usize, 2 * graph.n_nodes());
        let whole = count_components(&graph, |_, _| true);
        let expected = graph.entries().map(|(a, b)| {
            count_components(&graph, |u, v| (u, v) != (a.min(b), a.max(b))) > whole
        });
        let expected: Vec<bool> = expected.collect();
        prop_assert_eq!(mask(trajectory.output("bridge").unwrap()), expected);
    }

    #[test]
    fn low_links_are_the_lowest_numbers_that_subtrees_reach(graph in graphs()) {
        for name in ["articulation_points", "bridges"] {
            let trajectory = run(find(name).unwrap(), &graph, 0, true);
            let last = |hint: &str| trajectory.hint(hint).unwrap().at(2 * graph.n_nodes() - 1);
            let (d, low, pi) = (scalars(&last("d")), scalars(&last("low")), pointers(&last("pi_h")));
            let mut expected = d.clone();
            for x in graph.nodes() {
                let others = graph.neighbours(x).iter().filter(|&&y| y != pi[x as usize]);
                let reach = others.map(|&y| d[y as usize]).fold(d[x as usize], f64::min);
                let mut above = x;
                loop {
                    expected[above as usize] = expected[above as usize].min(reach);
                    if pi[above as usize] == above {
                        break;
                    }
                    above = pi[above as usize];
                }
            }
            prop_assert_eq!(low, expected, "{}", name);
        }
    }

    #[test]
    fn components_are_those_of_union_find(graph in graphs()) {
        let trajectory = run(find("components").unwrap(), &graph, 0, true);
        let label = scalars(trajectory.output("label").unwrap());
        let mut components = Components::new(graph.n_nodes());
        graph.edges().for_each(|(u, v)| { components.join(u, v); });
        let expected: Vec<f64> = graph.nodes().map(|u| components.find(u).into()).collect();
        let distinct: BTreeSet<u32> = label.iter().map(|&label| label as u32).collect();
        prop_assert_eq!(distinct.len(), connected_components(&to_petgraph(&graph)));
        prop_assert_eq!(label, expected);
    }

    #[test]
    fn component_labels_move_as_if_every_node_looked_at_every_step(graph in graphs()) {
        let trajectory = run(find("components").unwrap(), &graph, 0, true);
        let steps = trajectory.hint("label_h").unwrap().all();
        let mut label: Vec<f64> = graph.nodes().map(f64::from).collect();
        for (step, shown) in steps.iter().enumerate() {
            prop_assert_eq!(shown, &Values::Scalar(label.clone()));
            let lowest = |u: u32| {
                let around = graph.neighbours(u).iter().map(|&v| label[v as usize]);
                around.fold(label[u as usize], f64::min)
            };
            let next: Vec<f64> = graph.nodes().map(lowest).collect();
            prop_assert_eq!(next != label, step + 1 < steps.len());
            label = next;
        }
    }

    #[test]
    fn core_numbers_are_those_of_peeling_one_node_at_a_time(graph in graphs()) {
        let trajectory = run(find("k_core").unwrap(), &graph, 0, false);
        let mut left: BTreeSet<u32> = graph.nodes().collect();
        let mut core = vec![0.0; graph.n_nodes()];
        let mut k = 0;
        while let Some(u) = left.iter().copied().min_by_key(|&u| degree_within(&graph, &left, u)) {
            k = k.max(degree_within(&graph, &left, u));
            core[u as usize] = k as f64;
            left.remove(&u);
        }
        prop_assert_eq!(scalars(trajectory.output("core").unwrap()), core);
    }

    #[test]
    fn peeling_rounds_take_all_nodes_of_at_most_k_neighbours(graph in graphs()) {
        let trajectory = run(find("k_core").unwrap(), &graph, 0, true);
        let at = |name: &str, step| trajectory.hint(name).unwrap().at(step);
        let mut left: BTreeSet<u32> = graph.nodes().collect();
        let mut degree: Vec<f64> = graph.nodes().map(|u| graph.degree(u) as f64).collect();
        let mut k = 0;
        for step in 0..trajectory.length as usize {
            prop_assert_eq!(at("k", step), Values::Scalar(vec![k as f64]));
            prop_assert_eq!(at("degree", step), Values::Scalar(degree.clone()));
            let removed = graph.nodes().map(|u| !left.contains(&u)).collect();
            prop_assert_eq!(at("removed", step), Values::Mask(removed));
            let smallest = left.iter().map(|&u| degree_within(&graph, &left, u)).min();
            prop_assert_eq!(smallest.is_some(), step + 1 < trajectory.length as usize);
            k = k.max(smallest.unwrap_or(k));
            let before = left.clone();
            left.retain(|&u| degree_within(&graph, &before, u) > k);
            for &u in &left {
                degree[u as usize] = degree_within(&graph, &left, u) as f64;
            }
        }
    }
}

#[test]
fn a_path_of_a_million_nodes_is_all_cuts_and_bridges() {
    let edges: Vec<(u32, u32)> = (0..999_999).map(|u| (u, u + 1)).collect();
    let path = Graph::from_edges(1_000_000, &edges).unwrap();
    let cuts = run(find("articulation_points").unwrap(), &path, 0, true);
    let is_cut = mask(cuts.output("is_cut").unwrap());
    assert_eq!(is_cut.iter().filter(|&&is_cut| is_cut).count(), 999_998);
    let bridges = run(find("bridges").unwrap(), &path, 0, true);
    let bridge = mask(bridges.output("bridge").unwrap());
    assert_eq!(bridge.iter().filter(|&&bridge| bridge).count(), 2 * 999_999);
}

#[test]
fn a_single_node_is_a_graph_too() {
    let graph = Graph::from_weighted_edges(1, &[], &[]).unwrap();
    let length = |name| run(find(name).unwrap(), &graph, 0, true).length;
    assert_eq!(EXTRA.map(length), [1, 2, 2, 1, 2]);
}

/// Graphs of up to 40 nodes with any set of edges; weights 0, 1, 2 or in [0, 1).
fn graphs() -> impl Strategy<Value = Graph> {
    let pairs = |n: u32| {
        let most_edges = (2 * n as usize).max(1);
        (Just(n as usize), prop::collection::vec((0..n, 0..n), 0..=most_edges))
    };
    let weights = prop_oneof![
        prop::collection::vec((0u8..3).prop_map(f64::from), 80),
        prop::collection::vec(0.0..1.0, 80),
    ];
    ((1u32..=40).prop_flat_map(pairs), weights).prop_map(|((n_nodes, pairs), weights)| {
        let no_loops = pairs.into_iter().filter(|(u, v)| u != v);
        let edges: BTreeSet<(u32, u32)> = no_loops.map(|(u, v)| (u.min(v), u.max(v))).collect();
        let edges: Vec<(u32, u32)> = edges.into_iter().collect();
        Graph::from_weighted_edges(n_nodes, &edges, &weights[..edges.len()]).unwrap()
    })
}

fn run(algorithm: &dyn Algorithm, graph: &Graph, source: u32, hints: bool) -> Trajectory {
    let inputs = Inputs { source: Some(source), randomness: None };
    let options = Options { hints, convention: Default::default() };
    execute(algorithm, graph, inputs, options).unwrap().1
}

fn count_components(graph: &Graph, keeps: impl Fn(u32, u32) -> bool) -> usize {
    let mut components = Components::new(graph.n_nodes());
    for (u, v) in graph.edges().filter(|&(u, v)| keeps(u, v)) {
        components.join(u, v);
    }
    components.count()
}

fn degree_within(graph: &Graph, nodes: &BTreeSet<u32>, u: u32) -> usize {
    graph.neighbours(u).iter().filter(|v| nodes.contains(v)).count()
}

fn to_petgraph(graph: &Graph) -> UnGraph<(), f64> {
    let mut converted = UnGraph::new_undirected();
    graph.nodes().for_each(|_| {
        converted.add_node(());
    });
    for ((u, v), weight) in graph.edges().zip(graph.edge_weights().unwrap()) {
        converted.add_edge(NodeIndex::new(u as usize), NodeIndex::new(v as usize), weight);
    }
    converted
}

fn scalars(values: &Values) -> Vec<f64> {
    let Values::Scalar(values) = values else { panic!("scalars were expected: {values:?}") };
    values.clone()
}

fn mask(values: &Values) -> Vec<bool> {
    let Values::Mask(values) = values else { panic!("a mask was expected: {values:?}") };
    values.clone()
}

fn pointers(values: &Values) -> Vec<u32> {
    let Values::Pointer(values) = values else { panic!("pointers were expected: {values:?}") };
    values.clone()
}
