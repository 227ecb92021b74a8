//! Priority-first search: what Dijkstra's and Prim's algorithms have in common.
//!
//! Both grow a tree from a source and always take the queued node with the best value next; they
//! differ only in the value an edge offers to its far end. One step for each node taken, after
//! relaxing its edges, and one before the first: T = 1 + nodes reachable from the source.
//! The queue is a heap that keeps outdated entries and skips them (with four children a node, so
//! that they share a cache line), which costs
//! O((nodes + edges) log nodes). Reference: Sedgewick, Algorithms, chapter Graph traversal.

use orx_priority_queue::{PriorityQueue, PriorityQueueDecKey, QuaternaryHeapOfIndices};

use crate::execution::Problem;
use crate::trajectory::{Recorder, Values};

/// What makes a priority-first search one of its algorithms.
#[derive(Debug, Clone, Copy)]
pub struct PriorityFirst {
    /// The name of the scalar hint that shows the values.
    pub value_hint: &'static str,
    /// The value that a node with the first value offers along an edge with the second weight.
    pub offer: fn(f64, f64) -> f64,
    /// Whether larger values are better.
    pub largest_first: bool,
}

impl PriorityFirst {
    /// Runs from the source and records `pi_h`, the values, `mark`, `in_queue`, `u` and `pi`.
    ///
    /// Among equal values the node with the lowest index is taken; an equal offer changes nothing.
    pub fn search(self, problem: &Problem<'_>, recorder: &mut Recorder<'_>) {
        let (graph, s) = (problem.graph, problem.source);
        let pi_h = recorder.pointer("pi_h");
        let value_h = recorder.scalar(self.value_hint);
        let mark_h = recorder.mask("mark");
        let in_queue_h = recorder.mask("in_queue");
        let u_h = recorder.mask_one("u");

        let mut pi: Vec<u32> = graph.nodes().collect();
        let mut value = vec![0.0; graph.n_nodes()];
        let mut state = vec![State::Unseen; graph.n_nodes()];
        let mut queue: QuaternaryHeapOfIndices<usize, u128> =
            QuaternaryHeapOfIndices::with_index_bound(graph.n_nodes());

        state[s as usize] = State::Queued;
        queue.push(s as usize, self.place(0.0, s));
        recorder.set_mask(in_queue_h, s, true);
        recorder.set_one(u_h, s);
        recorder.end_step();
        while let Some((u, _)) = queue.pop() {
            let u = u as u32;
            if state[u as usize] == State::Marked {
                continue;
            }
            state[u as usize] = State::Marked;
            recorder.set_mask(mark_h, u, true);
            recorder.set_mask(in_queue_h, u, false);
            recorder.set_one(u_h, u);
            for (v, weight) in graph.weighted_neighbours(u) {
                if state[v as usize] == State::Marked {
                    continue;
                }
                let offer = (self.offer)(value[u as usize], weight);
                let is_new = state[v as usize] == State::Unseen;
                if is_new || self.is_better(offer, value[v as usize]) {
                    if is_new {
                        state[v as usize] = State::Queued;
                        recorder.set_mask(in_queue_h, v, true);
                    }
                    pi[v as usize] = u;
                    value[v as usize] = offer;
                    recorder.set_pointer(pi_h, v, u);
                    recorder.set_scalar(value_h, v, offer);
                    if is_new {
                        queue.push(v as usize, self.place(offer, v));
                    } else {
                        queue.decrease_key(&(v as usize), self.place(offer, v));
                    }
                }
            }
            recorder.end_step();
        }
        recorder.output("pi", Values::Pointer(pi));
    }

    /// Whether `offer` is strictly better than `value`.
    #[inline]
    fn is_better(self, offer: f64, value: f64) -> bool {
        if self.largest_first { offer > value } else { offer < value }
    }

    /// A node's place in the queue as one whole number, first by value and then by index, which
    /// is quick to compare.
    #[inline]
    fn place(self, value: f64, node: u32) -> u128 {
        // Adding 0 makes -0 and 0 the same value.
        let bits = (if self.largest_first { -value } else { value } + 0.0).to_bits();
        let rank = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
        u128::from(rank) << 32 | u128::from(node)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Queued,
    Marked,
}
