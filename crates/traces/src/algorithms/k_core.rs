//! Core numbers by peeling, all nodes of a round at once.
//!
//! The core number of a node is the largest k for which it lies in a subgraph with all degrees at
//! least k. Step 0 shows the degrees. At each next step all nodes left with at most `k`
//! neighbours left go together (`removed`, `core_h` = k); when there is none, `k` first rises to
//! the smallest remaining degree. `degree` counts the neighbours left; a removed node keeps its
//! last count. T = 1 + rounds. O(nodes + edges).
//! Reference: Batagelj and Zaversnik, An O(m) algorithm for cores decomposition (2003).

use super::Algorithm;
use crate::execution::{ExecuteError, Problem};
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Recorder, Values};

static SPEC: Spec = Spec::new("k_core", FIELDS);

static FIELDS: &[Field] = &[
    Field::input("pos", Location::Node, Kind::Scalar),
    Field::input("adj", Location::Edge, Kind::Mask),
    Field::hint("core_h", Location::Node, Kind::Scalar),
    Field::hint("degree", Location::Node, Kind::Scalar),
    Field::hint("removed", Location::Node, Kind::Mask),
    Field::hint("k", Location::Graph, Kind::Scalar),
    Field::output("core", Location::Node, Kind::Scalar),
];

/// Core numbers.
#[derive(Debug)]
pub struct KCore;

impl Algorithm for KCore {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "core numbers, peeling the nodes of lowest degree round by round"
    }

    fn run(
        &self,
        problem: &mut Problem<'_>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), ExecuteError> {
        let graph = problem.graph;
        let core_h = recorder.scalar("core_h");
        let degree_h = recorder.scalar("degree");
        let removed_h = recorder.mask("removed");
        let k_h = recorder.scalar("k");

        let mut core = vec![0.0; graph.n_nodes()];
        let mut removed = vec![false; graph.n_nodes()];
        let mut degree: Vec<usize> = graph.nodes().map(|u| graph.degree(u)).collect();
        // A node stands once in the bucket of every degree it had at or above k; its lowest
        // bucket is met first, and in the others it is skipped.
        let max_degree = degree.iter().copied().max().unwrap_or(0);
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); max_degree + 1];
        for u in graph.nodes() {
            buckets[degree[u as usize]].push(u);
            recorder.set_scalar(degree_h, u, degree[u as usize] as f64);
        }
        recorder.end_step();

        let mut k = 0;
        while k <= max_degree {
            let mut peel = std::mem::take(&mut buckets[k]);
            peel.retain(|&u| !removed[u as usize]);
            if peel.is_empty() {
                k += 1;
                continue;
            }
            recorder.set_scalar(k_h, 0, k as f64);
            for &u in &peel {
                removed[u as usize] = true;
                core[u as usize] = k as f64;
                recorder.set_mask(removed_h, u, true);
                recorder.set_scalar(core_h, u, k as f64);
            }
            for &u in &peel {
                for &v in graph.neighbours(u) {
                    if removed[v as usize] {
                        continue;
                    }
                    degree[v as usize] -= 1;
                    recorder.set_scalar(degree_h, v, degree[v as usize] as f64);
                    if degree[v as usize] >= k {
                        buckets[degree[v as usize]].push(v);
                    }
                }
            }
            recorder.end_step();
        }
        recorder.output("core", Values::Scalar(core));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Inputs, Options, execute};
    use crate::graph::Graph;

    fn count(mask: &Values) -> usize {
        let Values::Mask(mask) = mask else { panic!("a mask was expected") };
        mask.iter().filter(|&&is_set| is_set).count()
    }

    #[test]
    fn a_tail_is_peeled_node_by_node_and_a_triangle_at_once() {
        // 0 - 1
        //  \ /
        //   2 - 3 - 4    5
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)];
        let graph = Graph::from_edges(6, &edges).unwrap();
        let options = Options { hints: true, convention: Default::default() };
        let (_, trajectory) = execute(&KCore, &graph, Inputs::default(), options).unwrap();
        let all = |name: &str| trajectory.hint(name).unwrap().all();
        assert_eq!(all("k"), [0.0, 0.0, 1.0, 1.0, 2.0].map(|k| Values::Scalar(vec![k])));
        let degrees = [
            [2.0, 2.0, 3.0, 2.0, 1.0, 0.0],
            [2.0, 2.0, 3.0, 2.0, 1.0, 0.0],
            [2.0, 2.0, 3.0, 1.0, 1.0, 0.0],
            [2.0, 2.0, 2.0, 1.0, 1.0, 0.0],
            [2.0, 2.0, 2.0, 1.0, 1.0, 0.0],
        ];
        assert_eq!(all("degree"), degrees.map(|degree| Values::Scalar(degree.to_vec())));
        let removed: Vec<usize> = all("removed").iter().map(count).collect();
        assert_eq!(removed, [0, 1, 2, 3, 6]);
        let core = vec![2.0, 2.0, 2.0, 1.0, 1.0, 0.0];
        assert_eq!(trajectory.output("core"), Some(&Values::Scalar(core)));
    }
}
