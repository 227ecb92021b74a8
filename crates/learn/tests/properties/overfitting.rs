//! A network with enough parameters learns a few graphs by heart: everything that must work for
//! learning does, from the encoder to the optimiser.
//!
//! Predictions are those of training. In evaluation a batch norm takes the statistics of all steps
//! together, which a network that has met one batch only need not have come to terms with.

use salsa_engine::cpu::Cpu;
use salsa_learn::batch::Batch;
use salsa_learn::evaluation::score;
use salsa_learn::network::Network;
use salsa_learn::scores::Scores;
use salsa_learn::training::step::{StepOptions, step};
use salsa_traces::sample::Sample;

use crate::cases::{self, Case};

/// Whether a forward pass of training gets all outputs of all graphs right.
fn all_right(network: &mut Network, batch: &Batch, samples: &[Sample]) -> bool {
    network.tape.clear();
    let outputs = network.model.forward(&mut network.tape, batch).outputs;
    let mut scores = Scores::new();
    score(network, batch, samples, &outputs, &mut scores).unwrap();
    scores.values("graph_accuracy").unwrap().iter().all(|accuracy| *accuracy == 1.0)
}

/// The steps until a batch is known by heart, if `most` are enough, and the last loss.
fn steps_to_learn(case: Case, most: u64) -> (Option<u64>, f64) {
    let samples = case.samples(&[4, 5, 7]);
    let batch = Batch::new(&samples, false).unwrap();
    let mut network = case.network(false, Box::new(Cpu::new(1)));
    let mut options = StepOptions::new(&case.run(false));
    options.optimiser.learning_rate = 1e-3;
    let mut loss = f64::NAN;
    for number in 1..=most {
        loss = step(&mut network, &batch, &options, number).unwrap().loss.output;
        if loss < 0.02 && all_right(&mut network, &batch, &samples) {
            return (Some(number), loss);
        }
    }
    (None, loss)
}

#[test]
fn every_processor_learns_a_batch_by_heart() {
    for mut case in cases::all() {
        case.hidden = 32;
        let (steps, loss) = steps_to_learn(case, 1000);
        assert!(steps.is_some(), "{}: loss {loss} after 1000 steps", case.name());
    }
}
