//! What every metric promises, checked for each member of the list, and cases done by hand.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod listed;

use listed::assert_all_listed;
use proptest::prelude::*;
use salsa_learn::metrics::{ALL, Compared, Measured, Metric, Scale, measure};
use salsa_learn::scores::Scores;
use salsa_traces::trajectory::Values;

fn measured(predicted: &Values, expected: &Values) -> Vec<(&'static str, f64)> {
    let compared = Compared::new(predicted, expected).unwrap();
    measure(&compared).map(|Measured { metric, value }| (metric.name, value)).collect()
}

/// Two predictions and an output of the same kind and number.
fn triples() -> impl Strategy<Value = [Values; 3]> {
    let three = |n: usize| {
        let vec = |element: BoxedStrategy<f64>| prop::collection::vec(element, n..=n);
        let of = move |element: BoxedStrategy<f64>| [(); 3].map(|()| vec(element.clone()));
        let small = || (0u8..3).prop_map(f64::from).boxed();
        let real = prop_oneof![(-5i8..5).prop_map(f64::from), -5.0..5.0f64].boxed();
        prop_oneof![
            of(small()).prop_map(|all| all.map(|values| {
                Values::Mask(values.into_iter().map(|value| value > 1.0).collect())
            })),
            of(small()).prop_map(|all| all.map(|values| Values::MaskOne(values[0] as u32))),
            of(small()).prop_map(|all| all.map(|values| {
                Values::Categorical(values.into_iter().map(|value| value as u8).collect())
            })),
            of(small()).prop_map(|all| all.map(|values| {
                Values::Pointer(values.into_iter().map(|value| value as u32).collect())
            })),
            of(real).prop_map(|all| all.map(Values::Scalar)),
        ]
    };
    (1..6usize).prop_flat_map(three)
}

/// Whether `value` is at least as good as `other`.
fn is_as_good(metric: &Metric, value: f64, other: f64) -> bool {
    match metric.scale {
        Scale::Outcome | Scale::Share => value >= other,
        Scale::Error => value <= other,
    }
}

proptest! {
    #[test]
    fn every_value_is_within_the_scale([predicted, expected, _] in triples()) {
        for Measured { metric, value } in measure(&Compared::new(&predicted, &expected).unwrap()) {
            let fits = match metric.scale {
                Scale::Outcome => value == 0.0 || value == 1.0,
                Scale::Share => (0.0..=1.0).contains(&value),
                Scale::Error => value >= 0.0 && value.is_finite(),
            };
            prop_assert!(fits, "{}: {}", metric.name, value);
        }
    }

    #[test]
    fn nothing_is_better_than_the_perfect_prediction([predicted, expected, _] in triples()) {
        for metric in ALL {
            let perfect = (metric.of)(&Compared::new(&expected, &expected).unwrap());
            let other = (metric.of)(&Compared::new(&predicted, &expected).unwrap());
            prop_assert_eq!(perfect.is_some(), other.is_some(), "{}", metric.name);
            if let (Some(perfect), Some(other)) = (perfect, other) {
                prop_assert!(is_as_good(metric, perfect, other), "{}", metric.name);
            }
        }
    }

    #[test]
    fn a_graph_is_right_only_if_every_node_is([predicted, expected, _] in triples()) {
        let values = measured(&predicted, &expected);
        let value = |name| values.iter().find(|value| value.0 == name).map(|value| value.1);
        if let Some(nodes) = value("node_accuracy") {
            prop_assert_eq!(value("graph_accuracy") == Some(1.0), nodes == 1.0);
        }
    }

    #[test]
    fn a_collection_does_not_depend_on_how_it_was_gathered([first, second, expected] in triples()) {
        let scores = |predictions: &[&Values]| {
            let mut scores = Scores::new();
            for predicted in predictions {
                scores.add(measure(&Compared::new(predicted, &expected).unwrap()));
            }
            scores
        };
        let mut joined = scores(&[&first]);
        joined.append(scores(&[&second]));
        prop_assert_eq!(joined, scores(&[&first, &second]));
    }
}

#[test]
fn pointers_by_hand() {
    let expected = Values::Pointer(vec![0, 0, 1, 2]);
    let one_wrong = Values::Pointer(vec![0, 0, 0, 2]);
    let right = [("node_accuracy", 1.0), ("graph_accuracy", 1.0)];
    assert_eq!(measured(&expected, &expected), right);
    let wrong = [("node_accuracy", 0.75), ("graph_accuracy", 0.0)];
    assert_eq!(measured(&one_wrong, &expected), wrong);
}

