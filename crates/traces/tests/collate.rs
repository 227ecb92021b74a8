//! Samples as one graph with dense features, for every algorithm.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use salsa_traces::algorithms::{self, ALL};
use salsa_traces::collate::{CollateError, Collated, Numbers, Ready, collate, is_seen, join};
use salsa_traces::convention::Convention;
use salsa_traces::parameters::Parameters;
use salsa_traces::sample::{Sample, Sampler, sample};
use salsa_traces::spec::{Field, Kind, Location};
use salsa_traces::suite::{Custom, Suite};
use salsa_traces::trajectory::Values;

/// Five samples of different size and length.
fn samples(algorithm: &str) -> Vec<Sample> {
    let suite = Suite::named("paper").unwrap();
    let algorithm = algorithms::find(algorithm).unwrap();
    let sampler = Sampler::new(&suite, 3, algorithm, "train").unwrap();
    (0..5).map(|index| sampler.sample(index, true).unwrap()).collect()
}

/// The array of a feature with its shape.
fn column(batch: &Collated, name: &str) -> (Vec<usize>, Vec<f64>) {
    let column = batch.columns.iter().find(|column| column.field.name == name).unwrap();
    let numbers = match &column.numbers {
        Numbers::Single(numbers) => numbers.iter().map(|&number| number.into()).collect(),
        Numbers::Double(numbers) => numbers.clone(),
    };
    (column.shape.clone(), numbers)
}

/// What the array of one sample holds for `values`, without looking at how it is made.
fn expected(sample: &Sample, field: &Field, values: &Values) -> Vec<f64> {
    let one_hot = |set: bool| f64::from(u8::from(set));
    match values {
        Values::Mask(values) => values.iter().map(|&set| one_hot(set)).collect(),
        Values::Scalar(values) => values.iter().map(|&value| f64::from(value as f32)).collect(),
        Values::MaskOne(node) => sample.graph.nodes().map(|u| one_hot(u == *node)).collect(),
        Values::Pointer(to) => {
            sample.graph.entries().map(|(u, v)| one_hot(to[u as usize] == v)).collect()
        }
        Values::Categorical(values) => {
            let Kind::Categorical { classes } = field.kind else { panic!("{field:?}") };
            let classes = |&value: &u8| (0..classes).map(move |class| one_hot(class == value));
            values.iter().flat_map(classes).collect()
        }
    }
}

#[test]
fn inputs_and_outputs_stand_below_each_other() {
    for algorithm in ALL {
        let samples = samples(&algorithm.spec().algorithm);
        let batch = collate(&samples, false).unwrap();
        for field in algorithm.spec().inputs().filter(|field| is_seen(field)) {
            if field.name == "randomness" {
                continue;
            }
            let all: Vec<f64> = samples
                .iter()
                .flat_map(|sample| expected(sample, field, &sample.input(&field.name).unwrap()))
                .collect();
            assert_eq!(column(&batch, &field.name).1, all, "{}", field.name);
        }
        for (place, field) in algorithm.spec().outputs().enumerate() {
            let all: Vec<f64> = samples
                .iter()
                .flat_map(|sample| expected(sample, field, &sample.trajectory.outputs[place]))
                .collect();
            assert_eq!(column(&batch, &field.name).1, all, "{}", field.name);
        }
        assert!(
            algorithm
                .spec()
                .hints()
                .all(|hint| { !batch.columns.iter().any(|column| column.field == *hint) })
        );
    }
}

#[test]
fn hints_are_what_the_changes_expand_to_then_zeros() {
    for algorithm in ALL {
        let samples = samples(&algorithm.spec().algorithm);
        let batch = collate(&samples, true).unwrap();
        let longest = samples.iter().map(|sample| sample.trajectory.length as usize).max().unwrap();
        for field in algorithm.spec().hints() {
            let found = batch.columns.iter().find(|column| column.field == *field).unwrap();
            let width = found.shape.get(2).copied().unwrap_or(1);
            let Numbers::Single(numbers) = &found.numbers else { panic!("{}", field.name) };
            let mut first_row = 0;
            for sample in &samples {
                let steps = sample.trajectory.hint(&field.name).unwrap().all();
                let n_rows = expected(sample, field, &steps[0]).len() / width;
                for step in 0..longest {
                    let shown = (0..n_rows).flat_map(|row| {
                        let at = ((first_row + row) * longest + step) * width;
                        numbers[at..at + width].iter().map(|&number| f64::from(number))
                    });
                    let expected = match steps.get(step) {
                        Some(values) => expected(sample, field, values),
                        None => vec![0.0; n_rows * width],
                    };
                    let name = format!("{} {}", algorithm.spec().algorithm, field.name);
                    assert_eq!(shown.collect::<Vec<f64>>(), expected, "{name} at step {step}");
                }
                first_row += n_rows;
            }
            assert_eq!(found.shape[..2], [first_row, longest]);
        }
    }
}

#[test]
fn random_values_are_given_for_both_steps_of_a_phase() {
    let samples = samples("mis");
    let (shape, numbers) = column(&collate(&samples, false).unwrap(), "randomness");
    let steps = shape[1];
    let mut row = 0;
    for sample in &samples {
        let phases = sample.inputs.randomness.as_ref().unwrap().phases();
        for node in 0..sample.graph.n_nodes() {
            for step in 0..steps {
                let value = phases.get(step / 2).map_or(0.0, |phase| f64::from(phase[node] as f32));
                assert_eq!(numbers[row * steps + step], value);
            }
            row += 1;
        }
    }
    assert_eq!(shape[0], row);
}

