use std::ops::ControlFlow;

use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;
use salsa_traces::trajectory::Values;

use super::*;
use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, Progress};
use crate::compute::Compute;
use crate::model::processors;
use crate::network::Network;
use crate::prediction::{predictions, values_of};
use crate::run::Run;
use crate::training::step::{StepOptions, step};
use crate::training::trainer::batch;

const ONE_THREAD: Compute = Compute::Cpu { n_threads: 1 };

fn run(algorithm: &str, processor: &str) -> Run {
    let text =
        format!("algorithm = {algorithm:?}\nmodel = {{ processor = {processor:?}, hidden = 16 }}");
    Run::parse("test", &text, &processors::names()).unwrap().resolved()
}

fn sampler<'a>(suite: &'a Suite, algorithm: &str, split: &str) -> Sampler<'a> {
    Sampler::new(suite, suite.seed, algorithms::find(algorithm).unwrap(), split).unwrap()
}

/// A checkpoint after a few steps, so that answers are not all the same.
fn trained(run: &Run, suite: &Suite) -> Checkpoint {
    let mut network = Network::new(run, ONE_THREAD).unwrap();
    let train = sampler(suite, &run.algorithm, "train");
    for number in 0..10 {
        let batch = batch(&train, 8 * number..8 * number + 8, false).unwrap();
        step(&mut network, &batch, &StepOptions::new(run), number + 1).unwrap();
    }
    let mut checkpoint = Checkpoint::new(run, Progress::start(run));
    network.write(&mut checkpoint);
    checkpoint
}

fn samples(suite: &Suite, algorithm: &str, split: &str, count: u64) -> Vec<Sample> {
    let sampler = sampler(suite, algorithm, split);
    (0..count).map(|index| sampler.sample(index, false).unwrap()).collect()
}

#[test]
fn alone_or_in_a_batch_a_graph_has_the_same_answer() {
    let suite = Suite::named("paper").unwrap();
    for algorithm in ["bfs", "dfs", "dijkstra", "mis", "eccentricity", "bridges"] {
        for processor in processors::names() {
            let run = run(algorithm, processor);
            let mut network = Network::restore(&trained(&run, &suite), ONE_THREAD).unwrap();
            let samples = samples(&suite, algorithm, "val", 6);
            let batch = Batch::new(&samples, false).unwrap();
            let forward = network.model.forward(&mut network.tape, &batch);
            let spec = &network.model.spec;
            let together = predictions(&network.tape, spec, &batch, &forward.outputs);
            let recorded = predict_together(&mut network, &samples, Steps::Recorded).unwrap();
            let auto = predict_together(&mut network, &samples, Steps::Auto).unwrap();
            for (place, (sample, together)) in samples.iter().zip(together).enumerate() {
                let length = sample.trajectory.length as usize;
                assert_eq!(
                    recorded[place],
                    Prediction { outputs: together.clone(), steps: length }
                );
                let alone = predict(&mut network, sample, Steps::Auto).unwrap();
                assert_eq!(alone.steps, auto[place].steps, "{algorithm} {processor}");
                let alone = predict(&mut network, sample, Steps::Recorded).unwrap();
                assert_eq!(alone.steps, length);
                for (alone, together) in alone.outputs.iter().zip(&together) {
                    assert!(close(alone, together), "{algorithm} {processor}");
                }
                let fixed = predict(&mut network, sample, Steps::Fixed(length)).unwrap();
                assert_eq!(fixed, alone);
            }
        }
    }
}

/// Equal, or nearly so for numbers: rows of a product may be summed another way in a batch.
fn close(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Scalar(a), Values::Scalar(b)) => {
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * (1.0 + a.abs()))
        }
        (a, b) => a == b,
    }
}

#[test]
fn auto_stops_when_the_answer_stands_still() {
    let suite = Suite::named("paper").unwrap();
    for algorithm in ["bfs", "mis", "eccentricity"] {
        let mut network =
            Network::restore(&trained(&run(algorithm, "gin"), &suite), ONE_THREAD).unwrap();
        for sample in samples(&suite, algorithm, "er_16", 8) {
            let auto = predict(&mut network, &sample, Steps::Auto).unwrap();
            assert!((3..=64).contains(&auto.steps), "{}", auto.steps);
            let at = |steps| predict(&mut network, &sample, Steps::Fixed(steps)).unwrap().outputs;
            let last = [auto.steps, auto.steps - 1, auto.steps - 2].map(at);
            assert_eq!(last[0], auto.outputs);
            if auto.steps < 64 {
                let rounded = last.map(|outputs| rounded(&outputs));
                assert!(rounded[0] == rounded[1] && rounded[1] == rounded[2]);
            }
        }
    }
}

