//! The answers of a network on many graphs, in order, made by several threads.
//!
//! Every thread has a network of its own, takes the next graphs that nobody has, and sends what it
//! found to the caller, who waits for the one that is due. Where there are fewer graphs than
//! threads, a network uses several.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use salsa_traces::sample::SampleError;
use thiserror::Error;

use super::chunk::chunks;
use super::{Prediction, Steps, TestSet};
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
    let chunks = chunks(sets, options.compute.graphs_at_once());
    let n_workers = options.compute.most_networks().min(chunks.len()).max(1);
    let compute = options.compute.shared_by(n_workers).in_background();
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(2 * n_workers * options.compute.graphs_at_once());
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            let (send, chunks, next) = (send.clone(), &chunks, &next);
            scope.spawn(move || {
                let mut network = None;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(chunk) = chunks.get(number) else { return };
                    let mut place = 0;
                    let mut tell = |answer| {
                        place += 1;
                        // Whoever asked may have heard enough.
                        match send.send(((number, place - 1), answer)) {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        }
                    };
                    let told = match restored(&mut network, checkpoint, compute) {
                        Ok(network) => {
                            chunk.answer(network, &sets[chunk.set], options.steps, &mut tell)
                        }
                        Err(error) => tell(Err(error)),
                    };
                    if told.is_break() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut due = (0, 0);
        for (place, answer) in receive {
            early.insert(place, answer);
            while let Some(answer) = early.remove(&due) {
                let answer = answer?;
                let chunk = &chunks[due.0];
                due = if due.1 + 1 < chunk.len() { (due.0, due.1 + 1) } else { (due.0 + 1, 0) };
                let is_new = answer.index >= sets[chunk.set].indices().start;
                if is_new && each(answer).is_break() {
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
