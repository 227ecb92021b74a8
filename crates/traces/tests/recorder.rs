//! What a recorder refuses, and in which words.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

use salsa_traces::algorithms::Algorithm;
use salsa_traces::execution::{ExecuteError, Inputs, Options, Problem, execute};
use salsa_traces::graph::Graph;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::{Recorder, Values};

/// One hint and one output of every kind.
static SPEC: Spec = Spec::new("example", FIELDS);

static FIELDS: &[Field] = &[
    Field::hint("mask", Location::Edge, Kind::Mask),
    Field::hint("one", Location::Node, Kind::MaskOne),
    Field::hint("category", Location::Node, Kind::Categorical { classes: 3 }),
    Field::hint("scalar", Location::Graph, Kind::Scalar),
    Field::hint("pointer", Location::Node, Kind::Pointer),
    Field::output("mask", Location::Edge, Kind::Mask),
    Field::output("one", Location::Node, Kind::MaskOne),
    Field::output("category", Location::Node, Kind::Categorical { classes: 3 }),
    Field::output("scalar", Location::Graph, Kind::Scalar),
    Field::output("pointer", Location::Node, Kind::Pointer),
];

/// Some calls on a recorder.
type Record = fn(&mut Recorder<'_>);

/// An algorithm of one step on the path 0 - 1 - 2 that does all its spec asks for, and `extra`.
struct Example {
    extra: Record,
}

impl Algorithm for Example {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn summary(&self) -> &'static str {
        "an example"
    }

    fn run(&self, _: &mut Problem<'_>, recorder: &mut Recorder<'_>) -> Result<(), ExecuteError> {
        recorder.mask("mask");
        let one = recorder.mask_one("one");
        recorder.categorical("category", 3);
        recorder.scalar("scalar");
        recorder.pointer("pointer");
        recorder.set_one(one, 0);
        recorder.end_step();
        recorder.output("mask", Values::Mask(vec![false; 7]));
        recorder.output("one", Values::MaskOne(0));
        recorder.output("category", Values::Categorical(vec![0; 3]));
        recorder.output("scalar", Values::Scalar(vec![0.0]));
        recorder.output("pointer", Values::Pointer(vec![0, 1, 2]));
        (self.extra)(recorder);
        Ok(())
    }
}

/// What an execution with one more call is refused with.
fn refused(extra: Record) -> String {
    let path = Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
    let options = Options { hints: true, convention: Default::default() };
    execute(&Example { extra }, &path, Inputs::default(), options).unwrap_err().to_string()
}

/// What a recording with hints of these fields is refused with.
fn refused_with(fields: &'static [Field], record: impl Fn(&mut Recorder<'_>)) -> String {
    let path = Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
    let mut recorder = Recorder::new(&Spec::new("example", fields), &path, true);
    record(&mut recorder);
    recorder.finish().unwrap_err().to_string()
}

#[test]
fn what_the_spec_asks_for_is_accepted() {
    let path = Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
    for hints in [true, false] {
        let options = Options { hints, convention: Default::default() };
        let example = Example { extra: |_| {} };
        let (_, trajectory) = execute(&example, &path, Inputs::default(), options).unwrap();
        assert_eq!(trajectory.length, 1);
        assert_eq!(trajectory.hint("one").is_some(), hints);
        assert_eq!(trajectory.output("one"), Some(&Values::MaskOne(0)));
    }
}

