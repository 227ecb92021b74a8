//! A batch gives what its graphs give alone: they share a tensor, not their answers.

use salsa_learn::batch::Batch;
use salsa_learn::prediction::predictions;
use salsa_traces::sample::Sample;

use crate::cases::{self, Case, close, decoded};

const SIZES: [usize; 4] = [7, 4, 16, 2];

#[test]
fn a_batch_gives_what_its_graphs_give_alone() {
    for case in cases::all().into_iter().chain(cases::variants()) {
        check(&case, &SIZES, usize::MAX);
    }
}

/// Many entries are answered about with norms folded into layers, which is not the same to the
/// bit; after many steps of some algorithms that would be another answer.
#[test]
fn a_large_batch_gives_what_its_graphs_give_alone() {
    for case in cases::all().into_iter().filter(|case| case.kind.name != "pgn") {
        let entries = check(&case, &[16; 48], 4);
        assert!(entries >= 4096, "{entries} are not many");
    }
}

/// Compares answers after so many steps at most; the entries of all graphs together.
fn check(case: &Case, sizes: &[usize], most_steps: usize) -> usize {
    let batch = |samples: &[Sample]| {
        let mut batch = Batch::new(samples, false).unwrap();
        batch.lengths.iter_mut().for_each(|length| *length = most_steps.min(*length));
        batch
    };
    let mut network = case.stepped_network();
    let samples = case.samples(sizes);
    let together = batch(&samples);
    assert_eq!(together.n_graphs(), sizes.len());
    let batched = decoded(&mut network, &together);
    let mut alone: Vec<Vec<f32>> = vec![Vec::new(); batched.len()];
    for sample in &samples {
        let own = batch(std::slice::from_ref(sample));
        for (all, own) in alone.iter_mut().zip(decoded(&mut network, &own)) {
            all.extend(own);
        }
    }
    for (batched, alone) in batched.iter().zip(&alone) {
        assert!(close(batched, alone, 1e-4), "{}: {batched:?} not {alone:?}", case.name());
    }
    together.edges.n_entries()
}

#[test]
fn graphs_of_a_batch_differ_in_length() {
    for case in cases::all() {
        let lengths = Batch::new(&case.samples(&SIZES), false).unwrap().lengths;
        assert!(lengths.iter().any(|length| *length != lengths[0]), "{}: {lengths:?}", case.name());
    }
}

#[test]
fn predictions_are_cut_at_the_graphs() {
    for case in cases::all() {
        let mut network = case.stepped_network();
        let samples = case.samples(&[7, 4]);
        let mut predicted = |samples| {
            let batch = Batch::new(samples, false).unwrap();
            network.tape.set_recording(false);
            let outputs = network.model.forward(&mut network.tape, &batch).outputs;
            predictions(&network.tape, case.algorithm.spec(), &batch, &outputs)
        };
        let together = predicted(&samples);
        for (graph, sample) in samples.iter().enumerate() {
            for (values, expected) in together[graph].iter().zip(&sample.trajectory.outputs) {
                assert_eq!(values.count(), expected.count(), "{}", case.name());
            }
        }
    }
}
