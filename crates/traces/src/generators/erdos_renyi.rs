//! Erdős-Rényi graphs G(n, p): every pair of nodes is an edge with probability p.
//!
//! The paper keeps them sparse and connected with p = c ln n / n, c uniform in (1, 2). Runs of
//! pairs that are no edge are skipped in one draw, so a graph costs O(n + m). References: Erdős
//! and Rényi, On random graphs I, 1959; [`crate::skipping`].

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::Graph;
use crate::parameters::{Draw, ParameterError};
use crate::redraw::until_connected;
use crate::skipping::random_pairs;

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
        let expected = p * n_nodes as f64 * (n_nodes as f64 - 1.0) / 2.0;
        until_connected(
            n_nodes,
            |edges| {
                edges.reserve((1.1 * expected) as usize + 16);
                random_pairs(n_nodes, p, |v| 0..v, rng, edges);
            },
            || (format!("p = {p:.6}"), "raise p or c".to_owned()),
        )
    }
}