fn rounded(outputs: &[Values]) -> Vec<Values> {
    let whole = |values: &Values| match values {
        Values::Scalar(numbers) => {
            Values::Scalar(numbers.iter().map(|number| number.round_ties_even()).collect())
        }
        values => values.clone(),
    };
    outputs.iter().map(whole).collect()
}

#[test]
fn memory_does_not_grow_with_the_steps() {
    let suite = Suite::named("paper").unwrap();
    for processor in processors::names() {
        let mut network = Network::new(&run("mis", processor), ONE_THREAD).unwrap();
        let sample = &samples(&suite, "mis", "er_16", 1)[0];
        // Steps of which each is decoded need a little more; a few of them show how much.
        predict(&mut network, sample, Steps::Auto).unwrap();
        let few =
            predict(&mut network, sample, Steps::Fixed(6)).map(|_| network.tape.allocations());
        for steps in [Steps::Fixed(60), Steps::Fixed(600), Steps::Auto] {
            predict(&mut network, sample, steps).unwrap();
            assert_eq!(Ok(network.tape.allocations()), few, "{processor} {steps}");
        }
    }
}

#[test]
fn steps_beyond_the_recorded_ones_draw_the_same_values_again() {
    let suite = Suite::named("paper").unwrap();
    let mut network = Network::restore(&trained(&run("mis", "pgn"), &suite), ONE_THREAD).unwrap();
    let sample = &samples(&suite, "mis", "ws_16", 1)[0];
    let steps = Steps::Fixed(sample.trajectory.length as usize + 20);
    let first = predict(&mut network, sample, steps).unwrap();
    assert_eq!(first, predict(&mut network, sample, steps).unwrap());
}

