//! The graph's rows against plain lists of edges.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use salsa_traces::graph::{Entries, Graph, GraphError};

/// Undirected edges with weights, u < v.
type Edges = BTreeMap<(u32, u32), f64>;

proptest! {
    #[test]
    fn edges_come_back_sorted((n_nodes, edges) in edge_sets(), order in any::<u64>()) {
        let graph = Graph::from_edges(n_nodes, &shuffled(&edges, order).0).unwrap();
        let expected: Vec<(u32, u32)> = edges.keys().copied().collect();
        prop_assert_eq!(graph.edges().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_of_the_neighbours_above_each_node_are_enough((n_nodes, edges) in edge_sets()) {
        let length = |u| edges.keys().filter(|edge| edge.0 == u).count() as u32;
        let row_lengths: Vec<u32> = (0..n_nodes as u32).map(length).collect();
        let (upper, weights): (Vec<u32>, Vec<f64>) =
            edges.iter().map(|(edge, &weight)| (edge.1, weight)).unzip();
        let made = Graph::from_upper_rows(&row_lengths, &upper).unwrap();
        let expected = graph(n_nodes, &edges);
        prop_assert_eq!(&made.with_weights(&weights).unwrap(), &expected);
        let unfolded = Entries::of_upper_rows(&row_lengths, &upper, Some(&weights)).unwrap();
        let single = expected.entry_weights(1.0).into_iter().map(|weight| weight as f32);
        prop_assert_eq!(&unfolded, &(Entries::of(&expected), Some(single.collect())));
        let plain = Entries::of_upper_rows(&row_lengths, &upper, None).unwrap();
        prop_assert_eq!(&plain, &(Entries::of(&expected), None));
        for (u, v) in (0..n_nodes as u32).flat_map(|u| (0..n_nodes as u32).map(move |v| (u, v))) {
            prop_assert_eq!(plain.0.entry_to(u, v), expected.entry_to(u, v));
        }
    }

    #[test]
    fn order_and_direction_of_edges_do_not_matter(
        (n_nodes, edges) in edge_sets(),
        order in any::<u64>(),
    ) {
        let (pairs, weights) = shuffled(&edges, order);
        let shuffled = Graph::from_weighted_edges(n_nodes, &pairs, &weights).unwrap();
        prop_assert_eq!(shuffled, graph(n_nodes, &edges));
    }

    #[test]
    fn weights_follow_their_edges((n_nodes, edges) in edge_sets(), order in any::<u64>()) {
        let (pairs, weights) = shuffled(&edges, order);
        let graph = Graph::from_weighted_edges(n_nodes, &pairs, &weights).unwrap();
        let expected: Vec<f64> = edges.values().copied().collect();
        prop_assert_eq!(graph.edge_weights().unwrap().collect::<Vec<_>>(), expected);
        for u in graph.nodes() {
            for (v, weight) in graph.weighted_neighbours(u) {
                prop_assert_eq!(weight, edges[&(u.min(v), u.max(v))]);
            }
        }
    }

    #[test]
    fn entries_are_both_directions_and_the_loops_sorted((n_nodes, edges) in edge_sets()) {
        let loops = (0..n_nodes as u32).map(|u| (u, u));
        let both = edges.keys().flat_map(|&(u, v)| [(u, v), (v, u)]);
        let expected: BTreeSet<(u32, u32)> = loops.chain(both).collect();
        let graph = graph(n_nodes, &edges);
        prop_assert_eq!(graph.n_entries(), n_nodes + 2 * edges.len());
        let mut targets = vec![0; graph.n_entries()];
        graph.write_targets(&mut targets);
        prop_assert!(targets.into_iter().eq(expected.iter().map(|entry| entry.1)));
        for (u, count) in (0..).zip(graph.entry_counts()) {
            prop_assert_eq!(count as usize, expected.iter().filter(|entry| entry.0 == u).count());
        }
        prop_assert!(graph.entries().eq(expected));
    }

    #[test]
    fn counts_are_those_of_the_edges((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        prop_assert_eq!((graph.n_nodes(), graph.n_edges()), (n_nodes, edges.len()));
        for u in graph.nodes() {
            let degree = edges.keys().filter(|edge| edge.0 == u || edge.1 == u).count();
            prop_assert_eq!(graph.degree(u), degree);
            prop_assert_eq!(graph.neighbours(u).len(), degree);
        }
    }

    #[test]
    fn an_arc_stands_at_its_entry((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        let entries: Vec<(u32, u32)> = graph.entries().collect();
        for u in graph.nodes() {
            for arc in graph.arcs(u) {
                prop_assert_eq!(entries[graph.entry(u, arc)], (u, graph.target(arc)));
            }
        }
    }

    #[test]
    fn a_loop_stands_at_its_entry((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        let entries: Vec<(u32, u32)> = graph.entries().collect();
        for u in graph.nodes() {
            prop_assert_eq!(entries[graph.loop_entry(u)], (u, u));
        }
    }

    #[test]
    fn an_arc_is_found_where_there_is_an_edge((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        for u in graph.nodes() {
            for v in graph.nodes() {
                let arc = graph.arcs(u).find(|&arc| graph.target(arc) == v);
                prop_assert_eq!(graph.arc(u, v), arc);
                let is_edge = edges.contains_key(&(u.min(v), u.max(v)));
                prop_assert_eq!((graph.has_edge(u, v), arc.is_some()), (is_edge, is_edge));
            }
        }
    }

    #[test]
    fn the_reverse_of_an_arc_leads_back((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        let reverse = graph.reverse_arcs();
        prop_assert_eq!(reverse.len(), 2 * edges.len());
        for u in graph.nodes() {
            for arc in graph.arcs(u) {
                prop_assert_eq!(graph.arc(graph.target(arc), u), Some(reverse[arc] as usize));
            }
        }
    }

    #[test]
    fn weights_of_entries_stand_in_their_order((n_nodes, edges) in edge_sets()) {
        let graph = graph(n_nodes, &edges);
        let weight = |(u, v): (u32, u32)| if u == v { 7.0 } else { edges[&(u.min(v), u.max(v))] };
        prop_assert_eq!(graph.entry_weights(7.0), graph.entries().map(weight).collect::<Vec<_>>());
    }

    #[test]
    fn without_weights_every_edge_weighs_1((n_nodes, edges) in edge_sets()) {
        let pairs: Vec<(u32, u32)> = edges.keys().copied().collect();
        let graph = Graph::from_edges(n_nodes, &pairs).unwrap();
        prop_assert!(!graph.is_weighted() && graph.edge_weights().is_none());
        for u in graph.nodes() {
            prop_assert!(graph.weighted_neighbours(u).all(|(_, weight)| weight == 1.0));
        }
        let expected = graph.entries().map(|(u, v)| if u == v { 0.0 } else { 1.0 });
        prop_assert_eq!(graph.entry_weights(0.0), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_written_graph_reads_back((n_nodes, edges) in edge_sets(), places in any::<bool>()) {
        let mut graph = graph(n_nodes, &edges);
        if places {
            let positions = graph.nodes().map(|u| [f64::from(u) / 3.0, 0.1]).collect();
            graph = graph.with_positions(positions).unwrap();
        }
        let text = serde_json::to_string(&graph).unwrap();
        prop_assert_eq!(serde_json::from_str::<Graph>(&text).unwrap(), graph);
    }

    #[test]
    fn an_edge_given_twice_is_refused((n_nodes, edges) in edge_sets(), which in any::<usize>()) {
        prop_assume!(!edges.is_empty());
        let (mut pairs, mut weights) = shuffled(&edges, which as u64);
        let (u, v) = pairs[which % pairs.len()];
        pairs.push((v, u));
        weights.push(1.0);
        let expected = GraphError::Duplicate { u: u.min(v), v: u.max(v) };
        prop_assert_eq!(Graph::from_edges(n_nodes, &pairs), Err(expected.clone()));
        prop_assert_eq!(Graph::from_weighted_edges(n_nodes, &pairs, &weights), Err(expected));
    }
}

#[test]
fn a_graph_without_nodes_is_refused() {
    refused(Graph::from_edges(0, &[]), "a graph needs at least one node, found 0");
}

#[test]
fn more_nodes_than_indices_are_refused_before_any_memory_is_taken() {
    let message = "1000000000000 nodes and 1 edges are more than 32-bit indices can hold";
    refused(Graph::from_edges(1_000_000_000_000, &[(0, 1)]), message);
    assert!(Graph::from_edges(usize::MAX, &[(0, 1)]).is_err());
}

#[test]
fn an_edge_that_leaves_the_graph_is_refused() {
    let message = "edge 1 (3, 2) names a node outside 0..3";
    refused(Graph::from_edges(3, &[(0, 1), (3, 2)]), message);
}

#[test]
fn a_loop_is_refused() {
    refused(Graph::from_edges(3, &[(0, 1), (2, 2)]), "edge 1 is a self-loop on node 2");
}

#[test]
fn a_duplicate_is_named() {
    let message = "edge (0, 2) is given more than once";
    refused(Graph::from_edges(3, &[(0, 2), (0, 1), (2, 0)]), message);
}

#[test]
fn rows_that_make_no_graph_are_refused() {
    let made = Graph::from_upper_rows;
    refused(made(&[], &[]), "a graph needs at least one node, found 0");
    refused(made(&[1, 1, 0], &[1]), "the rows need 2 neighbours, found 1");
    refused(made(&[1, u32::MAX], &[1]), "the rows need 4294967296 neighbours, found 1");
    refused(made(&[1, 1, 0], &[1, 1]), "the row of node 1 does not rise at 1");
    refused(made(&[2, 0, 0], &[2, 1]), "the row of node 0 does not rise at 1");
    refused(made(&[2, 0, 0], &[1, 1]), "the row of node 0 does not rise at 1");
    refused(made(&[1, 1, 0], &[1, 3]), "edge 1 (1, 3) names a node outside 0..3");
}

#[test]
fn a_wrong_number_of_weights_is_refused() {
    let message = "expected 1 weights, one for each edge, found 2";
    refused(Graph::from_weighted_edges(3, &[(0, 1)], &[1.0, 2.0]), message);
    refused(Graph::from_edges(3, &[(0, 1)]).unwrap().with_weights(&[1.0, 2.0]), message);
}

#[test]
fn a_weight_that_is_no_number_is_refused() {
    let message = "the weight of edge (0, 2) is NaN, expected a finite number";
    refused(Graph::from_weighted_edges(3, &[(2, 0), (0, 1)], &[f64::NAN, 1.0]), message);
    let message = "the weight of edge (0, 1) is -inf, expected a finite number";
    refused(Graph::from_weighted_edges(3, &[(0, 1)], &[f64::NEG_INFINITY]), message);
}

#[test]
fn a_wrong_number_of_positions_is_refused() {
    let path = Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
    let message = "expected 3 positions, one for each node, found 1";
    refused(path.with_positions(vec![[0.0, 0.0]]), message);
}

#[test]
fn a_written_graph_is_checked_like_any_other() {
    let text = r#"{"n_nodes": 2, "edges": [[0, 2]], "weights": null, "positions": null}"#;
    let error = serde_json::from_str::<Graph>(text).unwrap_err().to_string();
    assert!(error.starts_with("edge 0 (0, 2) names a node outside 0..2"), "{error}");
}

fn refused(result: Result<Graph, GraphError>, message: &str) {
    assert_eq!(result.unwrap_err().to_string(), message);
}

/// 1 to 20 nodes with any set of weighted edges.
fn edge_sets() -> impl Strategy<Value = (usize, Edges)> {
    (1u32..=20).prop_flat_map(|n| {
        let edge = ((0..n, 0..n), -1e3..1e3);
        let edges = prop::collection::vec(edge, 0..60).prop_map(|edges| {
            let no_loops = edges.into_iter().filter(|((u, v), _)| u != v);
            no_loops.map(|((u, v), weight)| ((u.min(v), u.max(v)), weight)).collect::<Edges>()
        });
        (Just(n as usize), edges)
    })
}

/// The edges sorted, the way the library promises to take them as they are.
fn graph(n_nodes: usize, edges: &Edges) -> Graph {
    let (pairs, weights): (Vec<(u32, u32)>, Vec<f64>) = edges.clone().into_iter().unzip();
    Graph::from_weighted_edges(n_nodes, &pairs, &weights).unwrap()
}

/// The edges in another order, some turned round.
fn shuffled(edges: &Edges, order: u64) -> (Vec<(u32, u32)>, Vec<f64>) {
    // Any scrambling of the places will do.
    let scramble = |place: u64| (place ^ order).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let mut keyed: Vec<(u64, (u32, u32), f64)> = (0..)
        .zip(edges)
        .map(|(place, (&(u, v), &weight))| {
            let key = scramble(place);
            (key, if key.is_multiple_of(2) { (u, v) } else { (v, u) }, weight)
        })
        .collect();
    keyed.sort_by_key(|(key, ..)| *key);
    keyed.into_iter().map(|(_, pair, weight)| (pair, weight)).unzip()
}

#[test]
fn a_stored_graph_of_too_many_nodes_for_its_edges_is_refused() {
    let stored = r#"{"n_nodes": 4000000000, "edges": [], "weights": null, "positions": null}"#;
    let error = serde_json::from_str::<Graph>(stored).unwrap_err().to_string();
    assert!(error.starts_with("4000000000 nodes are too many for 0 edges"), "{error}");
}