#[test]
fn an_undeclared_hint_is_refused() {
    let message = refused(|recorder| {
        let hint = recorder.mask("visited");
        recorder.set_mask(hint, 0, true);
    });
    assert_eq!(message, r#"example: the spec declares no hint "visited" of that type"#);
}

#[test]
fn a_hint_of_another_kind_is_refused() {
    let message = refused(|recorder| _ = recorder.scalar("mask"));
    assert_eq!(message, r#"example: the spec declares no hint "mask" of that type"#);
    let message = refused(|recorder| _ = recorder.categorical("category", 4));
    assert_eq!(message, r#"example: the spec declares no hint "category" of that type"#);
}

#[test]
fn an_output_of_another_kind_is_refused() {
    let message = refused(|recorder| recorder.output("pointer", Values::MaskOne(0)));
    assert_eq!(message, r#"example: the spec declares no output "pointer" of that type"#);
}

#[test]
fn a_pointer_that_is_not_an_edge_is_refused_with_its_step_and_node() {
    static FIELDS: &[Field] = &[Field::hint("pi_h", Location::Node, Kind::Pointer)];
    // 0 - 1 - 2
    let message = refused_with(FIELDS, |recorder| {
        let pi_h = recorder.pointer("pi_h");
        recorder.set_pointer(pi_h, 1, 0);
        recorder.end_step();
        recorder.set_pointer(pi_h, 2, 0);
        recorder.set_pointer(pi_h, 0, 2);
        recorder.end_step();
    });
    assert_eq!(
        message,
        "example: pi_h at step 1 points from node 2 to 0, which is not a neighbour"
    );
}

#[test]
fn an_output_pointer_that_is_not_an_edge_is_refused() {
    static FIELDS: &[Field] = &[Field::output("pi", Location::Node, Kind::Pointer)];
    // 0 - 1 - 2
    let message = refused_with(FIELDS, |recorder| {
        recorder.end_step();
        recorder.output("pi", Values::Pointer(vec![0, 0, 9]));
    });
    assert_eq!(message, "example: pi at step 1 points from node 2 to 9, which is not a neighbour");
}

#[test]
fn an_index_outside_the_graph_is_refused() {
    let cases: [(Record, &str); 5] = [
        (
            |recorder| {
                let mask = recorder.mask("mask");
                recorder.set_mask(mask, 7, true);
            },
            "mask at step 0 has no index 7, expected less than 7",
        ),
        (
            |recorder| {
                let one = recorder.mask_one("one");
                recorder.set_one(one, 3);
            },
            "one at step 0 has no index 3, expected less than 3",
        ),
        (
            |recorder| {
                let category = recorder.categorical("category", 3);
                recorder.set_category(category, 3, 0);
            },
            "category at step 0 has no index 3, expected less than 3",
        ),
        (
            |recorder| {
                let scalar = recorder.scalar("scalar");
                recorder.set_scalar(scalar, 1, 0.0);
            },
            "scalar at step 0 has no index 1, expected less than 1",
        ),
        (
            |recorder| {
                let pointer = recorder.pointer("pointer");
                recorder.set_pointer(pointer, 3, 3);
            },
            "pointer at step 0 has no index 3, expected less than 3",
        ),
    ];
    for (record, expected) in cases {
        let message = refused_with(FIELDS, |recorder| {
            record(recorder);
            recorder.end_step();
        });
        assert_eq!(message, format!("example: {expected}"));
    }
}

#[test]
fn of_changes_noted_together_the_one_that_does_not_fit_is_told() {
    let message = refused_with(FIELDS, |recorder| {
        let category = recorder.categorical("category", 3);
        let scalar = recorder.scalar("scalar");
        recorder.record([category.to(0, 1), scalar.to(0, 1.0)]);
        recorder.record([category.to(1, 2), scalar.to(5, 1.0), category.to(0, 9)]);
    });
    assert_eq!(message, "example: scalar at step 1 has no index 5, expected less than 1");
}

#[test]
fn a_class_out_of_range_is_refused() {
    let message = refused_with(FIELDS, |recorder| {
        let category = recorder.categorical("category", 3);
        recorder.end_step();
        recorder.set_category(category, 0, 3);
    });
    assert_eq!(message, "example: category at step 1 has no index 3, expected less than 3");
}

#[test]
fn an_output_node_outside_the_graph_is_refused() {
    static FIELDS: &[Field] = &[Field::output("centre", Location::Node, Kind::MaskOne)];
    let message = refused_with(FIELDS, |recorder| {
        recorder.end_step();
        recorder.output("centre", Values::MaskOne(3));
    });
    assert_eq!(message, "example: centre at step 1 has no index 3, expected less than 3");
}

#[test]
fn a_marked_node_must_be_set_at_step_0() {
    static FIELDS: &[Field] = &[Field::hint("u", Location::Node, Kind::MaskOne)];
    let late = refused_with(FIELDS, |recorder| {
        let u = recorder.mask_one("u");
        recorder.end_step();
        recorder.set_one(u, 0);
        recorder.end_step();
    });
    assert_eq!(late, "example: hint u was never set");
    let never = refused_with(FIELDS, |recorder| {
        recorder.mask_one("u");
        recorder.end_step();
    });
    assert_eq!(never, "example: hint u was never set");
}

#[test]
fn a_missing_hint_or_output_is_refused() {
    static FIELDS: &[Field] = &[
        Field::hint("reach_h", Location::Node, Kind::Mask),
        Field::output("reach", Location::Node, Kind::Mask),
    ];
    let no_hint = refused_with(FIELDS, |recorder| {
        recorder.end_step();
        recorder.output("reach", Values::Mask(vec![false; 3]));
    });
    assert_eq!(no_hint, "example: hint reach_h was never set");
    let no_output = refused_with(FIELDS, |recorder| {
        recorder.mask("reach_h");
        recorder.end_step();
    });
    assert_eq!(no_output, "example: output reach was never set");
}

#[test]
fn an_output_of_another_length_is_refused() {
    let message = refused_with(FIELDS, |recorder| {
        recorder.end_step();
        recorder.output("mask", Values::Mask(vec![false; 3]));
    });
    assert_eq!(message, "example: output mask has 3 values, expected 7");
}

#[test]
fn an_execution_without_a_step_is_refused() {
    assert_eq!(refused_with(&[], |_| {}), "example: no step was recorded");
}

#[test]
fn a_field_is_recorded_once() {
    let hint = refused(|recorder| _ = recorder.pointer("pointer"));
    assert_eq!(hint, "example: expected hint pointer once, found it a second time");
    let output = refused(|recorder| recorder.output("one", Values::MaskOne(1)));
    assert_eq!(output, "example: expected output one once, found it a second time");
}

#[test]
fn a_handle_to_an_undeclared_hint_takes_nothing() {
    let message = refused_with(&[], |recorder| {
        let parent = recorder.pointer("parent");
        recorder.set_pointer(parent, 9, 2);
        recorder.end_step();
    });
    assert_eq!(message, r#"example: the spec declares no hint "parent" of that type"#);
}

#[test]
fn the_first_mistake_is_the_one_told() {
    let message = refused(|recorder| {
        let hint = recorder.pointer("parent");
        recorder.set_pointer(hint, 9, 2);
        recorder.output("pointer", Values::Pointer(vec![0]));
    });
    assert_eq!(message, r#"example: the spec declares no hint "parent" of that type"#);
}
