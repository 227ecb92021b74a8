//! Hints are kept as changes; expanded, they are the states that were recorded.
//!
//! Random sequences of changes are recorded once as changes and once, naively, as a copy of the
//! full state at every step. Values repeat, indices repeat within a step, and many steps change
//! nothing: the cases in which keeping only changes could go wrong.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use proptest::prelude::*;
use salsa_traces::graph::Graph;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::{Hint, Recorder, Trajectory, Values};

static FIELDS: &[Field] = &[
    Field::hint("mask", Location::Node, Kind::Mask),
    Field::hint("one", Location::Node, Kind::MaskOne),
    Field::hint("category", Location::Node, Kind::Categorical { classes: 4 }),
    Field::hint("scalar", Location::Node, Kind::Scalar),
    Field::hint("pointer", Location::Node, Kind::Pointer),
];

/// Place of the hint among [`FIELDS`], node, and new value.
type Change = (usize, u8, u8);

/// The values of every hint at one step.
type State = [Values; 5];

proptest! {
    #[test]
    fn every_step_is_the_state_that_was_recorded(steps in change_sequences()) {
        let (trajectory, states) = record(&steps);
        for (place, (_, hint)) in trajectory.recorded_hints().enumerate() {
            let expected: Vec<Values> = states.iter().map(|state| state[place].clone()).collect();
            prop_assert_eq!(hint.n_steps(), steps.len());
            for (step, values) in expected.iter().enumerate() {
                prop_assert_eq!(&hint.at(step), values, "{} at {}", FIELDS[place].name, step);
            }
            prop_assert_eq!(walk(hint, 0, steps.len()), &expected[..]);
            prop_assert_eq!(hint.all(), expected);
        }
    }

    #[test]
    fn a_walk_from_the_middle_is_part_of_the_walk_from_the_start(
        steps in change_sequences(),
        (from, to) in (0usize..20, 0usize..20),
    ) {
        let (trajectory, _) = record(&steps);
        let to = to % (steps.len() + 1);
        let from = from % (to + 1);
        for (_, hint) in trajectory.recorded_hints() {
            prop_assert_eq!(walk(hint, from, to), &walk(hint, 0, steps.len())[from..to]);
        }
    }

    #[test]
    fn changes_of_a_step_are_where_it_differs_from_the_step_before(steps in change_sequences()) {
        let (trajectory, states) = record(&steps);
        for (place, (_, hint)) in trajectory.recorded_hints().enumerate() {
            let mut before = numbers(&start()[place]);
            if FIELDS[place].kind == Kind::MaskOne {
                // No node is marked before step 0.
                before[0] = f64::NAN;
            }
            for (step, state) in states.iter().enumerate() {
                let now = numbers(&state[place]);
                let both = (0..).zip(before.iter().zip(&now));
                let expected: Vec<(u32, f64)> = both
                    .filter(|(_, (old, new))| old != new)
                    .map(|(index, (_, new))| (index, *new))
                    .collect();
                prop_assert_eq!(
                    hint.changes_at(step), expected, "{} at {}", FIELDS[place].name, step
                );
                before = now;
            }
        }
    }

    #[test]
    fn changes_after_the_last_step_are_dropped(steps in change_sequences(), late in changes()) {
        let graph = complete_graph();
        let mut recorder = Recorder::new(&Spec::new("example", FIELDS), &graph, true);
        let set = setter(&mut recorder);
        for changes in &steps {
            changes.iter().for_each(|&change| set(&mut recorder, change));
            recorder.end_step();
        }
        late.iter().for_each(|&change| set(&mut recorder, change));
        prop_assert_eq!(recorder.finish().unwrap(), record(&steps).0);
    }
}

#[test]
fn a_filled_mask_starts_set() {
    static FIELDS: &[Field] = &[Field::hint("alive_h", Location::Node, Kind::Mask)];
    let graph = Graph::from_edges(2, &[(0, 1)]).unwrap();
    let mut recorder = Recorder::new(&Spec::new("example", FIELDS), &graph, true);
    let alive_h = recorder.mask("alive_h");
    recorder.fill_mask(alive_h, true);
    recorder.end_step();
    recorder.set_mask(alive_h, 1, false);
    recorder.end_step();
    let all = recorder.finish().unwrap().hint("alive_h").unwrap().all();
    assert_eq!(all, [Values::Mask(vec![true, true]), Values::Mask(vec![true, false])]);
}

/// One to 20 steps of up to 6 changes.
fn change_sequences() -> impl Strategy<Value = Vec<Vec<Change>>> {
    prop::collection::vec(changes(), 1..20)
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((0usize..5, 0u8..4, 0u8..4), 0..6)
}

/// The trajectory, and a copy of the state at every step.
fn record(steps: &[Vec<Change>]) -> (Trajectory, Vec<State>) {
    let graph = complete_graph();
    let mut recorder = Recorder::new(&Spec::new("example", FIELDS), &graph, true);
    let set = setter(&mut recorder);
    let mut state = start();
    let mut states = Vec::new();
    for changes in steps {
        for &change in changes {
            set(&mut recorder, change);
            let (hint, node, value) = change;
            match &mut state[hint] {
                Values::Mask(mask) => mask[node as usize] = value % 2 == 1,
                Values::MaskOne(marked) => *marked = value.into(),
                Values::Categorical(classes) => classes[node as usize] = value,
                Values::Scalar(numbers) => numbers[node as usize] = value.into(),
                Values::Pointer(targets) => targets[node as usize] = value.into(),
            }
        }
        recorder.end_step();
        states.push(state.clone());
    }
    (recorder.finish().unwrap(), states)
}

/// Asks for every hint, marks node 0, and gives what notes one change.
fn setter(recorder: &mut Recorder<'_>) -> impl Fn(&mut Recorder<'_>, Change) + use<> {
    let mask = recorder.mask("mask");
    let one = recorder.mask_one("one");
    let category = recorder.categorical("category", 4);
    let scalar = recorder.scalar("scalar");
    let pointer = recorder.pointer("pointer");
    recorder.set_one(one, 0);
    move |recorder, (hint, node, value)| match hint {
        0 => recorder.set_mask(mask, node.into(), value % 2 == 1),
        1 => recorder.set_one(one, value.into()),
        2 => recorder.set_category(category, node.into(), value),
        3 => recorder.set_scalar(scalar, node.into(), value.into()),
        _ => recorder.set_pointer(pointer, node.into(), value.into()),
    }
}

/// The values before any change.
fn start() -> State {
    [
        Values::Mask(vec![false; 4]),
        Values::MaskOne(0),
        Values::Categorical(vec![0; 4]),
        Values::Scalar(vec![0.0; 4]),
        Values::Pointer(vec![0, 1, 2, 3]),
    ]
}

/// Four nodes, and every pointer allowed.
fn complete_graph() -> Graph {
    Graph::from_edges(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).unwrap()
}

fn walk(hint: Hint<'_>, from: usize, to: usize) -> Vec<Values> {
    let mut steps = hint.range(from..to);
    let mut walked = Vec::new();
    while let Some(values) = steps.advance() {
        walked.push(values.clone());
    }
    walked
}

fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::Mask(values) => values.iter().map(|&value| f64::from(u8::from(value))).collect(),
        Values::MaskOne(node) => vec![f64::from(*node)],
        Values::Categorical(values) => values.iter().map(|&value| value.into()).collect(),
        Values::Scalar(values) => values.clone(),
        Values::Pointer(values) => values.iter().map(|&value| value.into()).collect(),
    }
}