fn test_sets(suite: &Suite) -> Vec<TestSet<'_>> {
    let bfs = algorithms::find("bfs").unwrap();
    let split = |name| TestSet::split(suite, suite.seed, bfs, name, Some(12)).unwrap();
    let mut mixed = samples(suite, "bfs", "ws_16", 3);
    mixed.extend(samples(suite, "bfs", "val", 6));
    vec![split("val"), split("delaunay_16"), TestSet::given("mixed", mixed, suite.convention)]
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let suite = Suite::named("paper").unwrap();
    let checkpoint = trained(&run("bfs", "pgn"), &suite);
    let sets = test_sets(&suite);
    let results = |n_threads| {
        let mut told = 0;
        let options = Options { steps: Steps::Auto, compute: Compute::Cpu { n_threads } };
        let results = evaluate(&checkpoint, &sets, options, &mut || {
            told += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(told, 33);
        results
    };
    let one = results(1);
    assert_eq!(one, results(3));
    assert_eq!(one, results(50));
}

#[test]
fn the_parts_add_up_to_the_whole() {
    let suite = Suite::named("paper").unwrap();
    let checkpoint = trained(&run("bfs", "gin"), &suite);
    let options = Options { steps: Steps::Recorded, compute: Compute::Cpu { n_threads: 2 } };
    let results =
        evaluate(&checkpoint, &test_sets(&suite), options, &mut || ControlFlow::Continue(()))
            .unwrap();
    assert_eq!(results.iter().map(|split| split.all.graphs).collect::<Vec<_>>(), [12, 12, 9]);
    for SplitResult { all, by_size, by_family, .. } in &results {
        let (sizes, families) = (by_size.values().collect(), by_family.values().collect());
        for parts in [sizes, families] as [Vec<&Group>; 2] {
            assert_eq!(parts.iter().map(|part| part.graphs).sum::<u64>(), all.graphs);
            let wrong = |group: &Group| group.violations.values().sum::<u64>();
            assert_eq!(parts.iter().map(|part| wrong(part)).sum::<u64>(), wrong(all));
            let total = |of: &dyn Fn(&Group) -> f64, group: &Group| of(group) * group.graphs as f64;
            let steps = |group: &Group| group.mean_steps;
            let accuracy = |group: &Group| group.metrics["node_accuracy"].mean;
            for of in [&steps as &dyn Fn(&Group) -> f64, &accuracy] {
                let sum: f64 = parts.iter().map(|part| total(of, part)).sum();
                assert!((sum - total(of, all)).abs() < 1e-9);
            }
        }
        let share = 1.0 - all.violations.values().sum::<u64>() as f64 / all.graphs as f64;
        assert!((all.valid.unwrap().mean - share).abs() < 1e-12);
    }
    assert_eq!(results[2].by_family.keys().collect::<Vec<_>>(), ["er", "ws"]);
    assert!(results[0].by_size.len() > 1);
}

#[test]
fn a_record_comes_back() {
    let suite = Suite::named("paper").unwrap();
    let checkpoint = trained(&run("mis", "pgn"), &suite);
    let mis = algorithms::find("mis").unwrap();
    let sets = [TestSet::split(&suite, 7, mis, "er_16", Some(2)).unwrap()];
    let steps = Steps::Fixed(9);
    let options = Options { steps, compute: ONE_THREAD };
    let splits = evaluate(&checkpoint, &sets, options, &mut || ControlFlow::Continue(())).unwrap();
    let data =
        Data::Suite { name: "paper".into(), version: 1, convention: suite.convention, seed: 7 };
    let computed = ONE_THREAD.try_out().unwrap();
    let evaluation = Evaluation::new(&checkpoint, data, steps, computed, splits);
    let text = serde_json::to_string(&evaluation).unwrap();
    assert_eq!(serde_json::from_str::<Evaluation>(&text).unwrap(), evaluation);
    assert!(text.contains("\"steps\":\"9\""), "{text}");
}

#[test]
fn whoever_has_heard_enough_can_say_so() {
    let suite = Suite::named("paper").unwrap();
    let checkpoint = trained(&run("bfs", "pgn"), &suite);
    let mut heard = Vec::new();
    let options = Options { steps: Steps::Recorded, compute: Compute::Cpu { n_threads: 3 } };
    answers(&checkpoint, &test_sets(&suite), options, &mut |answer| {
        heard.push((answer.set, answer.index));
        if heard.len() == 14 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    let expected: Vec<_> = (0..12).map(|index| (0, index)).chain([(1, 0), (1, 1)]).collect();
    assert_eq!(heard, expected);
}

#[test]
fn the_first_failure_is_told_whatever_the_threads_do() {
    let suite = Suite::named("paper").unwrap();
    let bfs = algorithms::find("bfs").unwrap();
    let checkpoint = trained(&run("bfs", "pgn"), &suite);
    let sets = [TestSet::split(&suite, 0, bfs, "er_16", Some(1003)).unwrap()];
    let skipped = [TestSet::given("nothing", Vec::new(), suite.convention)];
    let options = Options { steps: Steps::Fixed(1), compute: Compute::Cpu { n_threads: 3 } };
    let error =
        evaluate(&checkpoint, &sets, options, &mut || ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.to_string(), "split er_16 has 1000 samples, there is no index 1000");
    assert_eq!(
        evaluate(&checkpoint, &skipped, options, &mut || ControlFlow::Continue(())).unwrap()[0]
            .all
            .graphs,
        0
    );
}

#[test]
fn scores_say_what_a_prediction_says() {
    let suite = Suite::named("paper").unwrap();
    for (algorithm, processor) in [("bfs", "pgn"), ("mis", "recgnn"), ("eccentricity", "gin")] {
        let checkpoint = trained(&run(algorithm, processor), &suite);
        let mut network = Network::restore(&checkpoint, ONE_THREAD).unwrap();
        let sample = sampler(&suite, algorithm, "er_16").sample(3, false).unwrap();
        let scores = scores(&mut network, &sample).unwrap();
        let read: Vec<Values> = sample
            .trajectory
            .spec
            .outputs()
            .zip(&scores)
            .map(|(field, scores)| values_of(field, &sample.graph, scores).unwrap())
            .collect();
        assert_eq!(read, predict(&mut network, &sample, Steps::Recorded).unwrap().outputs);
    }
}

#[test]
fn whoever_is_told_of_the_progress_may_break_off() {
    let suite = Suite::named("paper").unwrap();
    let checkpoint = trained(&run("bfs", "gin"), &suite);
    let options = Options { steps: Steps::Recorded, compute: Compute::Cpu { n_threads: 2 } };
    let mut told = 0;
    let broken = evaluate(&checkpoint, &test_sets(&suite), options, &mut || {
        told += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(broken, Err(EvaluateError::BrokenOff)));
    assert_eq!(told, 1);
}
