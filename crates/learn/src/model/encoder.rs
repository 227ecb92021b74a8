//! Encoders: one linear layer for each node input, combined by the convention.

use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::convention::Convention;
use salsa_traces::spec::Spec;

use super::layers::{Affine, Builder};
use crate::batch::{Batch, encoded_inputs};

/// Encoders by input name.
pub struct Encoder {
    layers: Vec<(String, Affine)>,
    convention: Convention,
}

impl Encoder {
    pub(super) fn new(
        builder: &mut Builder<'_>,
        spec: &Spec,
        convention: Convention,
        hidden: usize,
    ) -> Self {
        let mut own = builder.under("encoder.encoder");
        let layers = encoded_inputs(spec)
            .map(|field| {
                let layer = own.affine(&format!("{}.lin", field.name), 1, hidden);
                (field.name.to_string(), layer)
            })
            .collect();
        Self { layers, convention }
    }

    /// The encoding `[n_nodes, hidden]` of a batch.
    ///
    /// # Panics
    /// If the batch is of another algorithm.
    pub fn encode(&self, tape: &mut Tape, batch: &Batch) -> Tensor {
        let mut encoding = None;
        for (name, layer) in &self.layers {
            let found = batch.inputs.iter().find(|(input, _)| input == name);
            let Some((_, values)) = found else { panic!("the batch has no input {name}") };
            let input = tape.constant(values.len(), 1, values);
            let encoded = layer.apply(tape, input);
            encoding = Some(match (encoding, self.convention) {
                (None, _) => encoded,
                (Some(before), Convention::Paper) => tape.max(before, encoded),
                (Some(before), Convention::Release) => tape.add(before, encoded),
            });
        }
        encoding.unwrap_or_else(|| panic!("an algorithm has at least one node input"))
    }
}
