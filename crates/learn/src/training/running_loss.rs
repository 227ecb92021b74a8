//! The terms of the loss, and their mean over the batches of an epoch so far.
//!
//! Sums are kept in double precision and weighted by graphs, as batches differ in size. They are
//! part of a checkpoint, bit for bit: an epoch that is interrupted and resumed reports the same
//! mean as one that ran through.

pub use salsa_records::LossTerms;
use serde::{Deserialize, Serialize};

/// Sums over batches, weighted by graphs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningLoss {
    sums: LossTerms,
    graphs: u64,
}

impl RunningLoss {
    /// Adds a batch of `graphs` graphs whose mean loss is `terms`.
    pub fn add(&mut self, terms: LossTerms, graphs: u64) {
        let weight = graphs as f64;
        self.sums.total += terms.total * weight;
        self.sums.output += terms.output * weight;
        self.sums.hints += terms.hints * weight;
        self.sums.hidden += terms.hidden * weight;
        self.graphs += graphs;
    }

    /// The mean over all graphs so far; `None` before the first.
    pub fn mean(&self) -> Option<LossTerms> {
        let share = |sum: f64| sum / self.graphs as f64;
        (self.graphs > 0).then(|| LossTerms {
            total: share(self.sums.total),
            output: share(self.sums.output),
            hints: share(self.sums.hints),
            hidden: share(self.sums.hidden),
        })
    }

    /// How many graphs were added.
    pub fn graphs(&self) -> u64 {
        self.graphs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_counts_by_its_graphs() {
        let mut running = RunningLoss::default();
        assert_eq!(running.mean(), None);
        running.add(LossTerms { total: 2.0, output: 1.0, hints: 0.5, hidden: 4.0 }, 8);
        running.add(LossTerms { total: 5.0, output: 4.0, hints: 0.5, hidden: 1.0 }, 4);
        let mean = running.mean().unwrap();
        assert_eq!(mean, LossTerms { total: 3.0, output: 2.0, hints: 0.5, hidden: 3.0 });
        assert_eq!(running.graphs(), 12);
    }
}
