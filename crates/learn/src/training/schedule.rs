//! The learning rate falls when the validation loss stays on a plateau.
//!
//! As PyTorch's `ReduceLROnPlateau` in mode `min` with a relative threshold and no cooldown,
//! operation by operation, so that the rates agree to the last bit: an epoch is better if
//! `loss < best * (1 - threshold)`; after more than `patience` epochs in a row that were not, the
//! rate is multiplied by `factor` and counting starts again. A change of at most 1e-8 is not
//! made, which ends the fall near 4e-9 for the usual rates.

use serde::{Deserialize, Serialize};

use crate::exact_json;
use crate::run::Run;

/// PyTorch's `eps`: the smallest change of the rate that is made.
const SMALLEST_CHANGE: f64 = 1e-8;

/// A plateau schedule and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Plateau {
    factor: f64,
    patience: u64,
    threshold: f64,
    state: PlateauState,
}

/// What a checkpoint keeps of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlateauState {
    /// The rate for the next step.
    #[serde(with = "exact_json")]
    pub learning_rate: f64,
    /// The loss that the next epochs are compared with; `None` before the first.
    #[serde(with = "exact_json::option")]
    pub best: Option<f64>,
    /// Epochs in a row that were not better.
    pub bad_epochs: u64,
}

impl Plateau {
    /// The schedule of a run, at its start.
    pub fn new(run: &Run) -> Self {
        Self::resume(run, PlateauState::start(run))
    }

    /// The schedule of a run, where a checkpoint left it.
    pub fn resume(run: &Run, state: PlateauState) -> Self {
        Self {
            factor: run.training.plateau_factor,
            patience: run.training.plateau_patience,
            threshold: run.training.plateau_threshold,
            state,
        }
    }

    /// Takes the validation loss of an epoch and gives the rate of the next.
    pub fn observe(&mut self, loss: f64) -> f64 {
        let best = self.state.best.unwrap_or(f64::INFINITY);
        if loss < best * (1.0 - self.threshold) {
            self.state.best = Some(loss);
            self.state.bad_epochs = 0;
        } else {
            self.state.bad_epochs += 1;
        }
        if self.state.bad_epochs > self.patience {
            let lower = self.state.learning_rate * self.factor;
            if self.state.learning_rate - lower > SMALLEST_CHANGE {
                self.state.learning_rate = lower;
            }
            self.state.bad_epochs = 0;
        }
        self.state.learning_rate
    }

    /// The rate for the next step.
    pub fn learning_rate(&self) -> f64 {
        self.state.learning_rate
    }

    /// What a checkpoint keeps.
    pub fn state(&self) -> PlateauState {
        self.state
    }
}

impl PlateauState {
    /// Before the first epoch of a run.
    pub fn start(run: &Run) -> Self {
        Self { learning_rate: run.learning_rate(), best: None, bad_epochs: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plateau(learning_rate: f64, factor: f64, patience: u64) -> Plateau {
        let mut run = Run::default();
        run.training.learning_rate = Some(learning_rate);
        run.training.plateau_factor = factor;
        run.training.plateau_patience = patience;
        Plateau::new(&run)
    }

    /// The losses of epochs, and PyTorch's rate and count of bad epochs after each.
    fn agrees(mut plateau: Plateau, expected: &[(f64, f64, u64)]) {
        for (epoch, &(loss, rate, bad_epochs)) in expected.iter().enumerate() {
            assert_eq!(plateau.observe(loss), rate, "epoch {epoch}");
            assert_eq!(plateau.state().bad_epochs, bad_epochs, "epoch {epoch}");
        }
    }

    #[test]
    fn falls_after_more_than_patience_bad_epochs() {
        let mut plateau = plateau(1.0, 0.5, 2);
        // better, better, three bad ones in a row: only then is patience over
        let rates = [9.0, 8.0, 8.0, 8.5, 9.0, 9.0, 7.0, 7.0].map(|loss| plateau.observe(loss));
        assert_eq!(rates, [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn the_default_patience_is_ten() {
        let mut plateau = Plateau::new(&Run::default());
        let rates: Vec<f64> = (0..12).map(|_| plateau.observe(1.0)).collect();
        assert_eq!(rates[10], 0.0004239);
        assert_eq!(rates[11], 0.0004239 * 0.1);
    }

    #[test]
    fn a_decrease_within_the_threshold_is_no_improvement() {
        let mut plateau = plateau(1.0, 0.5, 5);
        for (loss, best) in [(1.0, 1.0), (0.99995, 1.0), (0.99985, 0.99985)] {
            plateau.observe(loss);
            assert_eq!(plateau.state().best, Some(best));
        }
    }

    #[test]
    fn agrees_with_pytorch_down_to_the_smallest_change() {
        let mut expected = vec![
            (1.0, 0.0004239, 0),
            (0.9, 0.0004239, 0),
            (0.89995, 0.0004239, 1),
            (0.8999, 0.0004239, 0),
            (0.9, 0.0004239, 1),
            (0.85, 0.0004239, 0),
            (0.86, 0.0004239, 1),
            (0.87, 0.0004239, 2),
            (0.88, 4.2390000000000006e-05, 0),
            (f64::NAN, 4.2390000000000006e-05, 1),
            (f64::INFINITY, 4.2390000000000006e-05, 2),
            (0.8499149, 4.2390000000000006e-05, 0),
            (0.8499, 4.2390000000000006e-05, 1),
            (0.8499, 4.2390000000000006e-05, 2),
            (0.8499, 4.239e-06, 0),
            (0.8499, 4.239e-06, 1),
            (0.9, 4.239e-06, 2),
        ];
        for rate in [
            4.239000000000001e-07,
            4.239000000000001e-08,
            4.239000000000002e-09,
            4.239000000000002e-09,
        ] {
            expected.extend([(0.9, rate, 0), (0.9, rate, 1), (0.9, rate, 2)]);
        }
        agrees(plateau(0.0004239, 0.1, 2), &expected);
    }

    #[test]
    fn agrees_with_pytorch_without_patience() {
        let expected = [
            (f64::INFINITY, 0.0004, 0),
            (0.3, 0.0004, 0),
            (0.29998, 0.0002, 0),
            (0.29997, 0.0001, 0),
            (0.29996, 0.0001, 0),
            (0.2, 0.0001, 0),
            (0.21, 5e-05, 0),
            (-1.0, 5e-05, 0),
            (-1.00005, 5e-05, 0),
            (-0.99995, 5e-05, 0),
            (-1.2, 5e-05, 0),
        ];
        agrees(plateau(0.0008, 0.5, 0), &expected);
    }

    #[test]
    fn a_resumed_one_goes_on_where_it_was() {
        let run = Run::default();
        let mut whole = Plateau::new(&run);
        for loss in [1.0, 0.1 + 0.2, 2.0] {
            whole.observe(loss);
        }
        let text = serde_json::to_string(&whole.state()).unwrap();
        let resumed = Plateau::resume(&run, serde_json::from_str(&text).unwrap());
        assert_eq!(resumed, whole);
    }
}
