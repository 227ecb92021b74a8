//! How a network was trained, epoch by epoch, thinned to what a plot shows.

use std::collections::BTreeMap;

use salsa_records::{Ending, Epoch, Record};
use serde::Serialize;

use super::accuracy::Series;
use super::rounded::Rounded;

/// A training.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The cell.
    pub cell: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Its model and the like.
    #[serde(flatten)]
    pub series: Series,
    /// Its seed.
    pub seed: u64,
    /// How many epochs were done.
    pub epochs_done: u64,
    /// Whether it ended because the validation loss did not fall any more.
    pub stopped_early: bool,
    /// The epoch whose weights were evaluated.
    pub best_epoch: Option<u64>,
    /// The epochs that are shown, from 0.
    pub epochs: Vec<u64>,
    /// Their training loss.
    pub train: Vec<Rounded>,
    /// Their loss on the validation split.
    pub validation_loss: Vec<Rounded>,
    /// What else was measured there, by name.
    pub validation: BTreeMap<String, Vec<Rounded>>,
}

/// Epochs shown at most.
const POINTS: usize = 120;

impl Curve {
    /// The training of a record, where it tells.
    pub fn of(series: &Series, record: &Record) -> Option<Self> {
        let training = record.training.as_ref()?;
        let shown = thinned(&training.curve, training.best_epoch);
        if shown.is_empty() {
            return None;
        }
        let column = |value: &dyn Fn(&Epoch) -> f64| -> Vec<Rounded> {
            shown.iter().map(|epoch| Rounded(value(epoch))).collect()
        };
        let metrics = shown.iter().flat_map(|epoch| epoch.validation.keys());
        let metrics: std::collections::BTreeSet<&String> = metrics.collect();
        let validation = metrics.into_iter().map(|metric| {
            let value = |epoch: &Epoch| *epoch.validation.get(metric).unwrap_or(&f64::NAN);
            (metric.clone(), column(&value))
        });
        Some(Self {
            cell: record.cell.clone(),
            algorithm: record.algorithm.clone(),
            series: series.clone(),
            seed: record.seed,
            epochs_done: training.epochs,
            stopped_early: training.ending == Ending::EarlyStopping,
            best_epoch: training.best_epoch,
            epochs: shown.iter().map(|epoch| epoch.epoch).collect(),
            train: column(&|epoch| epoch.train.total),
            validation_loss: column(&|epoch| epoch.validation_loss),
            validation: validation.collect(),
        })
    }
}

/// Evenly spaced epochs with the first, the last and the best.
fn thinned(curve: &[Epoch], best: Option<u64>) -> Vec<&Epoch> {
    let every = curve.len().div_ceil(POINTS).max(1);
    let last = curve.len().saturating_sub(1);
    let is_shown = |(place, epoch): &(usize, &Epoch)| {
        place % every == 0 || *place == last || Some(epoch.epoch) == best
    };
    curve.iter().enumerate().filter(is_shown).map(|(_, epoch)| epoch).collect()
}

#[cfg(test)]
mod tests {
    use salsa_records::LossTerms;

    use super::*;

    fn curve(n_epochs: u64) -> Vec<Epoch> {
        let epoch = |epoch| Epoch {
            epoch,
            step: epoch,
            train: LossTerms::default(),
            validation_loss: 1.0,
            validation: BTreeMap::new(),
            learning_rate: 0.1,
        };
        (0..n_epochs).map(epoch).collect()
    }

    #[test]
    fn short_curves_are_whole_and_long_ones_keep_ends_and_best() {
        assert_eq!(thinned(&curve(100), Some(3)).len(), 100);
        let long = curve(1000);
        let shown: Vec<u64> = thinned(&long, Some(503)).iter().map(|epoch| epoch.epoch).collect();
        assert!(shown.len() <= POINTS + 2);
        assert!([0, 503, 999].iter().all(|epoch| shown.contains(epoch)));
    }
}
