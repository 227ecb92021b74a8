//! Depth-first search as a stream of events, for algorithms that build on it.
//!
//! Iterative, so that a path of a million nodes needs no deep stack. Roots are 0, 1, 2, ... in
//! order, neighbours in ascending order.

use super::Graph;

/// What a depth-first search meets, in the order of meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepthFirst {
    /// `node` is reached for the first time; a root is its own parent.
    Discover {
        /// The node.
        node: u32,
        /// The node it was reached from.
        parent: u32,
    },
    /// An edge to a node discovered earlier that is not the parent; seen from both ends.
    Back {
        /// The node being searched.
        node: u32,
        /// The node discovered earlier.
        earlier: u32,
    },
    /// All neighbours of `node` are done.
    Finish {
        /// The node.
        node: u32,
        /// The node it was reached from.
        parent: u32,
    },
}

/// Calls `visit` with every event of a search through the whole graph, in O(nodes + edges).
pub fn depth_first(graph: &Graph, mut visit: impl FnMut(DepthFirst)) {
    let mut discovered = vec![false; graph.n_nodes()];
    // (node, parent, next arc)
    let mut stack: Vec<(u32, u32, usize)> = Vec::new();
    for root in graph.nodes() {
        if discovered[root as usize] {
            continue;
        }
        discovered[root as usize] = true;
        visit(DepthFirst::Discover { node: root, parent: root });
        stack.push((root, root, graph.arcs(root).start));
        while let Some(top) = stack.last_mut() {
            let (node, parent, arc) = *top;
            if arc == graph.arcs(node).end {
                stack.pop();
                visit(DepthFirst::Finish { node, parent });
                continue;
            }
            top.2 += 1;
            let v = graph.target(arc);
            if !discovered[v as usize] {
                discovered[v as usize] = true;
                visit(DepthFirst::Discover { node: v, parent: node });
                stack.push((v, node, graph.arcs(v).start));
            } else if v != parent {
                visit(DepthFirst::Back { node, earlier: v });
            }
        }
    }
}
