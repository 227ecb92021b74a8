//! A batch gives what its graphs give alone: they share a tensor, not their answers.

use salsa_learn::batch::Batch;
use salsa_learn::prediction::predictions;

use crate::cases::{self, close, decoded};

const SIZES: [usize; 4] = [7, 4, 16, 2];

#[test]
fn a_batch_gives_what_its_graphs_give_alone() {
    for case in cases::all().into_iter().chain(cases::variants()) {
        let mut network = case.stepped_network();
        let samples = case.samples(&SIZES);
        let together = Batch::new(&samples, false).unwrap();
        assert_eq!(together.n_graphs(), 4);
        let batched = decoded(&mut network, &together);
        let mut alone: Vec<Vec<f32>> = vec![Vec::new(); batched.len()];
        for sample in &samples {
            let batch = Batch::new(std::slice::from_ref(sample), false).unwrap();
            for (all, own) in alone.iter_mut().zip(decoded(&mut network, &batch)) {
                all.extend(own);
            }
        }
        for (batched, alone) in batched.iter().zip(&alone) {
            assert!(close(batched, alone, 1e-4), "{}: {batched:?} not {alone:?}", case.name());
        }
    }
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
