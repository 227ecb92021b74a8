//! Erdős-Rényi graphs G(n, p): every pair of nodes is an edge with probability p.
//!
//! The paper keeps them sparse and connected with p = c ln n / n, c uniform in (1, 2). Pairs that
//! are no edge are skipped in one draw each run of them (the gap between two edges is geometric),
//! so a graph costs O(n + m). Reference: Batagelj and Brandes, Efficient generation of large
//! random networks, 2005.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::Graph;
use crate::parameters::{Draw, ParameterError};
use crate::random;
use crate::redraw::until_connected;

/// Erdős-Rényi graphs.
pub static FAMILY: Family = Family {
    name: "er",
    aliases: &["erdos_renyi"],
    summary: "Erdős-Rényi: every pair is an edge with probability p = c ln(n) / n",
    parameters: &[
        Parameter {
            name: "c",
            default: "1..2",
            meaning: "edge probability as a factor of ln(n) / n",
        },
        Parameter {
            name: "c_nodes",
            default: "n",
            meaning: "number of nodes to use for n in that formula",
        },
        Parameter { name: "p", default: "", meaning: "edge probability itself, instead of c" },
    ],
    build: |given| {
        let p = given.real("p", 0.0..=1.0)?;
        let c = given.real("c", 0.0..=f64::INFINITY)?;
        let c_nodes = given.whole("c_nodes")?.map(|nodes| match nodes {
            Draw::Constant(nodes) if nodes >= 2 => Ok(nodes),
            _ => Err(ParameterError::new("c_nodes", "expected one whole number of at least 2")),
        });
        let c_nodes = c_nodes.transpose()?;
        if p.is_some() && (c.is_some() || c_nodes.is_some()) {
            return Err(ParameterError::new("p", "give either p or c, not both"));
        }
        let density = match p {
            Some(p) => Density::P(p),
            None => Density::C { c: c.unwrap_or(Draw::Range { min: 1.0, max: 2.0 }), c_nodes },
        };
        Ok(Box::new(ErdosRenyi { density }))
    },
};

#[derive(Debug)]
struct ErdosRenyi {
    density: Density,
}

#[derive(Debug)]
enum Density {
    P(Draw<f64>),
    /// p = c ln N / N, N the graph's own size or a fixed one.
    C {
        c: Draw<f64>,
        c_nodes: Option<u32>,
    },
}

impl Density {
    fn p(&self, c_or_p: f64, n_nodes: usize) -> f64 {
        match self {
            Self::P(_) => c_or_p,
            Self::C { c_nodes, .. } => {
                let nodes = c_nodes.map_or(n_nodes as f64, f64::from);
                (c_or_p * libm::log(nodes) / nodes).min(1.0)
            }
        }
    }

    fn draw(&self) -> &Draw<f64> {
        match self {
            Self::P(p) => p,
            Self::C { c, .. } => c,
        }
    }
}

impl Generator for ErdosRenyi {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        let largest = self.density.p(self.density.draw().max(), n_nodes);
        let isolated = n_nodes as f64 * libm::pow(1.0 - largest, n_nodes as f64 - 1.0);
        // P(no isolated node) is about exp(-isolated): beyond 30 no number of tries helps.
        if largest == 0.0 || isolated > 30.0 {
            let parameter = if matches!(self.density, Density::P(_)) { "p" } else { "c" };
            let needed = libm::log(n_nodes as f64) / n_nodes as f64;
            return Err(ParameterError::new(
                parameter,
                format!(
                    "an edge probability of {largest:.3e} cannot connect {n_nodes} nodes, \
                     raise it to about ln(n) / n = {needed:.3e}"
                ),
            ));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let p = self.density.p(self.density.draw().draw(rng), n_nodes);
        until_connected(
            n_nodes,
            |edges| random_pairs(n_nodes, p, rng, edges),
            || (format!("p = {p:.6}"), "raise p or c".to_owned()),
        )
    }
}

/// Adds each pair of `n_nodes` nodes with probability `p`, in O(nodes + pairs added).
fn random_pairs(n_nodes: usize, p: f64, rng: &mut ChaCha8Rng, edges: &mut Vec<(u32, u32)>) {
    if p <= 0.0 {
        return;
    }
    // Pairs (u, v), u < v, are numbered (0, 1), (0, 2), (1, 2), (0, 3), ...
    let log_no_edge = libm::log1p(-p);
    let (mut u, mut v) = (-1i64, 1i64);
    let n_nodes = n_nodes as i64;
    loop {
        let gap = if p < 1.0 { libm::log(random::unit(rng)) / log_no_edge } else { 0.0 };
        // Beyond 2^62 pairs the walk has left every graph that fits in memory.
        u += 1 + gap.min(4.6e18) as i64;
        while u >= v && v < n_nodes {
            u -= v;
            v += 1;
        }
        if v >= n_nodes {
            return;
        }
        edges.push((u as u32, v as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_pairs_is_binomial() {
        let mut rng = random::stream([3; 32], 0);
        let (n_nodes, p, rounds) = (50, 0.1, 400);
        let mut edges = Vec::new();
        (0..rounds).for_each(|_| random_pairs(n_nodes, p, &mut rng, &mut edges));
        let expected = f64::from(rounds) * 1225.0 * p;
        let deviation = (expected * (1.0 - p)).sqrt();
        assert!((edges.len() as f64 - expected).abs() < 4.0 * deviation, "{}", edges.len());
    }

    #[test]
    fn every_pair_is_equally_likely() {
        let mut rng = random::stream([4; 32], 0);
        let mut counts = [[0u32; 6]; 6];
        for _ in 0..20_000 {
            let mut edges = Vec::new();
            random_pairs(6, 0.3, &mut rng, &mut edges);
            edges.iter().for_each(|&(u, v)| counts[u as usize][v as usize] += 1);
        }
        for v in 0..6 {
            for u in 0..v {
                assert!((5_700..6_300).contains(&counts[u][v]), "({u}, {v}): {}", counts[u][v]);
            }
        }
    }

    #[test]
    fn probability_1_gives_the_complete_graph() {
        let mut edges = Vec::new();
        random_pairs(5, 1.0, &mut random::stream([5; 32], 0), &mut edges);
        assert_eq!(edges.len(), 10);
    }
}
