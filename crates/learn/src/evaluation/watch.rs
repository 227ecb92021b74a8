//! A network at work on one graph: what it would say after every step, to be looked at.

use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Values;

use super::phases::Phases;
use super::predict::prepared;
use crate::batch::BatchError;
use crate::network::Network;
use crate::prediction::predictions_of;

/// What a network says after each step that the algorithm takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    /// The outputs of the spec, in its order: `[step][output]`.
    pub outputs: Vec<Vec<Values>>,
    /// Its hints: `[step][hint]`; empty at every step where the network has not learned them.
    pub hints: Vec<Vec<Values>>,
}

/// Watches a network on the graph and the inputs of a sample. The last outputs are those of
/// [`predict()`](super::predict()) with the recorded steps.
pub fn watch(network: &mut Network, sample: &Sample) -> Result<Watched, BatchError> {
    let batch = prepared(network, std::slice::from_ref(sample))?;
    let Network { tape, model } = network;
    let mut phases = sample.inputs.randomness.as_ref().map(|given| Phases::new(sample, given));
    let mut rollout = model.begin(tape, &batch);
    let mut watched = Watched { outputs: Vec::new(), hints: Vec::new() };
    for step in 0..sample.trajectory.length as usize {
        let randomness = phases.as_mut().map(|phases| phases.at(step));
        rollout.advance(tape, randomness, &[]);
        tape.scope(|tape| {
            let outputs = rollout.outputs(tape);
            let all = predictions_of(tape, model.spec.outputs(), &batch, &[0], &outputs);
            watched.outputs.extend(all);
            let hints = rollout.hints(tape);
            let all = predictions_of(tape, model.spec.hints(), &batch, &[0], &hints);
            watched.hints.extend(all);
            // A result from below the scope: everything above is given back.
            rollout.hidden()
        });
    }
    tape.clear();
    Ok(watched)
}

#[cfg(test)]
mod tests {
    use salsa_traces::algorithms;
    use salsa_traces::sample::sample;
    use salsa_traces::suite::Suite;

    use super::*;
    use crate::compute::Compute;
    use crate::evaluation::{Steps, predict};
    use crate::run::Run;

    #[test]
    fn the_last_outputs_are_the_answer() {
        let suite = Suite::named("paper").unwrap();
        for algorithm in ["bfs", "dfs", "mis", "eccentricity"] {
            for hints in [false, true] {
                let mut run = Run { algorithm: algorithm.to_owned(), hints, ..Run::default() };
                run.model.processor = "pgn".to_owned();
                run.model.hidden = 8;
                let compute = Compute::Cpu { n_threads: 1 };
                let mut network = Network::new(&run, compute).unwrap();
                let found = algorithms::find(algorithm).unwrap();
                let given = sample(&suite, 1, found, "er_16", 0).unwrap();
                let watched = watch(&mut network, &given).unwrap();
                let answer = predict(&mut network, &given, Steps::Recorded).unwrap();
                assert_eq!(watched.outputs.len(), given.trajectory.length as usize);
                assert_eq!(watched.outputs.last(), Some(&answer.outputs));
                let n_hints = given.trajectory.spec.hints().count() * usize::from(hints);
                assert!(watched.hints.iter().all(|step| step.len() == n_hints));
            }
        }
    }
}