#[test]
fn masks_by_hand() {
    // Two true positives, one false positive, one false negative, one true negative.
    let predicted = Values::Mask(vec![true, true, true, false, false]);
    let expected = Values::Mask(vec![true, true, false, true, false]);
    let values = [("node_accuracy", 0.6), ("graph_accuracy", 0.0), ("node_f1", 4.0 / 6.0)];
    assert_eq!(measured(&predicted, &expected), values);
}

#[test]
fn without_a_true_positive_f1_is_0() {
    let none = Values::Mask(vec![false, false]);
    let values = [("node_accuracy", 1.0), ("graph_accuracy", 1.0), ("node_f1", 0.0)];
    assert_eq!(measured(&none, &none), values);
    let other = Values::Mask(vec![true, false]);
    assert_eq!(measured(&other, &none)[2], ("node_f1", 0.0));
    assert_eq!(measured(&none, &other)[2], ("node_f1", 0.0));
}

#[test]
fn eccentricities_by_hand() {
    let of = |value| measured(&Values::Scalar(vec![value]), &Values::Scalar(vec![3.0]));
    assert_eq!(of(3.25), [("graph_accuracy", 1.0), ("squared_error", 0.0625)]);
    assert_eq!(of(2.25), [("graph_accuracy", 0.0), ("squared_error", 0.5625)]);
    // Halves go to the even neighbour.
    assert_eq!(of(2.5)[0], ("graph_accuracy", 0.0));
    assert_eq!(of(3.5)[0], ("graph_accuracy", 0.0));
}

#[test]
fn scalars_on_nodes_are_right_together() {
    let expected = Values::Scalar(vec![1.0, 2.0]);
    let near = [("graph_accuracy", 1.0), ("squared_error", 0.125)];
    assert_eq!(measured(&Values::Scalar(vec![1.0, 2.5]), &expected), near);
    let far = [("graph_accuracy", 0.0), ("squared_error", 0.5)];
    assert_eq!(measured(&Values::Scalar(vec![1.0, 3.0]), &expected), far);
}

#[test]
fn a_prediction_that_is_no_number_is_wrong_and_shows() {
    let values = measured(&Values::Scalar(vec![f64::NAN]), &Values::Scalar(vec![3.0]));
    assert_eq!(values[0], ("graph_accuracy", 0.0));
    assert!(values[1].1.is_nan());
}

#[test]
fn classes_and_marked_nodes_have_accuracies() {
    let classes = |classes: [u8; 4]| Values::Categorical(classes.to_vec());
    let values = [("node_accuracy", 0.5), ("graph_accuracy", 0.0)];
    assert_eq!(measured(&classes([0, 1, 2, 2]), &classes([0, 1, 0, 1])), values);
    let values = [("node_accuracy", 0.0), ("graph_accuracy", 0.0)];
    assert_eq!(measured(&Values::MaskOne(1), &Values::MaskOne(2)), values);
    let values = [("node_accuracy", 1.0), ("graph_accuracy", 1.0)];
    assert_eq!(measured(&Values::MaskOne(2), &Values::MaskOne(2)), values);
}

#[test]
fn a_large_graph_counts_as_much_as_a_small_one() {
    let mut scores = Scores::new();
    for (n_nodes, is_right) in [(1, true), (999, false)] {
        let predicted = Values::Mask(vec![is_right; n_nodes]);
        let expected = Values::Mask(vec![true; n_nodes]);
        scores.add(measure(&Compared::new(&predicted, &expected).unwrap()));
        scores.add_outcome("valid", is_right);
    }
    let means: Vec<(&str, f64)> =
        scores.summaries().map(|(name, summary)| (name, summary.mean)).collect();
    let names = ["node_accuracy", "graph_accuracy", "node_f1", "valid"];
    assert_eq!(means, names.map(|name| (name, 0.5)));
    assert_eq!(scores.values("valid"), Some(&[1.0, 0.0][..]));
}

#[test]
fn scores_are_written_by_name_in_the_order_of_coming() {
    let mut scores = Scores::new();
    scores.add_outcome("valid", true);
    scores.add_number("steps", 4.0);
    let written = serde_json::to_string(&scores).unwrap();
    let valid = r#""valid":{"count":1,"mean":1.0,"deviation":null,"interval":null}"#;
    let steps = r#""steps":{"count":1,"mean":4.0,"deviation":null,"interval":null}"#;
    assert_eq!(written, format!("{{{valid},{steps}}}"));
}

#[test]
fn every_file_of_the_folder_is_a_metric_of_the_list() {
    assert_all_listed("src/metrics", ALL.iter().map(|metric| metric.name));
}
