//! Stochastic block models: nodes in blocks, pairs inside a block are likelier edges.
//!
//! Blocks are contiguous and of nearly equal size. A pair inside a block is an edge with
//! probability p_in, any other with p_out; by default p_in = a ln n / n and p_out = b ln n / n,
//! sparse and mostly connected. Two walks, one over the pairs inside and one over those across,
//! skip the pairs that are no edge: O(n + m). Redrawn until connected. Reference: Holland,
//! Laskey and Leinhardt, Stochastic blockmodels: first steps, Social Networks 5, 1983.

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::Graph;
use crate::parameters::{Draw, ParameterError, Parameters};
use crate::redraw::until_connected;
use crate::skipping::random_pairs;

/// Stochastic block models.
pub static FAMILY: Family = Family {
    name: "sbm",
    aliases: &["stochastic_block_model"],
    summary: "stochastic block model: edges with p_in inside blocks, p_out across them",
    parameters: &[
        Parameter { name: "blocks", default: "4", meaning: "number of blocks" },
        Parameter { name: "a", default: "6", meaning: "p_in as a factor of ln(n) / n" },
        Parameter { name: "b", default: "1", meaning: "p_out as a factor of ln(n) / n" },
        Parameter { name: "p_in", default: "", meaning: "probability itself, instead of a" },
        Parameter { name: "p_out", default: "", meaning: "probability itself, instead of b" },
    ],
    build: |given| {
        let blocks = given.whole("blocks")?.unwrap_or(Draw::Constant(4));
        if blocks.min() < 1 {
            let problem = format!("expected at least 1, found {blocks}");
            return Err(ParameterError::new("blocks", problem));
        }
        let inside = Density::read(given, "p_in", "a", 6.0)?;
        let across = Density::read(given, "p_out", "b", 1.0)?;
        Ok(Box::new(StochasticBlockModel { blocks, inside, across }))
    },
};

#[derive(Debug)]
struct StochasticBlockModel {
    blocks: Draw<u32>,
    inside: Density,
    across: Density,
}

/// An edge probability, given itself or as a factor of ln n / n.
#[derive(Debug)]
struct Density {
    parameter: &'static str,
    draw: Draw<f64>,
    is_factor: bool,
}

impl Density {
    fn read(
        given: &mut Parameters,
        p: &'static str,
        factor: &'static str,
        default: f64,
    ) -> Result<Self, ParameterError> {
        let probability = given.real(p, 0.0..=1.0)?;
        match (probability, given.real(factor, 0.0..=f64::INFINITY)?) {
            (Some(_), Some(_)) => {
                Err(ParameterError::new(p, format!("give either {p} or {factor}, not both")))
            }
            (Some(draw), None) => Ok(Self { parameter: p, draw, is_factor: false }),
            (None, draw) => {
                let draw = draw.unwrap_or(Draw::Constant(default));
                Ok(Self { parameter: factor, draw, is_factor: true })
            }
        }
    }

    fn p(&self, value: f64, n_nodes: usize) -> f64 {
        let n = n_nodes as f64;
        if self.is_factor { (value * libm::log(n) / n).min(1.0) } else { value }
    }
}

impl Generator for StochasticBlockModel {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        if self.blocks.max() as usize > n_nodes {
            let most = self.blocks.max();
            let problem = format!("expected at most the {n_nodes} nodes, found {most}");
            return Err(ParameterError::new("blocks", problem));
        }
        let p_in = self.inside.p(self.inside.draw.max(), n_nodes);
        let p_out = self.across.p(self.across.draw.max(), n_nodes);
        if self.blocks.min() > 1 && p_out == 0.0 {
            let problem = "no edge leads out of a block, expected more than 0";
            return Err(ParameterError::new(self.across.parameter, problem));
        }
        let isolated = |blocks: u32| {
            let n = n_nodes as f64;
            let size = n_nodes.div_ceil(blocks as usize) as f64;
            n * libm::pow(1.0 - p_in, size - 1.0) * libm::pow(1.0 - p_out, n - size)
        };
        // P(no isolated node) is about exp(-isolated): beyond 30 no number of tries helps.
        if isolated(self.blocks.min()).min(isolated(self.blocks.max())) > 30.0 {
            let problem = format!(
                "edge probabilities of {p_in:.3e} inside and {p_out:.3e} across blocks cannot \
                 connect {n_nodes} nodes, raise either"
            );
            return Err(ParameterError::new(self.inside.parameter, problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let blocks = self.blocks.draw(rng);
        let p_in = self.inside.p(self.inside.draw.draw(rng), n_nodes);
        let p_out = self.across.p(self.across.draw.draw(rng), n_nodes);
        let starts = block_starts(n_nodes, blocks as usize);
        let start = |v: u32| starts[v as usize];
        until_connected(
            n_nodes,
            |edges| {
                random_pairs(n_nodes, p_in, |v| start(v)..v, rng, edges);
                random_pairs(n_nodes, p_out, |v| 0..start(v), rng, edges);
            },
            || {
                let parameters = format!("{blocks} blocks, p_in = {p_in:.6}, p_out = {p_out:.6}");
                (parameters, "raise p_in, p_out, a or b".to_owned())
            },
        )
    }
}

/// For every node the first node of its block.
fn block_starts(n_nodes: usize, blocks: usize) -> Vec<u32> {
    let start = |block: usize| block * n_nodes / blocks;
    let mut starts = Vec::with_capacity(n_nodes);
    for block in 0..blocks {
        starts.resize(start(block + 1), start(block) as u32);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn blocks_are_contiguous_and_differ_by_at_most_one_node() {
        assert_eq!(block_starts(10, 4), [0, 0, 2, 2, 2, 5, 5, 7, 7, 7]);
        assert_eq!(block_starts(3, 3), [0, 1, 2]);
        assert_eq!(block_starts(3, 1), [0, 0, 0]);
    }

    #[test]
    fn edges_inside_and_across_have_their_own_probability() {
        let given = Parameters::parse(["blocks=5", "p_in=0.2", "p_out=0.03"]).unwrap();
        let generator = FAMILY.with(given).unwrap();
        let graph = generator.generate(500, &mut random::stream([1; 32], 0)).unwrap();
        let inside = graph.edges().filter(|(u, v)| u / 100 == v / 100).count();
        // 5 * 4950 * 0.2 = 4950 and 10 * 10^4 * 0.03 = 3000, within four deviations.
        assert!((4_700..5_200).contains(&inside), "{inside}");
        assert!((2_785..3_215).contains(&(graph.n_edges() - inside)), "{}", graph.n_edges());
    }

    #[test]
    fn blocks_that_nothing_joins_are_refused() {
        let given = Parameters::parse(["p_out=0"]).unwrap();
        let error = FAMILY.with(given).unwrap().check(100).unwrap_err();
        let message = "p_out: no edge leads out of a block, expected more than 0";
        assert_eq!(error.to_string(), message);
    }
}
