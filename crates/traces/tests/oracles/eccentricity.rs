//! Flood and echo against hops, and against whole copies of the state in every round.

use std::collections::BTreeSet;

use proptest::prelude::*;
use salsa_traces::graph::Graph;
use salsa_traces::trajectory::Values;

use crate::problems::{Problem, problems};
use crate::shown::{Shown, check_hints};

proptest! {
    #[test]
    fn the_output_is_the_largest_number_of_hops(problem in problems()) {
        let expected = Values::Scalar(vec![problem.eccentricity().into()]);
        let trajectory = problem.run("eccentricity");
        prop_assert_eq!(trajectory.output("eccentricity"), Some(&expected));
    }

    #[test]
    fn the_flood_and_the_echo_take_a_round_a_hop(problem in problems()) {
        let length = problem.run("eccentricity").length;
        prop_assert_eq!(length, 2 * problem.eccentricity() + 2);
    }

    #[test]
    fn the_hints_are_those_of_copying_the_state_in_every_round(problem in problems()) {
        check_hints(&problem.run("eccentricity"), &rounds(&problem))?;
    }
}

#[test]
fn an_isolated_source_is_a_visited_leaf_after_one_round() {
    // 0 - 1   (2)
    let graph = Graph::from_weighted_edges(3, &[(0, 1)], &[1.0]).unwrap();
    let trajectory = Problem { graph, source: 2, stream: 0 }.run("eccentricity");
    let only_the_source = Values::Mask(vec![false, false, true]);
    let expected = |name: &str| match name {
        "visited_h" | "leaf_h" | "msgphase_h" => only_the_source.clone(),
        "tree_h" => Values::Mask(vec![false; 5]),
        "eccentricity_h" => Values::Scalar(vec![0.0]),
        _ => Values::Scalar(vec![0.0; 3]),
    };
    assert_eq!(trajectory.length, 2);
    for field in trajectory.spec.hints() {
        assert_eq!(trajectory.hint(&field.name).unwrap().at(1), expected(&field.name));
    }
}

/// The state of all nodes; the tree as its edges (from, to).
#[derive(Clone)]
struct State {
    visited: Vec<bool>,
    phase: Vec<bool>,
    leaf: Vec<bool>,
    flood: Vec<u32>,
    echo: Vec<u32>,
    tree: BTreeSet<(u32, u32)>,
}

/// What a round writes while it still reads the old state.
struct Next {
    visited: Vec<bool>,
    phase: Vec<bool>,
    echo: Vec<u32>,
    tree: BTreeSet<(u32, u32)>,
}

impl Next {
    fn of(state: &State) -> Self {
        let State { visited, phase, echo, tree, .. } = state.clone();
        Self { visited, phase, echo, tree }
    }

    /// To all that told `u` something and are among the visited.
    fn send_echo(&mut self, u: u32, message: u32, visited: &[bool]) {
        for p in (0..visited.len() as u32).filter(|&p| visited[p as usize]) {
            if self.tree.remove(&(p, u)) {
                self.echo[p as usize] = self.echo[p as usize].max(message);
                self.phase[p as usize] = true;
            }
        }
    }
}

/// Every hint of every round, the way the rounds are described: all nodes in each of them.
fn rounds(problem: &Problem) -> Vec<Shown> {
    let (graph, s) = (&problem.graph, problem.source);
    let no = vec![false; graph.n_nodes()];
    let zero = vec![0; graph.n_nodes()];
    let mut state = State {
        visited: no.clone(),
        phase: no.clone(),
        leaf: no,
        flood: zero.clone(),
        echo: zero,
        tree: BTreeSet::new(),
    };
    let mut shown = vec![show(&state, graph, s)];
    loop {
        let finished = round(&mut state, graph, s);
        shown.push(show(&state, graph, s));
        if finished || graph.degree(s) == 0 {
            return shown;
        }
    }
}

fn round(state: &mut State, graph: &Graph, s: u32) -> bool {
    let mut next = Next::of(state);
    let mut message = vec![0; graph.n_nodes()];
    let mut finished = false;
    for u in graph.nodes() {
        let at = u as usize;
        let is_told = u == s || state.flood[at] > 0;
        if !state.phase[at] && !state.visited[at] && is_told {
            next.visited[at] = true;
            let untold = graph.neighbours(u).iter().filter(|&&w| !state.visited[w as usize]);
            let untold: Vec<u32> = untold.copied().collect();
            for &w in &untold {
                message[w as usize] = message[w as usize].max(state.flood[at] + 1);
                next.tree.insert((u, w));
            }
            if untold.is_empty() {
                turn(state, &mut next, u, &state.visited.clone());
            }
        } else if state.phase[at] && !state.leaf[at] && is_ready(state, u) {
            if u == s {
                finished = true;
                break;
            }
            state.leaf[at] = true;
            next.send_echo(u, state.echo[at], &state.visited);
        }
    }
    state.visited = next.visited.clone();
    state.phase = next.phase.clone();
    state.tree = next.tree.clone();
    for u in graph.nodes().filter(|&u| message[u as usize] > 0) {
        if !state.visited[u as usize] {
            state.flood[u as usize] = message[u as usize];
        } else if is_ready(state, u) {
            turn(state, &mut next, u, &state.visited.clone());
        }
    }
    state.echo = next.echo;
    state.phase = next.phase;
    state.tree = next.tree;
    finished
}

/// The flood ends at `u`, which echoes its own count.
fn turn(state: &mut State, next: &mut Next, u: u32, visited: &[bool]) {
    let count = state.flood[u as usize];
    state.leaf[u as usize] = true;
    next.echo[u as usize] = count;
    next.phase[u as usize] = true;
    next.send_echo(u, count, visited);
}

/// Whether no edge of the tree from `u` lacks its reverse.
fn is_ready(state: &State, u: u32) -> bool {
    state.tree.iter().all(|&(from, to)| from != u || state.tree.contains(&(to, from)))
}

fn show(state: &State, graph: &Graph, s: u32) -> Shown {
    let numbers = |counts: &[u32]| Values::Scalar(counts.iter().map(|&c| c.into()).collect());
    vec![
        ("visited_h", Values::Mask(state.visited.clone())),
        ("msgphase_h", Values::Mask(state.phase.clone())),
        ("floodstate_h", numbers(&state.flood)),
        ("echostate_h", numbers(&state.echo)),
        ("tree_h", Values::Mask(graph.entries().map(|e| state.tree.contains(&e)).collect())),
        ("leaf_h", Values::Mask(state.leaf.clone())),
        ("eccentricity_h", numbers(&[state.echo[s as usize]])),
    ]
}
