//! Dijkstra's and Prim's algorithms with a scan over all nodes for the next one, no heap.

use salsa_traces::trajectory::Values;

use crate::problems::Problem;
use crate::shown::Shown;

/// Every hint of a search: the value that `u` offers along an edge is `offer(value of u, weight)`,
/// and `better` is strict.
pub fn search(
    problem: &Problem,
    value_hint: &'static str,
    offer: impl Fn(f64, f64) -> f64,
    better: impl Fn(f64, f64) -> bool,
) -> Vec<Shown> {
    let graph = &problem.graph;
    let mut pi: Vec<u32> = graph.nodes().collect();
    let mut value = vec![0.0; graph.n_nodes()];
    let mut mark = vec![false; graph.n_nodes()];
    let mut in_queue = vec![false; graph.n_nodes()];
    in_queue[problem.source as usize] = true;
    let mut shown = Vec::new();
    let mut show = |u: u32, pi: &[u32], value: &[f64], mark: &[bool], in_queue: &[bool]| {
        shown.push(vec![
            ("pi_h", Values::Pointer(pi.to_vec())),
            (value_hint, Values::Scalar(value.to_vec())),
            ("mark", Values::Mask(mark.to_vec())),
            ("in_queue", Values::Mask(in_queue.to_vec())),
            ("u", Values::MaskOne(u)),
        ]);
    };
    show(problem.source, &pi, &value, &mark, &in_queue);
    loop {
        let mut best: Option<u32> = None;
        for v in graph.nodes().filter(|&v| in_queue[v as usize]) {
            if best.is_none_or(|best| better(value[v as usize], value[best as usize])) {
                best = Some(v);
            }
        }
        let Some(u) = best else { return shown };
        mark[u as usize] = true;
        in_queue[u as usize] = false;
        for v in graph.nodes().filter(|&v| graph.has_edge(u, v)) {
            let offered = offer(value[u as usize], problem.weight(u, v));
            let v = v as usize;
            if !mark[v] && (!in_queue[v] || better(offered, value[v])) {
                (pi[v], value[v], in_queue[v]) = (u, offered, true);
            }
        }
        show(u, &pi, &value, &mark, &in_queue);
    }
}
