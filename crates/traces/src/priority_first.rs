//! Priority-first search: what Dijkstra's and Prim's algorithms have in common.
//!
//! Both grow a tree from a source and always take the waiting node with the best value next; they
//! differ only in the value an edge offers to its far end. One step for each node taken, after
//! relaxing its edges, and one before the first: T = 1 + nodes reachable from the source.
//! O((nodes + edges) log nodes). Reference: Sedgewick, Algorithms, chapter Graph traversal.

use orx_priority_queue::{PriorityQueue, PriorityQueueDecKey, QuaternaryHeapOfIndices};

use crate::execution::Problem;
use crate::trajectory::{Recorder, Values};

/// What makes a priority-first search one of its algorithms.
#[derive(Debug, Clone, Copy)]
pub struct PriorityFirst<F> {
    /// The name of the scalar hint that shows the values.
    pub value_hint: &'static str,
    /// The value that a node with the first value offers along an edge with the second weight.
    pub offer: F,
    /// Whether larger values are better.
    pub largest_first: bool,
}

impl<F: Fn(f64, f64) -> f64> PriorityFirst<F> {
    /// Runs from the source and records `pi_h`, the values, `mark`, `in_queue`, `u` and `pi`.
    ///
    /// Among equal values the node with the lowest index is taken; an equal offer changes nothing.
    pub fn search(&self, problem: &Problem<'_>, recorder: &mut Recorder<'_>) {
        let (graph, s) = (problem.graph, problem.source);
        let pi_h = recorder.pointer("pi_h");
        let value_h = recorder.scalar(self.value_hint);
        let mark_h = recorder.mask("mark");
        let in_queue_h = recorder.mask("in_queue");
        let u_h = recorder.mask_one("u");
        recorder.expect(8 * graph.n_nodes(), graph.n_nodes() + 1);

        let unseen = |u: u32| Node { value: 0.0, pi: u, state: State::Unseen };
        let mut nodes: Vec<Node> = graph.nodes().map(unseen).collect();
        let mut queue = QuaternaryHeapOfIndices::with_index_bound(graph.n_nodes());
        nodes[s as usize].state = State::Queued;
        queue.push(s as usize, self.priority(0.0, s));
        recorder.set_mask(in_queue_h, s, true);
        recorder.set_one(u_h, s);
        recorder.end_step();
        while let Some((u, _)) = queue.pop() {
            // The row of the likely next node can come from memory while this one is searched.
            graph.fetch_rows(queue.peek().map(|&(next, _)| next as u32).as_slice());
            nodes[u].state = State::Marked;
            let (u, of_u) = (u as u32, nodes[u].value);
            if graph.outgrows_caches() {
                fetch(&nodes, graph.neighbours(u));
            }
            recorder.note([mark_h.to(u, true), in_queue_h.to(u, false), u_h.to(u)]);
            for (edge, weight) in graph.weighted_edges_of(u) {
                let v = edge.target();
                let node = &mut nodes[v as usize];
                let value = (self.offer)(of_u, weight);
                match node.state {
                    State::Unseen => {
                        node.state = State::Queued;
                        queue.push(v as usize, self.priority(value, v));
                        recorder.set_mask(in_queue_h, v, true);
                    }
                    State::Queued if self.is_better(value, node.value) => {
                        queue.decrease_key(&(v as usize), self.priority(value, v));
                    }
                    _ => continue,
                }
                (node.value, node.pi) = (value, u);
                recorder.note([pi_h.back(edge), value_h.to(v, value)]);
            }
            recorder.end_step();
        }
        recorder.output("pi", Values::Pointer(nodes.iter().map(|node| node.pi).collect()));
    }

    #[inline]
    fn is_better(&self, new: f64, old: f64) -> bool {
        if self.largest_first { new > old } else { new < old }
    }

    /// Value and index as one whole number, smaller for the node to take first.
    #[inline]
    fn priority(&self, value: f64, node: u32) -> u128 {
        // Adding 0 makes -0 and 0 the same value.
        let bits = (if self.largest_first { -value } else { value } + 0.0).to_bits();
        let rank = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
        u128::from(rank) << 32 | u128::from(node)
    }
}

/// What the search knows of a node, in 16 bytes, so that each edge looks at one place in memory.
struct Node {
    value: f64,
    pi: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Queued,
    Marked,
}

/// Reads the nodes `all`, so that memory fetches them side by side and not one after the other.
#[inline]
fn fetch(nodes: &[Node], all: &[u32]) {
    let state = |&v: &u32| nodes[v as usize].state as u8;
    std::hint::black_box(all.iter().map(state).fold(0, |all, state| all ^ state));
}
