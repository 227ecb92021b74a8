//! Trained with hints, a network learns every one of them.

use salsa_engine::cpu::Cpu;
use salsa_learn::batch::Batch;
use salsa_learn::loss::{LossWeights, losses};
use salsa_learn::network::Network;
use salsa_learn::training::step::{StepOptions, step};

use crate::cases;

fn hint_losses(network: &mut Network, batch: &Batch) -> Vec<f64> {
    let Network { tape, model } = network;
    tape.set_recording(true);
    let forward = model.forward(tape, batch);
    let terms = losses(tape, batch, &forward, LossWeights::default());
    terms.hints.iter().map(|&term| tape.scalar(term)).collect()
}

#[test]
fn training_with_hints_lowers_the_loss_of_each() {
    for mut case in cases::all() {
        case.hidden = 16;
        let mut network = case.network(true, Box::new(Cpu::new(1)));
        let batch = Batch::new(&case.samples(&[4, 5, 7]), true).unwrap();
        let mut options = StepOptions::new(&case.run(true));
        options.optimiser.learning_rate = 1e-3;
        let before = hint_losses(&mut network, &batch);
        // A step through many steps of the network may throw some of them back for a while.
        let mut after = vec![f64::INFINITY; before.len()];
        for number in 1..=60 {
            step(&mut network, &batch, &options, number).unwrap();
            if number % 10 == 0 {
                let now = hint_losses(&mut network, &batch);
                after.iter_mut().zip(now).for_each(|(least, now)| *least = least.min(now));
            }
        }
        assert_eq!(after.len(), case.algorithm.spec().hints().count());
        for ((field, before), after) in case.algorithm.spec().hints().zip(before).zip(after) {
            let (case, name) = (case.name(), &field.name);
            assert!(after < before, "{case}: {name} stays at {before}, {after} at best");
        }
    }
}
