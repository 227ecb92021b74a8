//! Gradients of whole networks, with all losses, against central differences in double precision.
//!
//! Parameters are given in single precision, so a step is what remains of it there; both losses
//! and the difference of the steps are known in double precision. A step may straddle the corner
//! of a maximum or an activation: then a smaller one is tried.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_engine::reference::Reference;
use salsa_engine::tape::Tensor;
use salsa_learn::batch::Batch;
use salsa_learn::loss::{LossWeights, losses};
use salsa_learn::network::Network;
use salsa_traces::random;

use crate::cases::{self, Case};

/// Values tried in each tensor.
const VALUES: usize = 2;
const STEPS: [f32; 3] = [1e-6, 1e-7, 3e-6];

/// The total loss on the tape.
fn total(network: &mut Network, batch: &Batch) -> Tensor {
    let Network { tape, model } = network;
    tape.clear();
    let forward = model.forward(tape, batch);
    losses(tape, batch, &forward, LossWeights::default()).total
}

fn slope_agrees_with_differences(case: Case, hints: bool, rng: &mut ChaCha8Rng) {
    let mut network = case.network(hints, Box::new(Reference));
    network.tape.set_recording(true);
    let batch = Batch::new(&case.samples(&[4, 5]), hints).unwrap();
    let loss = total(&mut network, &batch);
    network.tape.backward(loss);
    let learned: Vec<(String, Tensor)> = network
        .tape
        .parameters()
        .iter()
        .filter(|kept| kept.learned)
        .map(|kept| (kept.name.clone(), kept.tensor))
        .collect();
    let gradients = learned.iter().filter_map(|(_, tensor)| network.tape.gradient(*tensor));
    let scale = gradients.flatten().map(|slope| slope * slope).sum::<f64>().sqrt();
    assert!(scale > 0.0, "{}", case.name());
    for (name, tensor) in learned {
        // A parameter that no loss depends on has none, such as what scales weights without any.
        let gradient = network.tape.gradient(tensor);
        let values = network.tape.read(tensor);
        for _ in 0..VALUES.min(values.len()) {
            let i = random::below(rng, values.len() as u32) as usize;
            let expected = gradient.as_ref().map_or(0.0, |gradient| gradient[i]);
            let agrees =
                |slope: &f64| (slope - expected).abs() <= 1e-7 * scale + 1e-5 * expected.abs();
            let mut slopes = Vec::new();
            for step in STEPS {
                let mut loss_at = |value: f32| {
                    let mut moved = values.clone();
                    moved[i] = value;
                    network.tape.set(tensor, &moved);
                    let loss = total(&mut network, &batch);
                    network.tape.values(loss)[0]
                };
                let (low, high) = (values[i] - step, values[i] + step);
                slopes.push((loss_at(high) - loss_at(low)) / (f64::from(high) - f64::from(low)));
                if slopes.last().is_some_and(agrees) {
                    break;
                }
            }
            network.tape.set(tensor, &values);
            assert!(
                slopes.last().is_some_and(agrees),
                "{}: value {i} of {name} is {expected} by the tape, {slopes:?} by differences",
                case.name()
            );
        }
    }
}

#[test]
fn the_gradient_is_that_of_the_loss() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for case in cases::all().into_iter().chain(cases::variants()) {
        slope_agrees_with_differences(case, true, &mut rng);
    }
}
