//! The time of one training step, and how much of it the dense products explain.

use std::iter;
use std::time::{Duration, Instant};

use salsa_learn::batch::Batch;
use salsa_learn::compute::{Compute, Computed};
use salsa_learn::training::ahead::made_ahead;
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::learner::{Learner, WARM_UP};
use super::side_by_side::SideBySide;
use crate::commands::bench::memory::peak_memory;
use crate::commands::bench::product_peak::product_peak;
use crate::commands::bench::{median, seconds};
use crate::failure::Failure;

/// The training step of one cell.
#[derive(Debug, Serialize, Deserialize)]
pub struct Step {
    pub algorithm: String,
    pub model: String,
    pub hints: bool,
    pub threads: usize,
    #[serde(flatten)]
    pub computed: Computed,
    pub batches: u64,
    pub steps: usize,
    pub median_ms: f64,
    pub mean_ms: f64,
    pub steps_per_s: f64,
    /// Operations in dense products for a step, in units of 10^9; the mean over the batches.
    pub gflop: f64,
    /// Those operations over the whole step's time; the median over the steps.
    pub gflop_per_s: f64,
    /// What dense products alone reach; not measured on a GPU.
    pub peak_gflop_per_s: Option<f64>,
    pub share_of_peak: Option<f64>,
    /// The most memory the process held while training.
    pub peak_bytes: Option<u64>,
    /// The most memory of a GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_bytes: Option<u64>,
    /// The same of several runs at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_by_side: Option<SideBySide>,
}

impl Step {
    pub fn set_peak(&mut self, peak_gflop_per_s: Option<f64>) {
        self.peak_gflop_per_s = peak_gflop_per_s;
        self.share_of_peak = peak_gflop_per_s.map(|peak| self.gflop_per_s / peak);
    }
}

/// Trains on the batches in turn until the time is over and every batch had as many turns.
pub fn measure(
    cell: &Cell,
    n_batches: u64,
    compute: Compute,
    time: Duration,
) -> Result<Step, Failure> {
    let mut learner = Learner::new(cell, cell.run().seed, compute)?;
    let Times { steps: times, operations, elapsed } = match compute {
        // A GPU has copies of those it knows; in a training every batch is new.
        Compute::Cuda(_) => made_ahead(
            iter::repeat(()),
            |()| cell.batches(n_batches),
            |rounds| Times::of(&mut learner, rounds.into_iter(), time),
        )?,
        Compute::Cpu { .. } => {
            let batches = cell.batches(n_batches)?;
            Times::of(&mut learner, iter::repeat_with(|| Ok(batches.as_slice())), time)?
        }
    };
    let steps = times.len();
    let mean_s = elapsed / steps as f64;
    let rates = times.iter().zip(&operations).map(|(time, operations)| operations / time);
    let rate = median(rates.collect());
    let device = learner.network.tape.device();
    let mut measured = Step {
        algorithm: cell.algorithm.spec().algorithm.to_string(),
        model: cell.processor.to_owned(),
        hints: cell.hints,
        threads: compute.n_threads(),
        computed: compute.computed(device),
        batches: n_batches,
        steps,
        mean_ms: 1e3 * mean_s,
        steps_per_s: 1.0 / mean_s,
        gflop: operations.iter().sum::<f64>() / steps as f64 / 1e9,
        median_ms: 1e3 * median(times),
        gflop_per_s: rate / 1e9,
        peak_gflop_per_s: None,
        share_of_peak: None,
        peak_bytes: peak_memory(),
        device_bytes: device.most_bytes(),
        side_by_side: None,
    };
    drop(learner);
    if let Compute::Cpu { n_threads } = compute {
        measured.set_peak(Some(product_peak(n_threads, time / 2)));
    }
    Ok(measured)
}

/// What steps one after the other took.
struct Times {
    /// Seconds of each step. A GPU may not be done with the last one then.
    steps: Vec<f64>,
    /// Operations of each one's products.
    operations: Vec<f64>,
    /// Seconds until all of them were done.
    elapsed: f64,
}

impl Times {
    fn of<B: AsRef<[Batch]>>(
        learner: &mut Learner,
        mut rounds: impl Iterator<Item = Result<B, Failure>>,
        time: Duration,
    ) -> Result<Self, Failure> {
        for batches in rounds.by_ref().take(WARM_UP) {
            batches?.as_ref().iter().try_for_each(|batch| learner.step(batch))?;
        }
        learner.wait()?;
        let (mut steps, mut operations) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        for batches in rounds {
            for batch in batches?.as_ref() {
                let before = learner.network.tape.device().product_operations();
                let (stepped, time) = seconds(|| learner.step(batch));
                stepped?;
                steps.push(time);
                let after = learner.network.tape.device().product_operations();
                operations.push((after - before) as f64);
            }
            if begin.elapsed() >= time {
                break;
            }
        }
        learner.wait()?;
        Ok(Self { steps, operations, elapsed: begin.elapsed().as_secs_f64() })
    }
}
