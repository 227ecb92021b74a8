//! Graphs with all that any algorithm may need, and verdicts on answers for them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use salsa_learn::validity::{Instance, Violation, check};
use salsa_traces::algorithms::find;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Inputs, Options, Randomness, execute};
use salsa_traces::generators::ALL;
use salsa_traces::graph::Graph;
use salsa_traces::parameters::Parameters;
use salsa_traces::random;
use salsa_traces::sample::weighted;
use salsa_traces::trajectory::Values;

/// A weighted graph with a source and a stream for random values.
#[derive(Debug, Clone)]
pub struct Problem {
    pub graph: Graph,
    pub source: u32,
    pub stream: u64,
}

/// Problems on graphs of every family and on any graphs, connected or not; weights as samples
/// have them, or few different ones, so that ties are common.
pub fn problems() -> impl Strategy<Value = Problem> {
    let graphs = prop_oneof![2 => graphs_of_families(), 1 => any_graphs()];
    let weights: [&'static [f64]; 4] = [&[], &[0.0, -0.0, 0.5, 1.0], &[0.25], &[0.1, 0.2, 0.3]];
    let weights = prop::sample::select(weights.to_vec());
    (graphs, weights, any::<u64>()).prop_map(|(graph, values, stream)| {
        let mut rng = random::stream([5; 32], stream);
        let source = random::below(&mut rng, graph.n_nodes() as u32);
        let graph = if values.is_empty() {
            weighted(graph, &mut rng)
        } else {
            let mut draw = || values[random::below(&mut rng, values.len() as u32) as usize];
            let weights: Vec<f64> = (0..graph.n_edges()).map(|_| draw()).collect();
            graph.with_weights(&weights).unwrap()
        };
        Problem { graph, source, stream }
    })
}

/// Graphs of 3 to 40 nodes of every family with its default parameters.
fn graphs_of_families() -> impl Strategy<Value = Graph> {
    (0..ALL.len(), 3..=40usize, any::<u64>()).prop_map(|(family, least_nodes, stream)| {
        let generator = ALL[family].with(Parameters::default()).unwrap();
        let n_nodes = (least_nodes..).find(|&n_nodes| generator.check(n_nodes).is_ok()).unwrap();
        generator.generate(n_nodes, &mut random::stream([6; 32], stream)).unwrap()
    })
}

/// Graphs of 1 to 30 nodes with any set of edges.
fn any_graphs() -> impl Strategy<Value = Graph> {
    let pairs =
        |n: u32| (Just(n as usize), prop::collection::vec((0..n, 0..n), 0..=2 * n as usize));
    (1u32..=30).prop_flat_map(pairs).prop_map(|(n_nodes, pairs)| {
        let no_loops = pairs.into_iter().filter(|(u, v)| u != v);
        let edges: BTreeSet<(u32, u32)> = no_loops.map(|(u, v)| (u.min(v), u.max(v))).collect();
        Graph::from_edges(n_nodes, &edges.into_iter().collect::<Vec<_>>()).unwrap()
    })
}

impl Problem {
    /// A problem from weighted edges, with source 0.
    pub fn of(n_nodes: usize, edges: &[(u32, u32)], weights: &[f64]) -> Self {
        let graph = Graph::from_weighted_edges(n_nodes, edges, weights).unwrap();
        Self { graph, source: 0, stream: 0 }
    }

    /// A problem from edges of weight 1, with source 0.
    pub fn unweighted(n_nodes: usize, edges: &[(u32, u32)]) -> Self {
        Self::of(n_nodes, edges, &vec![1.0; edges.len()])
    }

    /// What the algorithm records.
    pub fn outputs(&self, algorithm: &str, convention: Convention) -> Vec<Values> {
        let randomness = Some(Randomness::drawn(random::stream([7; 32], self.stream)));
        let inputs = Inputs { source: Some(self.source), randomness };
        let options = Options { hints: false, convention };
        execute(find(algorithm).unwrap(), &self.graph, inputs, options).unwrap().1.outputs
    }

    /// The recorded pointers.
    pub fn pointers(&self, algorithm: &str, convention: Convention) -> Vec<u32> {
        match self.outputs(algorithm, convention).remove(0) {
            Values::Pointer(targets) => targets,
            other => panic!("{algorithm} gave {other:?}"),
        }
    }

    /// The verdict on some outputs, if there is a rule.
    pub fn check(
        &self,
        algorithm: &str,
        convention: Convention,
        predicted: &[Values],
    ) -> Option<Result<(), Violation>> {
        let inputs = Inputs { source: Some(self.source), randomness: None };
        let instance = Instance { graph: &self.graph, inputs: &inputs, convention };
        check(find(algorithm).unwrap().spec(), &instance, predicted)
    }

    /// The verdict on one output, in the convention of the paper.
    pub fn verdict(&self, algorithm: &str, predicted: Values) -> Result<(), Violation> {
        self.check(algorithm, Convention::Paper, &[predicted]).unwrap()
    }

    /// The verdict on pointers.
    pub fn verdict_on(&self, algorithm: &str, pi: &[u32]) -> Result<(), Violation> {
        self.verdict(algorithm, Values::Pointer(pi.to_vec()))
    }

    /// The weight of an edge.
    pub fn weight(&self, u: u32, v: u32) -> f64 {
        self.graph.weighted_neighbours(u).find(|edge| edge.0 == v).unwrap().1
    }

    /// Length of a shortest path between all pairs of nodes, by Floyd and Warshall.
    pub fn all_distances(&self, weight: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        let nodes = || self.graph.nodes().map(|u| u as usize);
        let mut distances = vec![vec![f64::INFINITY; self.graph.n_nodes()]; self.graph.n_nodes()];
        for u in nodes() {
            distances[u][u] = 0.0;
            for (v, w) in self.graph.weighted_neighbours(u as u32) {
                distances[u][v as usize] = weight(w);
            }
        }
        for through in nodes() {
            for u in nodes() {
                for v in nodes() {
                    let detour = distances[u][through] + distances[through][v];
                    distances[u][v] = distances[u][v].min(detour);
                }
            }
        }
        distances
    }
}