#[test]
fn samples_that_were_ready_make_the_same_batch() {
    for algorithm in ALL {
        let samples = samples(&algorithm.spec().algorithm);
        let ready: Vec<Ready> = samples.iter().map(|one| Ready::new(one).unwrap()).collect();
        // In any order, and the same again.
        let order = [3, 0, 4, 4, 1];
        let joined = join(&order.map(|place| &ready[place])).unwrap();
        assert_eq!(joined, collate(&order.map(|place| &samples[place]), false).unwrap());
        assert!(ready[0].bytes() > 8 * samples[0].graph.n_entries());
    }
    let mixed = [samples("bfs"), samples("dfs")].map(|all| Ready::new(&all[0]).unwrap());
    assert!(matches!(join(&mixed), Err(CollateError::Mixed { place: 1, .. })));
    assert_eq!(join(&[] as &[Ready]), Err(CollateError::Empty));
}

#[test]
fn graphs_are_shifted_apart() {
    let samples = samples("bfs");
    let batch = collate(&samples, false).unwrap();
    let n_entries = batch.edge_index.len() / 2;
    let mut entry = 0;
    for (place, sample) in samples.iter().enumerate() {
        assert_eq!(batch.first_entries[place], entry as i64);
        assert_eq!(batch.lengths[place], i64::from(sample.trajectory.length));
        for (u, v) in sample.graph.entries() {
            let first = batch.first_nodes[place];
            assert_eq!(batch.edge_index[entry], first + i64::from(u));
            assert_eq!(batch.edge_index[n_entries + entry], first + i64::from(v));
            assert_eq!(batch.graph_of_node[batch.edge_index[entry] as usize], place as i64);
            entry += 1;
        }
    }
    assert_eq!(entry, n_entries);
}

#[test]
fn features_of_graphs_have_one_row_a_graph() {
    let batch = collate(&samples("eccentricity"), true).unwrap();
    assert_eq!(column(&batch, "eccentricity").0, [5]);
    assert_eq!(column(&batch, "eccentricity_h").0[0], 5);
}

#[test]
fn what_cannot_be_put_together_is_refused() {
    assert_eq!(collate(&[] as &[Sample], true), Err(CollateError::Empty));
    let mut mixed = samples("bfs");
    mixed.push(samples("dfs").remove(0));
    let told = collate(&mixed, true).unwrap_err().to_string();
    assert_eq!(told, "sample 5 of the batch is of dfs, expected bfs");
    let mut bare = samples("bfs");
    bare[2].trajectory.hints = None;
    assert_eq!(collate(&bare, true), Err(CollateError::NoHints { place: 2 }));
    let mut broken = samples("bfs");
    broken[1].trajectory.outputs = vec![Values::Pointer(vec![99; broken[1].graph.n_nodes()])];
    let told = collate(&broken, false).unwrap_err().to_string();
    assert_eq!(told, "sample 1 of the batch has no pi that fits its graph");
}

fn custom(parameters: &[&str], split: &str) -> Suite {
    Suite::custom(Custom {
        split,
        family: "er",
        parameters: Parameters::parse(parameters.iter().copied()).unwrap(),
        convention: Convention::Release,
        seed: 1,
    })
    .unwrap()
}

#[test]
fn a_described_suite_has_no_end_and_its_description_seeds_it() {
    let bfs = algorithms::find("bfs").unwrap();
    let draw = |suite: &Suite, index| sample(suite, suite.seed, bfs, "train", index).unwrap();
    let one = custom(&["nodes=16", "p=0.5"], "train");
    let same = custom(&["p=0.50", "nodes=16.0"], "train");
    let other = custom(&["nodes=16", "p=0.4"], "train");
    assert_eq!(draw(&one, 1 << 62), draw(&same, 1 << 62));
    assert_ne!(draw(&one, 0).inputs, draw(&other, 0).inputs);
    assert!(one.splits[0].graphs.nodes.max() == 16);
}

#[test]
fn a_description_without_sizes_or_with_unknown_parameters_is_refused() {
    let told = |parameters: &[&str]| {
        Suite::custom(Custom {
            split: "train",
            family: "er",
            parameters: Parameters::parse(parameters.iter().copied()).unwrap(),
            convention: Convention::Paper,
            seed: 1,
        })
        .unwrap_err()
        .to_string()
    };
    assert_eq!(told(&["p=0.5"]), "nodes: missing");
    assert!(told(&["nodes=8", "k=4"]).starts_with("k: unknown parameter"));
    assert!(told(&["nodes=1"]).contains("at least 2 nodes"));
}

#[test]
fn an_entry_is_found_by_its_ends() {
    let graph = &samples("bfs")[0].graph;
    for (entry, (u, v)) in graph.entries().enumerate() {
        assert_eq!(graph.entry_to(u, v), Some(entry));
    }
    assert_eq!(graph.n_values(Location::Edge), graph.n_entries());
    let apart = graph.nodes().find(|&v| v != 0 && !graph.has_edge(0, v));
    assert!(apart.is_none_or(|v| graph.entry_to(0, v).is_none()));
}
