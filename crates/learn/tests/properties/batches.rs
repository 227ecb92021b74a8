//! Batches: what padding weighs, and samples that make none.

use salsa_engine::cpu::Cpu;
use salsa_learn::batch::{Answers, Batch, BatchError};
use salsa_learn::loss::{LossWeights, losses};
use salsa_learn::network::Network;
use salsa_traces::algorithms;
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::Values;

use crate::cases::{self, Case};

fn case(algorithm: &str) -> Case {
    let found = cases::all().into_iter().find(|case| {
        // Without batch norm, graphs of a batch do not see each other in training either.
        case.algorithm.spec().algorithm == algorithm && case.kind.name == "pgn"
    });
    found.unwrap()
}

/// The losses of outputs and hints, and the batch.
fn losses_of(network: &mut Network, samples: &[Sample]) -> (Vec<f64>, Vec<f64>, Batch) {
    let batch = Batch::new(samples, true).unwrap();
    let Network { tape, model } = network;
    tape.set_recording(true);
    let forward = model.forward(tape, &batch);
    let terms = losses(tape, &batch, &forward, LossWeights::default());
    let read = |terms: &[_]| terms.iter().map(|&term| tape.scalar(term)).collect();
    (read(&terms.outputs), read(&terms.hints), batch)
}

/// How many values a feature's loss is a mean over in one graph.
fn count(field: &Field, sample: &Sample) -> f64 {
    let one_a_graph = field.location == Location::Graph || field.kind == Kind::MaskOne;
    if one_a_graph { 1.0 } else { sample.graph.n_values(field.location) as f64 }
}

#[test]
fn padding_weighs_nothing() {
    for algorithm in algorithms::ALL {
        let case = case(&algorithm.spec().algorithm);
        let mut network = case.network(true, Box::new(Cpu::new(1)));
        let samples = case.samples(&[4, 9, 5]);
        let (outputs, hints, batch) = losses_of(&mut network, &samples);
        let steps = batch.steps() as f64;
        let mut expected_outputs = vec![0.0; outputs.len()];
        let mut expected_hints = vec![0.0; hints.len()];
        for sample in &samples {
            let (outputs, hints, _) = losses_of(&mut network, std::slice::from_ref(sample));
            let share = |field: &Field| {
                let whole: f64 = samples.iter().map(|sample| count(field, sample)).sum();
                count(field, sample) / whole
            };
            let spec = algorithm.spec();
            for (i, field) in spec.outputs().enumerate() {
                expected_outputs[i] += outputs[i] * share(field);
            }
            for (i, field) in spec.hints().enumerate() {
                let length = f64::from(sample.trajectory.length);
                expected_hints[i] += hints[i] * share(field) * length / steps;
            }
        }
        let expected = [expected_outputs, expected_hints].concat();
        for (found, expected) in [outputs, hints].concat().iter().zip(expected) {
            let error = (found - expected).abs();
            assert!(error <= 1e-5 * expected, "{}: {found} not {expected}", case.name());
        }
    }
}

#[test]
fn steps_after_the_end_are_not_there() {
    // The second one is a tree.
    let samples = case("bfs").samples(&[4, 16]);
    let batch = Batch::new(&samples, true).unwrap();
    let [short, long] = batch.lengths[..] else { panic!() };
    assert!(short < long);
    let rows = 4 * short + 16 * long;
    assert_eq!(batch.moments.as_ref().unwrap().edges.n_nodes(), rows);
    for hint in &batch.hints {
        match &hint.answers {
            Answers::Places(places) => {
                assert_eq!(places.len(), rows);
                assert!(places.iter().all(|&place| place != u32::MAX), "{}", hint.field.name);
            }
            Answers::Numbers(numbers) => assert_eq!(numbers.len(), rows),
        }
        assert_eq!(hint.weight, 1.0 / (20 * long) as f32);
    }
}

/// What `change` makes of two good samples is no batch.
fn refused(algorithm: &str, change: impl FnOnce(&mut Vec<Sample>)) -> BatchError {
    let mut samples = case(algorithm).samples(&[4, 5]);
    change(&mut samples);
    Batch::new(&samples, true).unwrap_err()
}

#[test]
fn what_is_missing_is_named() {
    let missing = |graph, name: &str| BatchError::MissingInput { graph, name: name.to_owned() };
    assert_eq!(refused("bfs", Vec::clear), BatchError::Empty);
    assert_eq!(refused("bfs", |samples| samples[1].inputs.source = None), missing(1, "s"));
    let found = refused("mis", |samples| samples[0].inputs.randomness = None);
    assert_eq!(found, missing(0, "randomness"));
    let unweighted = case("bfs").samples(&[4]);
    let found = refused("dijkstra", |samples| samples[1].graph = unweighted[0].graph.clone());
    assert_eq!(found, missing(1, "weights"));
    let found = refused("bfs", |samples| samples[1].trajectory.outputs.clear());
    assert_eq!(found, BatchError::MissingOutput { graph: 1, name: "pi".to_owned() });
    let found = refused("bfs", |samples| samples[1].trajectory.hints = None);
    assert_eq!(found, BatchError::MissingHint { graph: 1, name: "reach_h".to_owned() });
}

#[test]
fn a_pointer_must_follow_an_edge() {
    let found = refused("bfs", |samples| {
        let stranger =
            samples[1].graph.nodes().find(|&v| v > 0 && !samples[1].graph.has_edge(0, v));
        let Values::Pointer(pointers) = &mut samples[1].trajectory.outputs[0] else { panic!() };
        pointers[0] = stranger.unwrap();
    });
    assert_eq!(found, BatchError::NoSuchEdge { graph: 1, name: "pi".to_owned(), node: 0 });
}

#[test]
fn samples_of_two_algorithms_make_no_batch() {
    let other = case("dfs").samples(&[4]);
    let found = refused("bfs", |samples| samples.extend(other));
    assert_eq!(found.to_string(), "graph 2 is of dfs, expected bfs");
}

#[test]
fn a_feature_without_decoder_is_named() {
    const FIELDS: &[Field] = &[
        Field::input("pos", Location::Node, Kind::Scalar),
        Field::output("colour", Location::Edge, Kind::Categorical { classes: 2 }),
    ];
    let found = refused("bfs", |samples| {
        for sample in samples {
            sample.trajectory.spec = Spec::new("colouring", FIELDS);
        }
    });
    let told = "no decoder for colour: Edge Categorical { classes: 2 }";
    assert_eq!(found.to_string(), told);
    let case = case("bfs");
    let spec = Spec::new("colouring", FIELDS);
    let network =
        Network::with_spec(&case.run(false), &spec, Box::new(Cpu::new(1)), case.kind.build).err();
    assert_eq!(network.unwrap().to_string(), told);
}
