//! Depth-first search with discovery numbers and low-links, the base of what separates a graph.
//!
//! Nodes are numbered 1, 2, ... as they are discovered. The low-link of a node is the smallest
//! number that its subtree reaches over at most one edge outside the tree; when the subtree of
//! `v` under `u` has low(v) > number(u), nothing but the edge (u, v) ties it to the rest.
//! Reference: Tarjan, Depth-first search and linear graph algorithms (1972).

use super::{DepthFirst, Graph, depth_first};

/// What the search meets, in the order of meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LowLink {
    /// `node` is reached for the first time; its low-link is its number.
    Discover {
        /// The node.
        node: u32,
        /// The node it was reached from; a root is its own parent.
        parent: u32,
        /// Its number, from 1.
        number: u32,
    },
    /// The low-link of `node` falls: by an edge to an earlier node, or by a child that is about
    /// to finish.
    Lower {
        /// The node.
        node: u32,
        /// Its new low-link.
        low: u32,
    },
    /// The subtree of `node` is done.
    Finish {
        /// The node.
        node: u32,
        /// The node it was reached from; a root is its own parent.
        parent: u32,
        /// The final low-link of `node`.
        low: u32,
        /// The number of `parent`.
        parent_number: u32,
    },
}

/// Calls `visit` with every event of a search through the whole graph, in O(nodes + edges).
///
/// Roots and neighbours come in ascending order, as in [`depth_first`].
pub fn low_link(graph: &Graph, mut visit: impl FnMut(LowLink)) {
    let mut discovered = 0;
    let mut number = vec![0; graph.n_nodes()];
    let mut low = vec![0; graph.n_nodes()];
    depth_first(graph, |event| match event {
        DepthFirst::Discover { node, parent } => {
            discovered += 1;
            number[node as usize] = discovered;
            low[node as usize] = discovered;
            visit(LowLink::Discover { node, parent, number: discovered });
        }
        DepthFirst::Back { node, earlier } => {
            if number[earlier as usize] < low[node as usize] {
                low[node as usize] = number[earlier as usize];
                visit(LowLink::Lower { node, low: number[earlier as usize] });
            }
        }
        DepthFirst::Finish { node, parent } => {
            let (low_of_node, parent_number) = (low[node as usize], number[parent as usize]);
            if low_of_node < low[parent as usize] {
                low[parent as usize] = low_of_node;
                visit(LowLink::Lower { node: parent, low: low_of_node });
            }
            visit(LowLink::Finish { node, parent, low: low_of_node, parent_number });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_reaches_its_root_and_a_tail_does_not() {
        // 0 - 1   3
        //  \ /   /
        //   2 --
        let graph = Graph::from_edges(4, &[(0, 1), (0, 2), (1, 2), (2, 3)]).unwrap();
        let mut events = Vec::new();
        low_link(&graph, |event| events.push(event));
        assert_eq!(
            events,
            [
                LowLink::Discover { node: 0, parent: 0, number: 1 },
                LowLink::Discover { node: 1, parent: 0, number: 2 },
                LowLink::Discover { node: 2, parent: 1, number: 3 },
                LowLink::Lower { node: 2, low: 1 },
                LowLink::Discover { node: 3, parent: 2, number: 4 },
                LowLink::Finish { node: 3, parent: 2, low: 4, parent_number: 3 },
                LowLink::Lower { node: 1, low: 1 },
                LowLink::Finish { node: 2, parent: 1, low: 1, parent_number: 2 },
                LowLink::Finish { node: 1, parent: 0, low: 1, parent_number: 1 },
                LowLink::Finish { node: 0, parent: 0, low: 1, parent_number: 1 },
            ]
        );
    }

    #[test]
    fn a_path_of_a_million_nodes_needs_no_deep_stack() {
        let edges: Vec<(u32, u32)> = (0..999_999).map(|u| (u, u + 1)).collect();
        let path = Graph::from_edges(1_000_000, &edges).unwrap();
        let mut finished = 0;
        low_link(&path, |event| finished += u32::from(matches!(event, LowLink::Finish { .. })));
        assert_eq!(finished, 1_000_000);
    }
}
