//! What the metrics say of a batch that was decoded anyway, as in the validation of a training.

use salsa_engine::tape::Tensor;
use salsa_traces::sample::Sample;

use crate::batch::Batch;
use crate::compared::{Compared, Mismatch};
use crate::metrics::measure;
use crate::network::Network;
use crate::prediction::predictions;
use crate::scores::Scores;

/// Adds what the metrics say of a batch's decoded outputs.
pub fn score(
    network: &Network,
    batch: &Batch,
    samples: &[Sample],
    outputs: &[Tensor],
    scores: &mut Scores,
) -> Result<(), Mismatch> {
    let predicted = predictions(&network.tape, &network.model.spec, batch, outputs);
    for (sample, predicted) in samples.iter().zip(predicted) {
        for (predicted, expected) in predicted.iter().zip(&sample.trajectory.outputs) {
            scores.add(measure(&Compared::new(predicted, expected)?));
        }
    }
    Ok(())
}
