//! Training ends when the validation loss has not fallen for a while.
//!
//! Any decrease counts, however small, unlike in the plateau schedule; so an epoch that improves
//! here is also the one whose weights are kept as the best. As in PyTorch Lightning, training
//! stops at the end of the `patience`-th epoch in a row without a decrease. A loss that is not a
//! number never improves.

use serde::{Deserialize, Serialize};

use crate::exact_json;
use crate::run::Run;

/// Early stopping and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStopping {
    patience: u64,
    state: EarlyStoppingState,
}

/// What a checkpoint keeps of it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStoppingState {
    /// The lowest validation loss; `None` before the first.
    #[serde(with = "exact_json::option")]
    pub best: Option<f64>,
    /// The epoch that had it, from 0.
    pub best_epoch: Option<u64>,
    /// Epochs in a row without a decrease.
    pub waited: u64,
}

/// What an epoch's validation loss means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The lowest so far: keep these weights.
    Improved,
    /// Not lower, and patience is left.
    Waiting,
    /// Not lower for as long as patience lasts.
    Stop,
}

impl EarlyStopping {
    /// Early stopping of a run, at its start.
    pub fn new(run: &Run) -> Self {
        Self::resume(run, EarlyStoppingState::default())
    }

    /// Early stopping of a run, where a checkpoint left it.
    pub fn resume(run: &Run, state: EarlyStoppingState) -> Self {
        Self { patience: run.training.early_stopping, state }
    }

    /// Takes the validation loss of `epoch`, from 0.
    pub fn observe(&mut self, epoch: u64, loss: f64) -> Verdict {
        if loss < self.state.best.unwrap_or(f64::INFINITY) {
            self.state =
                EarlyStoppingState { best: Some(loss), best_epoch: Some(epoch), waited: 0 };
            return Verdict::Improved;
        }
        self.state.waited += 1;
        if self.is_over() { Verdict::Stop } else { Verdict::Waiting }
    }

    /// Whether patience has run out.
    pub fn is_over(&self) -> bool {
        self.state.waited >= self.patience
    }

    /// What a checkpoint keeps.
    pub fn state(&self) -> EarlyStoppingState {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::*;
    use super::*;

    fn patience(patience: u64) -> EarlyStopping {
        let mut run = Run::default();
        run.training.early_stopping = patience;
        EarlyStopping::new(&run)
    }

    fn verdicts(stopping: &mut EarlyStopping, losses: &[f64]) -> Vec<Verdict> {
        losses.iter().zip(0..).map(|(&loss, epoch)| stopping.observe(epoch, loss)).collect()
    }

    #[test]
    fn stops_after_patience_epochs_without_a_decrease() {
        let mut stopping = patience(3);
        let told = verdicts(&mut stopping, &[1.0, 0.5, 0.6, 0.5, 0.4, 0.4, 0.41, 0.7]);
        assert_eq!(told, [Improved, Improved, Waiting, Waiting, Improved, Waiting, Waiting, Stop]);
        let state = stopping.state();
        assert_eq!((state.best, state.best_epoch, state.waited), (Some(0.4), Some(4), 3));
    }

    #[test]
    fn the_smallest_decrease_counts() {
        let mut stopping = patience(1);
        assert_eq!(verdicts(&mut stopping, &[1.0, 1.0_f64.next_down()]), [Improved, Improved]);
    }

    #[test]
    fn what_is_no_number_never_improves() {
        let mut stopping = patience(2);
        assert_eq!(
            verdicts(&mut stopping, &[f64::NAN, 1.0, f64::NAN, f64::INFINITY]),
            [Waiting, Improved, Waiting, Stop]
        );
    }

    #[test]
    fn a_resumed_one_goes_on_where_it_was() {
        let run = Run::default();
        let mut whole = EarlyStopping::new(&run);
        verdicts(&mut whole, &[1.0, 2.0]);
        let text = serde_json::to_string(&whole.state()).unwrap();
        let resumed = EarlyStopping::resume(&run, serde_json::from_str(&text).unwrap());
        assert_eq!(resumed, whole);
    }
}
