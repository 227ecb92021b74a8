//! One training step and one evaluation on a case's batch.

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use salsa_engine::device::Reduction;
use salsa_engine::tape::{Tape, Tensor};

use super::case::{Case, CaseError, Tensors};
use crate::batch::{Batch, Moments, encoded_inputs};
use crate::loss::{LossWeights, losses};
use crate::model::{Model, ModelOptions, processors};

/// Everything a case expects, computed on an empty tape.
pub fn run(case: &Case, mut tape: Tape) -> Result<Tensors, CaseError> {
    let batch = case.batch()?;
    let processor = case.field("processor")?.to_lowercase();
    let processor = if processor == "gine" { "gin" } else { &processor };
    let kind = processors::find(processor).map_err(|error| case.malformed(error.to_string()))?;
    let options = ModelOptions {
        hidden: hidden(case)?,
        convention: case.convention,
        reduction: Reduction::Max,
        steps_per_hint: 1,
        hints: case.hints(),
    };
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let model = Model::new(&mut tape, &case.spec, options, kind.build, &mut rng)
        .map_err(|error| case.malformed(error.to_string()))?;
    let kept: Vec<(String, Tensor, bool)> = tape
        .parameters()
        .iter()
        .map(|kept| (kept.name.clone(), kept.tensor, kept.learned))
        .collect();
    set(case, &mut tape, &kept, "buffer_before")?;

    let mut found = Tensors::new();
    tape.set_recording(true);
    let forward = model.forward(&mut tape, &batch);
    let weights = LossWeights {
        hint: case.number("hint_loss_weight")?,
        hidden: case.number("hidden_loss_weight")?,
    };
    let terms = losses(&mut tape, &batch, &forward, weights);
    for (field, &output) in case.spec.outputs().zip(&forward.outputs) {
        found.insert(format!("train_output/{}", field.name), tape.values(output));
    }
    found.insert("train_hidden".to_owned(), tape.values(forward.hidden));
    let sum = |tape: &Tape, terms: &[Tensor]| -> f64 {
        terms.iter().map(|&term| tape.values(term)[0]).sum()
    };
    found.insert("loss/total".to_owned(), tape.values(terms.total));
    found.insert("loss/output".to_owned(), vec![sum(&tape, &terms.outputs)]);
    found.insert("loss/hint".to_owned(), vec![sum(&tape, &terms.hints)]);
    found.insert("loss/hidden".to_owned(), tape.values(terms.hidden));
    for (field, &term) in case.spec.hints().zip(&terms.hints) {
        found.insert(format!("hint_loss/{}", field.name), tape.values(term));
    }
    tape.backward(terms.total);
    for (name, tensor, learned) in &kept {
        if *learned {
            if let Some(gradient) = tape.gradient(*tensor) {
                found.insert(format!("grad/{name}"), gradient);
            }
        } else {
            found.insert(format!("buffer_after/{name}"), tape.values(*tensor));
        }
    }

    // The files also have the hints of steps that count in no loss.
    let all = Moments::all(&batch.edges, batch.graphs.as_slice(), &batch.lengths);
    let with_all = Batch { moments: batch.moments.is_some().then_some(all), ..case.batch()? };
    set(case, &mut tape, &kept, "buffer_before")?;
    tape.clear();
    let forward = model.forward(&mut tape, &with_all);
    for (field, &hint) in case.spec.hints().zip(&forward.hints) {
        let values = step_last(&tape.values(hint), batch.steps());
        found.insert(format!("train_hint/{}", field.name), values);
    }

    tape.set_recording(false);
    tape.clear_gradients();
    set(case, &mut tape, &kept, "buffer_after")?;
    let forward = model.forward(&mut tape, &batch);
    for (field, &output) in case.spec.outputs().zip(&forward.outputs) {
        found.insert(format!("eval_output/{}", field.name), tape.values(output));
    }
    found.insert("eval_hidden".to_owned(), tape.values(forward.hidden));
    tape.device().check().map_err(CaseError::Cuda)?;
    Ok(found)
}

/// The size of hidden states, as the parameters have it too.
fn hidden(case: &Case) -> Result<usize, CaseError> {
    let hidden = case.number("hidden_dim")? as usize;
    let Some(input) = encoded_inputs(&case.spec).next() else {
        return Err(case.malformed("the algorithm has no node input"));
    };
    let encoder = format!("param/encoder.encoder.{}.lin.bias", input.name);
    let found = case.tensor(&encoder)?.len();
    if hidden == 0 || hidden != found {
        return Err(case.malformed(format!("hidden_dim is {hidden}, {encoder} has {found} values")));
    }
    Ok(hidden)
}

/// Gives parameters and running statistics their values from the case.
fn set(
    case: &Case,
    tape: &mut Tape,
    kept: &[(String, Tensor, bool)],
    buffers: &str,
) -> Result<(), CaseError> {
    for (name, tensor, learned) in kept {
        let group = if *learned { "param" } else { buffers };
        let values = case.tensor(&format!("{group}/{name}"))?;
        let (rows, columns) = tape.shape(*tensor);
        if values.len() != rows * columns {
            return Err(case.malformed(format!(
                "{group}/{name}: expected {rows} x {columns} values, found {}",
                values.len()
            )));
        }
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        tape.set(*tensor, &values);
    }
    Ok(())
}

/// `[steps, count (, classes)]` to the file's `[count (, classes), steps]`.
fn step_last(values: &[f64], steps: usize) -> Vec<f64> {
    let count = values.len() / steps.max(1);
    (0..count).flat_map(|i| (0..steps).map(move |t| values[t * count + i])).collect()
}
