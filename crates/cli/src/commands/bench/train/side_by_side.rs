//! Several trainings at once in one process: what a step costs where they share a device.

use std::iter;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use salsa_learn::batch::Batch;
use salsa_learn::compute::Compute;
use salsa_learn::training::ahead::made_ahead;
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::learner::{Learner, WARM_UP};
use crate::failure::Failure;

/// The training step of several runs.
#[derive(Debug, Serialize, Deserialize)]
pub struct SideBySide {
    pub runs: usize,
    /// Milliseconds in which every run makes one step.
    pub ms: f64,
    /// Steps of all runs together.
    pub steps_per_s: f64,
}

/// Trains `runs` networks with seeds of their own, each in a thread with another that makes its
/// batches ahead, as `salsa train --seeds` does.
pub fn measure(
    cell: &Cell,
    runs: usize,
    n_batches: u64,
    compute: Compute,
    time: Duration,
) -> Result<SideBySide, Failure> {
    let (compute, ready) = (compute.shared_by(runs), Barrier::new(runs));
    let one = |seed: u64| {
        // A GPU has copies of those it knows; in a training every batch is new.
        let rounds = iter::repeat_with(|| ());
        made_ahead(
            rounds,
            |()| cell.batches(n_batches),
            |rounds| {
                let mut rounds = rounds.into_iter();
                let warm = warmed_up(cell, seed, &mut rounds, compute);
                // One that failed comes too, or the others would wait for ever.
                ready.wait();
                let mut learner = warm?;
                let (begin, mut steps) = (Instant::now(), 0);
                while begin.elapsed() < time {
                    steps += round(&mut learner, &mut rounds)?;
                }
                learner.wait()?;
                Ok(steps as f64 / begin.elapsed().as_secs_f64())
            },
        )
    };
    let rates: Vec<Result<f64, Failure>> = thread::scope(|scope| {
        let first = cell.run().seed;
        let threads: Vec<_> = (0..runs as u64)
            .map(|place| {
                let one = &one;
                scope.spawn(move || one(first + place))
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let steps_per_s = rates.into_iter().sum::<Result<f64, Failure>>()?;
    Ok(SideBySide { runs, ms: 1e3 * runs as f64 / steps_per_s, steps_per_s })
}

/// A network that has made its first steps.
fn warmed_up(
    cell: &Cell,
    seed: u64,
    rounds: &mut dyn Iterator<Item = Result<Vec<Batch>, Failure>>,
    compute: Compute,
) -> Result<Learner, Failure> {
    let mut learner = Learner::new(cell, seed, compute)?;
    for _ in 0..WARM_UP {
        round(&mut learner, rounds)?;
    }
    learner.wait()?;
    Ok(learner)
}

/// Steps on the next batches; says how many.
fn round(
    learner: &mut Learner,
    rounds: &mut dyn Iterator<Item = Result<Vec<Batch>, Failure>>,
) -> Result<usize, Failure> {
    let Some(batches) = rounds.next().transpose()? else { return Ok(0) };
    batches.iter().try_for_each(|batch| learner.step(batch))?;
    Ok(batches.len())
}
