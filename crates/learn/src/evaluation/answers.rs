//! The answers of a network on many graphs, in order, made by several threads.
//!
//! Every thread has a network of its own, takes the next graph that nobody has, and sends what it
//! found to the caller, who waits for the one that is due. Where there are fewer graphs than
//! threads, a network uses several.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use salsa_traces::sample::SampleError;
use thiserror::Error;

use super::{Prediction, Steps, TestSet, Verdict, predict, verdict};
use crate::batch::BatchError;
use crate::checkpoint::Checkpoint;
use crate::compared::Mismatch;
use crate::compute::Compute;
use crate::metrics::Measured;
use crate::network::{Network, NetworkError};
use crate::validity::Violation;

/// How networks are asked.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// When they stop.
    pub steps: Steps,
    /// Where they compute.
    pub compute: Compute,
}

/// What a network answered on one graph, and how good it is.
#[derive(Debug)]
pub struct Answer {
    /// The place of its set among those given.
    pub set: usize,
    /// The sample's index in it.
    pub index: u64,
    /// Nodes of the graph.
    pub n_nodes: usize,
    /// Where the graph comes from.
    pub family: String,
    /// The answer.
    pub prediction: Prediction,
    /// What the metrics say of all outputs.
    pub measured: Vec<Measured>,
    /// Whether it is a correct answer, recorded or not; `None` where only the recorded one is.
    pub validity: Option<Result<(), Violation>>,
}

/// Why a network cannot be evaluated.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The checkpoint is of no known network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A sample could not be made.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A sample is none for this network.
    #[error("{set}, sample {index}: {error}")]
    Batch {
        /// The set.
        set: String,
        /// The sample.
        index: u64,
        /// Why.
        error: BatchError,
    },
    /// A prediction does not have the shape of the answer.
    #[error("{set}, sample {index}: {error}")]
    Mismatch {
        /// The set.
        set: String,
        /// The sample.
        index: u64,
        /// Why.
        error: Mismatch,
    },
    /// Whoever was told of the progress wanted no more.
    #[error("the evaluation was broken off")]
    BrokenOff,
}

/// Gives `each` the answers of a checkpoint's network on all samples, in order, until it breaks.
pub fn answers(
    checkpoint: &Checkpoint,
    sets: &[TestSet<'_>],
    options: Options,
    each: &mut dyn FnMut(Answer) -> ControlFlow<()>,
) -> Result<(), EvaluateError> {
    let jobs: Vec<(usize, u64)> = sets
        .iter()
        .enumerate()
        .flat_map(|(set, given)| given.indices().map(move |index| (set, index)))
        .collect();
    let n_workers = options.compute.most_networks().min(jobs.len()).max(1);
    let compute = options.compute.shared_by(n_workers);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(2 * n_workers);
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            let (send, jobs, next) = (send.clone(), &jobs, &next);
            scope.spawn(move || {
                let mut network = None;
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&job) = jobs.get(place) else { return };
                    let answer = restored(&mut network, checkpoint, compute)
                        .and_then(|network| answer(network, sets, job, options.steps));
                    // Whoever asked may have heard enough.
                    if send.send((place, answer)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (place, answer) in receive {
            early.insert(place, answer);
            while let Some(answer) = early.remove(&due) {
                due += 1;
                if each(answer?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// The network of a thread, made when it is first needed.
fn restored<'a>(
    network: &'a mut Option<Network>,
    checkpoint: &Checkpoint,
    compute: Compute,
) -> Result<&'a mut Network, EvaluateError> {
    match network {
        Some(network) => Ok(network),
        none => Ok(none.insert(Network::restore(checkpoint, compute)?)),
    }
}

/// The answer on one sample.
fn answer(
    network: &mut Network,
    sets: &[TestSet<'_>],
    (place, index): (usize, u64),
    steps: Steps,
) -> Result<Answer, EvaluateError> {
    let set = &sets[place];
    let name = || set.name().to_owned();
    let sample = set.sample(index)?;
    let prediction = predict(network, &sample, steps).map_err(|error| EvaluateError::Batch {
        set: name(),
        index,
        error,
    })?;
    network.tape.device().check().map_err(NetworkError::from)?;
    let Verdict { measured, validity } = verdict(&sample, set.convention(), &prediction.outputs)
        .map_err(|error| EvaluateError::Mismatch { set: name(), index, error })?;
    Ok(Answer {
        set: place,
        index,
        n_nodes: sample.graph.n_nodes(),
        family: sample.generator.clone(),
        prediction,
        measured,
        validity,
    })
}
