//! Graphs with all that any algorithm may need, and what is true of them.

use std::collections::BTreeSet;

use petgraph::graph::{NodeIndex, UnGraph};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use salsa_traces::algorithms::find;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Inputs, Options, Randomness, execute};
use salsa_traces::generators::ALL;
use salsa_traces::graph::Graph;
use salsa_traces::parameters::Parameters;
use salsa_traces::random;
use salsa_traces::sample::weighted;
use salsa_traces::trajectory::Trajectory;

/// A weighted graph with a source and a stream for random values.
#[derive(Debug, Clone)]
pub struct Problem {
    pub graph: Graph,
    pub source: u32,
    pub stream: u64,
}

/// Where a graph gets its weights from.
#[derive(Debug, Clone)]
enum Weights {
    /// As samples do.
    Sampled,
    /// One of these for each edge.
    From(&'static [f64]),
}

/// Problems on graphs of every family and on any graphs, connected or not.
pub fn problems() -> impl Strategy<Value = Problem> {
    let graphs = prop_oneof![2 => graphs_of_families(), 1 => any_graphs()];
    let weights = prop_oneof![
        Just(Weights::Sampled),
        Just(Weights::From(&[0.0, -0.0, 0.5, 1.0])),
        Just(Weights::From(&[0.25])),
        Just(Weights::From(&[0.1, 0.2, 0.3, 0.6])),
    ];
    (graphs, weights, any::<u64>()).prop_map(|(graph, weights, stream)| {
        let mut rng = rng(stream);
        let source = random::below(&mut rng, graph.n_nodes() as u32);
        let graph = match weights {
            Weights::Sampled => weighted(graph, &mut rng),
            Weights::From(values) => {
                let mut draw = || values[random::below(&mut rng, values.len() as u32) as usize];
                let weights: Vec<f64> = (0..graph.n_edges()).map(|_| draw()).collect();
                graph.with_weights(&weights).unwrap()
            }
        };
        Problem { graph, source, stream }
    })
}

/// Graphs of 3 to 60 nodes of every family with its default parameters.
fn graphs_of_families() -> impl Strategy<Value = Graph> {
    (0..ALL.len(), 3..=60usize, any::<u64>()).prop_map(|(family, least_nodes, stream)| {
        let generator = ALL[family].with(Parameters::default()).unwrap();
        let n_nodes = (least_nodes..).find(|&n_nodes| generator.check(n_nodes).is_ok()).unwrap();
        generator.generate(n_nodes, &mut rng(stream)).unwrap()
    })
}

/// Graphs of 1 to 40 nodes with any set of edges.
fn any_graphs() -> impl Strategy<Value = Graph> {
    let pairs =
        |n: u32| (Just(n as usize), prop::collection::vec((0..n, 0..n), 0..=2 * n as usize));
    (1u32..=40).prop_flat_map(pairs).prop_map(|(n_nodes, pairs)| {
        let no_loops = pairs.into_iter().filter(|(u, v)| u != v);
        let edges: BTreeSet<(u32, u32)> = no_loops.map(|(u, v)| (u.min(v), u.max(v))).collect();
        Graph::from_edges(n_nodes, &edges.into_iter().collect::<Vec<_>>()).unwrap()
    })
}

fn rng(stream: u64) -> ChaCha8Rng {
    random::stream([5; 32], stream)
}

impl Problem {
    /// The execution of an algorithm, with hints and as the paper is written.
    pub fn run(&self, algorithm: &str) -> Trajectory {
        self.run_with(algorithm, Options { hints: true, convention: Convention::Paper }).1
    }

    /// The inputs after the execution, and the execution.
    pub fn run_with(&self, algorithm: &str, options: Options) -> (Inputs, Trajectory) {
        let randomness = Some(Randomness::drawn(rng(self.stream)));
        let inputs = Inputs { source: Some(self.source), randomness };
        execute(find(algorithm).unwrap(), &self.graph, inputs, options).unwrap()
    }

    /// Edges as (u, v, weight).
    pub fn weighted_edges(&self) -> Vec<(u32, u32, f64)> {
        let weights = self.graph.edge_weights().unwrap();
        self.graph.edges().zip(weights).map(|((u, v), weight)| (u, v, weight)).collect()
    }

    /// The weight of an edge.
    pub fn weight(&self, u: u32, v: u32) -> f64 {
        self.graph.weighted_neighbours(u).find(|edge| edge.0 == v).unwrap().1
    }

    /// Hops from the source to each node, `None` where it cannot come.
    ///
    /// Level by level over all edges: a node is one level on when a neighbour is on this one.
    pub fn hops(&self) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.graph.n_nodes()];
        hops[self.source as usize] = Some(0);
        for level in 0..self.graph.n_nodes() as u32 {
            for (u, v) in self.graph.edges() {
                for (u, v) in [(u as usize, v as usize), (v as usize, u as usize)] {
                    if hops[u] == Some(level) && hops[v].is_none() {
                        hops[v] = Some(level + 1);
                    }
                }
            }
        }
        hops
    }

    /// The largest number of hops from the source.
    pub fn eccentricity(&self) -> u32 {
        self.hops().into_iter().flatten().max().unwrap()
    }

    /// How many nodes the source reaches, itself included.
    pub fn n_reachable(&self) -> usize {
        self.hops().iter().flatten().count()
    }

    /// The graph with every weight mapped, for petgraph.
    pub fn to_petgraph(&self, weight: impl Fn(f64) -> f64) -> UnGraph<(), f64> {
        let mut converted = UnGraph::new_undirected();
        self.graph.nodes().for_each(|_| {
            converted.add_node(());
        });
        for (u, v, w) in self.weighted_edges() {
            converted.add_edge(NodeIndex::new(u as usize), NodeIndex::new(v as usize), weight(w));
        }
        converted
    }
}
