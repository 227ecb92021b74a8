//! Depth-first search against plain recursion, whose call stack stands for the chain of pointers.

use proptest::prelude::*;
use salsa_traces::graph::Graph;
use salsa_traces::trajectory::Values;

use crate::problems::problems;
use crate::shown::{Shown, check_hints, pi, scalars};

proptest! {
    #[test]
    fn every_node_takes_three_steps(problem in problems()) {
        prop_assert_eq!(problem.run("dfs").length as usize, 3 * problem.graph.n_nodes());
    }

    #[test]
    fn the_hints_are_those_of_recursion(problem in problems()) {
        check_hints(&problem.run("dfs"), &Recursion::of(&problem.graph).shown)?;
    }

    #[test]
    fn the_forest_is_that_of_recursion(problem in problems()) {
        prop_assert_eq!(pi(&problem.run("dfs")), Recursion::of(&problem.graph).pi);
    }

    #[test]
    fn times_of_two_nodes_are_nested_or_apart(problem in problems()) {
        let trajectory = problem.run("dfs");
        let d = scalars(&trajectory, "d").pop().unwrap();
        let f = scalars(&trajectory, "f").pop().unwrap();
        let parent = pi(&trajectory);
        let is_above = |u: usize, mut v: usize| {
            while parent[v] as usize != v && v != u {
                v = parent[v] as usize;
            }
            u == v
        };
        for u in 0..d.len() {
            prop_assert!(0.0 < d[u] && d[u] < f[u]);
            for v in (0..d.len()).filter(|&v| v != u) {
                let is_around = d[u] < d[v] && f[v] < f[u];
                let is_apart = f[u] < d[v] || f[v] < d[u];
                prop_assert_eq!(is_around, is_above(u, v), "{} and {}", u, v);
                prop_assert!(is_around || is_apart || (d[v] < d[u] && f[u] < f[v]));
            }
        }
    }

    #[test]
    fn no_edge_leads_from_a_finished_node_to_a_white_one(problem in problems()) {
        // White path: of the two ends of an edge, the later is discovered before the earlier is
        // finished.
        let trajectory = problem.run("dfs");
        let d = scalars(&trajectory, "d").pop().unwrap();
        let f = scalars(&trajectory, "f").pop().unwrap();
        for (u, v) in problem.graph.edges() {
            let (u, v) = (u as usize, v as usize);
            prop_assert!(d[u].max(d[v]) < f[u].min(f[v]));
        }
    }

    #[test]
    fn children_are_discovered_in_the_order_of_their_numbers(problem in problems()) {
        let trajectory = problem.run("dfs");
        let d = scalars(&trajectory, "d").pop().unwrap();
        let parent = pi(&trajectory);
        for u in 0..d.len() {
            for v in u + 1..d.len() {
                let are_roots = parent[u] as usize == u && parent[v] as usize == v;
                let are_siblings = parent[u] == parent[v] && parent[u] as usize != u
                    && parent[v] as usize != v;
                prop_assert!(!(are_roots || are_siblings) || d[u] < d[v]);
            }
        }
    }

    #[test]
    fn the_time_is_a_sum_of_hundredths_and_no_product(problem in problems()) {
        let mut time = 0.0;
        let mut ticks = 0;
        for shown in scalars(&problem.run("dfs"), "time") {
            if shown != [time] {
                time += 0.01;
                ticks += 1;
                prop_assert_eq!(shown, [time]);
            }
        }
        prop_assert_eq!(ticks, 2 * problem.graph.n_nodes());
    }
}

/// Depth-first search by recursion.
struct Recursion<'g> {
    graph: &'g Graph,
    pi: Vec<u32>,
    color: Vec<u8>,
    d: Vec<f64>,
    f: Vec<f64>,
    s_prev: Vec<u32>,
    time: f64,
    root: u32,
    shown: Vec<Shown>,
}

impl<'g> Recursion<'g> {
    fn of(graph: &'g Graph) -> Self {
        let itself: Vec<u32> = graph.nodes().collect();
        let zero = vec![0.0; graph.n_nodes()];
        let mut state = Self {
            graph,
            pi: itself.clone(),
            color: vec![0; graph.n_nodes()],
            d: zero.clone(),
            f: zero,
            s_prev: itself,
            time: 0.0,
            root: 0,
            shown: Vec::new(),
        };
        for root in graph.nodes() {
            if state.color[root as usize] == 0 {
                state.root = root;
                state.show(root, root, root);
                state.visit(root);
            }
        }
        state
    }

    fn visit(&mut self, u: u32) {
        self.time += 0.01;
        self.d[u as usize] = self.time;
        self.color[u as usize] = 1;
        self.show(u, u, u);
        for v in self.graph.nodes() {
            if !self.graph.has_edge(u, v) || self.color[v as usize] != 0 {
                continue;
            }
            self.pi[v as usize] = u;
            self.color[v as usize] = 1;
            self.s_prev[v as usize] = u;
            self.show(u, v, v);
            self.visit(v);
            self.s_prev[v as usize] = v;
        }
        self.color[u as usize] = 2;
        self.time += 0.01;
        self.f[u as usize] = self.time;
        self.show(u, self.graph.n_nodes() as u32 - 1, u);
    }

    fn show(&mut self, u: u32, v: u32, s_last: u32) {
        self.shown.push(vec![
            ("pi_h", Values::Pointer(self.pi.clone())),
            ("color", Values::Categorical(self.color.clone())),
            ("d", Values::Scalar(self.d.clone())),
            ("f", Values::Scalar(self.f.clone())),
            ("s_prev", Values::Pointer(self.s_prev.clone())),
            ("s", Values::MaskOne(self.root)),
            ("u", Values::MaskOne(u)),
            ("v", Values::MaskOne(v)),
            ("s_last", Values::MaskOne(s_last)),
            ("time", Values::Scalar(vec![self.time])),
        ]);
    }
}
