//! The maximal independent set against its definition, and against comparing all pairs of nodes.

use proptest::prelude::*;
use salsa_traces::algorithms::find;
use salsa_traces::convention::Convention;
use salsa_traces::execution::{Inputs, Options, Randomness, execute};
use salsa_traces::graph::Graph;
use salsa_traces::trajectory::{Trajectory, Values};

use crate::problems::{Problem, problems};
use crate::shown::{Shown, check_hints, mask};

const OPTIONS: Options = Options { hints: true, convention: Convention::Paper };

proptest! {
    #[test]
    fn no_two_neighbours_are_in_the_set(problem in problems()) {
        let in_set = set(&problem.run("mis"));
        prop_assert!(problem.graph.edges().all(|(u, v)| !(in_set[u as usize] && in_set[v as usize])));
    }

    #[test]
    fn every_node_is_in_the_set_or_next_to_it(problem in problems()) {
        let in_set = set(&problem.run("mis"));
        let next_to_it = |u| problem.graph.neighbours(u).iter().any(|&v| in_set[v as usize]);
        prop_assert!(problem.graph.nodes().all(|u| in_set[u as usize] || next_to_it(u)));
    }

    #[test]
    fn there_are_two_steps_and_one_value_a_node_for_each_phase(problem in problems()) {
        let (inputs, trajectory) = problem.run_with("mis", OPTIONS);
        let phases = inputs.randomness.unwrap().phases().to_vec();
        prop_assert_eq!(trajectory.length as usize, 2 * phases.len());
        prop_assert!(phases.iter().all(|values| values.len() == problem.graph.n_nodes()));
    }

    #[test]
    fn the_hints_are_those_of_comparing_all_pairs(problem in problems()) {
        let (inputs, trajectory) = problem.run_with("mis", OPTIONS);
        let phases = inputs.randomness.unwrap().phases().to_vec();
        check_hints(&trajectory, &all_pairs(&problem.graph, &phases))?;
    }

    #[test]
    fn the_hints_are_those_of_comparing_all_pairs_with_many_equal_values(
        (problem, phases) in problems_with_ties(),
    ) {
        let trajectory = run_given(&problem.graph, phases.clone()).1;
        check_hints(&trajectory, &all_pairs(&problem.graph, &phases))?;
    }

    #[test]
    fn the_random_values_that_were_used_give_the_same_again(problem in problems()) {
        let (inputs, trajectory) = problem.run_with("mis", OPTIONS);
        let phases = inputs.randomness.clone().unwrap().phases().to_vec();
        let (again, trajectory_again) = run_given(&problem.graph, phases);
        prop_assert_eq!(again.randomness, inputs.randomness);
        prop_assert_eq!(trajectory_again, trajectory);
    }

    #[test]
    fn only_the_random_values_that_were_used_come_back(
        (problem, phases) in problems_with_ties(),
    ) {
        let (inputs, trajectory) = run_given(&problem.graph, phases.clone());
        let used = trajectory.length as usize / 2;
        let randomness = inputs.randomness.unwrap();
        prop_assert_eq!(randomness.phases(), &phases[..used]);
    }
}

/// Problems with a phase for every node, of few different values: at least one node joins in
/// each phase, so there are always enough.
fn problems_with_ties() -> impl Strategy<Value = (Problem, Vec<Vec<f64>>)> {
    problems().prop_flat_map(|problem| {
        let n_nodes = problem.graph.n_nodes();
        let value = prop::sample::select(vec![0.25, 0.5, 0.75]);
        let phase = prop::collection::vec(value, n_nodes);
        (Just(problem), prop::collection::vec(phase, n_nodes))
    })
}

fn run_given(graph: &Graph, phases: Vec<Vec<f64>>) -> (Inputs, Trajectory) {
    let inputs = Inputs { source: None, randomness: Some(Randomness::given(phases)) };
    execute(find("mis").unwrap(), graph, inputs, OPTIONS).unwrap()
}

fn set(trajectory: &Trajectory) -> Vec<bool> {
    mask(trajectory.output("inmis").unwrap().clone())
}

/// Every hint, by asking all pairs of nodes in each phase.
fn all_pairs(graph: &Graph, phases: &[Vec<f64>]) -> Vec<Shown> {
    let mut in_set = vec![false; graph.n_nodes()];
    let mut alive = vec![true; graph.n_nodes()];
    let mut shown = Vec::new();
    let mut show = |phase: bool, in_set: &[bool], alive: &[bool]| {
        let both_alive =
            graph.entries().map(|(u, v)| u != v && alive[u as usize] && alive[v as usize]);
        shown.push(vec![
            ("Ain_h", Values::Mask(both_alive.collect())),
            ("alive_h", Values::Mask(alive.to_vec())),
            ("phase_h", Values::Mask(vec![phase])),
            ("inmis_h", Values::Mask(in_set.to_vec())),
        ]);
    };
    for value in phases {
        show(false, &in_set, &alive);
        let before = alive.clone();
        let alive_neighbours = |u: u32| {
            graph.nodes().filter(move |&v| graph.has_edge(u, v)).filter(|&v| before[v as usize])
        };
        for u in graph.nodes().filter(|&u| before[u as usize]) {
            // Of equal values that of the higher node counts as smaller.
            let rank = |v: u32| (value[v as usize], std::cmp::Reverse(v));
            if alive_neighbours(u).all(|v| rank(u) < rank(v)) {
                in_set[u as usize] = true;
                alive[u as usize] = false;
                alive_neighbours(u).for_each(|v| alive[v as usize] = false);
            }
        }
        show(true, &in_set, &alive);
        if alive.iter().all(|alive| !alive) {
            break;
        }
    }
    shown
}
